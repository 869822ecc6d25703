package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

var (
	schedulerPairs = flag.Int("scheduler.pairs", fromEnvironment("SCHEDULER_PAIRS", 20_000), "pod-cluster pairs to compare")
	schedulerSeed  = flag.Uint64("scheduler.seed", 1, "seed of the generated clusters")
)

func fromEnvironment(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// configsInPlay is the number of scheduler configurations: the default one, which half
// of the scenarios use, and variations.
const configsInPlay = 30

// tally counts what a run compared.
type tally struct {
	pairs, fits, ties, scored, refused int
	configs                            map[int]int
}

// Our scheduler and upstream's agree on feasible nodes, reasons, every plugin's final
// score, totals and the set of best nodes.
func TestSchedulerAgrees(t *testing.T) {
	workers := max(1, min(runtime.GOMAXPROCS(0), 8))
	var group sync.WaitGroup
	var lock sync.Mutex
	sum := tally{configs: map[int]int{}}
	for w := range workers {
		group.Go(func() {
			x, err := newComparison(*schedulerSeed)
			if err != nil {
				t.Error(err)
				return
			}
			got := x.run(t, uint64(w), *schedulerPairs/workers)
			lock.Lock()
			defer lock.Unlock()
			sum.pairs += got.pairs
			sum.fits += got.fits
			sum.ties += got.ties
			sum.scored += got.scored
			sum.refused += got.refused
			for p, n := range got.configs {
				sum.configs[p] += n
			}
		})
	}
	group.Wait()
	t.Logf("seed %d: %d pod-cluster pairs over %d configurations (%d with the default one): %d placed, %d scored, %d ties; "+
		"%d scenarios refused by the model", *schedulerSeed, sum.pairs, len(sum.configs), sum.configs[0],
		sum.fits, sum.scored, sum.ties, sum.refused)
	if sum.fits < sum.pairs/4 || sum.ties < sum.pairs/50 || sum.pairs-sum.fits < sum.pairs/20 {
		t.Error("the generator draws too few clusters of some kind")
	}
}

// A model that is wrong in one weight is found out, and the scenario shrinks to what
// shows it.
func TestSchedulerComparisonNotices(t *testing.T) {
	x, err := newComparison(1)
	if err != nil {
		t.Fatal(err)
	}
	x.configs[0].ours.Profiles[0].Weight[state.NodeAffinity]++
	for i := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(1, i))}
		s := g.scenario()
		g.places(s)
		if err := x.compare(s, nil); err == nil || errors.Is(err, actor.ErrUnmodeled) {
			continue
		}
		small := x.shrink(s)
		if err := x.compare(small, nil); err == nil {
			t.Error("the shrunk scenario shows no difference")
		}
		if len(small.Places) > 0 || len(small.Services) > 0 {
			t.Errorf("not shrunk:\n%s", small)
		}
		return
	}
	t.Error("1000 scenarios and no difference")
}

// comparison runs scenarios on both sides.
type comparison struct {
	configs  []*schedulerConfig
	upstream []map[string]*upstreamScheduler // by configuration and name of the profile
}

func newComparison(seed uint64) (*comparison, error) {
	x := &comparison{}
	ctx := klog.NewContext(context.Background(), noLogger())
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for i := range configsInPlay {
		c, err := defaultConfig()
		if i > 0 {
			c, err = g.config()
		}
		if err != nil {
			return nil, err
		}
		byName := map[string]*upstreamScheduler{}
		for k := range c.upstream.Profiles {
			p := &c.upstream.Profiles[k]
			if byName[p.SchedulerName], err = newUpstreamScheduler(ctx, p, nominator{}); err != nil {
				return nil, fmt.Errorf("configuration %d: %w\n%s", i, err, c.file)
			}
		}
		x.configs, x.upstream = append(x.configs, c), append(x.upstream, byName)
	}
	return x, nil
}

// run compares a number of pairs; a disagreement is shrunk and ends it.
func (x *comparison) run(t *testing.T, worker uint64, pairs int) tally {
	sum := tally{configs: map[int]int{}}
	for i := uint64(0); sum.pairs < pairs && !t.Failed(); i++ {
		g := generator{rand.New(rand.NewPCG(*schedulerSeed, 1+worker<<32+i))}
		s := g.scenario()
		if g.chance(50) {
			s.Config = g.IntN(len(x.configs))
		}
		for range 3 {
			g.places(s)
			err := x.compare(s, &sum)
			if errors.Is(err, actor.ErrUnmodeled) {
				sum.refused++
				break
			}
			if err != nil {
				small := x.shrink(s)
				t.Errorf("worker %d, scenario %d, configuration %d: %v\nshrunk: %v\n%s\n%s", worker, i, s.Config,
					err, x.compare(small, nil), small, x.configs[s.Config].file)
				break
			}
		}
	}
	return sum
}

// compare schedules one pod of every class of a scenario on both sides.
func (x *comparison) compare(s *scenario, sum *tally) error {
	cfg, err := s.config(x.configs[s.Config].ours)
	if err != nil {
		return err
	}
	ours, err := scheduler.NewScheduler(cfg)
	if err != nil {
		return err
	}
	c, err := newCluster(s, cfg)
	if err != nil {
		return err
	}
	for _, u := range x.upstream[s.Config] {
		if err := u.load(s, c, cfg); err != nil {
			return err
		}
	}
	now := s.state(cfg)
	for p := range cfg.Pods {
		u := x.upstream[s.Config][c.classes[p].Spec.SchedulerName]
		theirs, err := u.decide(c, p)
		if err != nil {
			return fmt.Errorf("pod class %d: upstream: %w", p, err)
		}
		if err := differ(cfg, ours, now, p, theirs); err != nil {
			return fmt.Errorf("pod class %d: %w", p, err)
		}
		sum.add(s, theirs)
	}
	return nil
}

func (t *tally) add(s *scenario, d *upstreamDecision) {
	if t == nil {
		return
	}
	t.pairs++
	t.configs[s.Config]++
	if len(d.feasible) > 0 {
		t.fits++
	}
	if len(d.total) > 0 {
		t.scored++
	}
	if len(d.best) > 1 {
		t.ties++
	}
}

// differ says in what two decisions on a pod of class p differ.
func differ(cfg *state.Config, a *scheduler.Scheduler, now state.State, p int, theirs *upstreamDecision) error {
	d := a.Decide(now, p)
	if !slices.Equal(d.Feasible, theirs.feasible) {
		return fmt.Errorf("feasible nodes %v, upstream %v (%v)", d.Feasible, theirs.feasible, theirs.reasons)
	}
	reasons := map[int][]string{}
	for _, r := range d.Why {
		reasons[r.Node] = append(reasons[r.Node], r.Text)
	}
	for n, want := range theirs.reasons {
		slices.Sort(reasons[n])
		if !slices.Equal(reasons[n], want) {
			return fmt.Errorf("node %d: reasons %q, upstream %q", n, reasons[n], want)
		}
	}
	known := map[string]bool{}
	for _, s := range d.Scores {
		known[s.Plugin] = true
		for i, n := range d.Feasible {
			if want := theirs.scores[s.Plugin][n]; s.Final[i] != want {
				return fmt.Errorf("node %d: %s gives %d, upstream %d", n, s.Plugin, s.Final[i], want)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.scores)) {
		if !known[name] && slices.ContainsFunc(d.Feasible, func(n int) bool { return theirs.scores[name][n] != 0 }) {
			return fmt.Errorf("%s scores upstream only", name)
		}
	}
	for i := range d.Total {
		if n := d.Feasible[i]; d.Total[i] != theirs.total[n] {
			return fmt.Errorf("node %d: total %d, upstream %d", n, d.Total[i], theirs.total[n])
		}
	}
	if !slices.Equal(d.Best, theirs.best) {
		return fmt.Errorf("best nodes %v, upstream %v", d.Best, theirs.best)
	}
	return nil
}
