package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// preemptionTally counts what was compared.
type preemptionTally struct {
	pods, preempting, certain, outcomes, seen, cut int
}

// What upstream preempts, whatever the pods' start times, is one of the model's
// outcomes; and where start times may bring about each of the model's outcomes, they do.
func TestPreemptionAgrees(t *testing.T) {
	workers := max(1, min(runtime.GOMAXPROCS(0), 8))
	var group sync.WaitGroup
	var lock sync.Mutex
	var sum preemptionTally
	for w := range workers {
		group.Go(func() {
			x, err := newPreemptionComparison()
			if err != nil {
				t.Error(err)
				return
			}
			got := x.run(t, uint64(w), *schedulerPairs/4/workers)
			lock.Lock()
			defer lock.Unlock()
			sum.pods += got.pods
			sum.preempting += got.preempting
			sum.certain += got.certain
			sum.outcomes += got.outcomes
			sum.seen += got.seen
			sum.cut += got.cut
		})
	}
	group.Wait()
	t.Logf("seed %d: %d pods, %d preempt, %d of them in one way only; of %d outcomes where start times decide, %d were seen upstream; "+
		"%d pods with too many orders of victims left out", *schedulerSeed, sum.pods, sum.preempting, sum.certain, sum.outcomes, sum.seen, sum.cut)
	if sum.preempting < sum.pods/20 || sum.outcomes < sum.preempting/10 {
		t.Error("the generator draws too few preemptions of some kind")
	}
	if sum.seen < sum.outcomes*95/100 {
		t.Error("the model has outcomes that upstream does not")
	}
}

// preemptionComparison plays generated clusters on both sides.
type preemptionComparison struct {
	upstream  *upstreamPreemption
	nominated nominator
}

func newPreemptionComparison() (*preemptionComparison, error) {
	c, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	x := &preemptionComparison{nominated: nominator{}}
	u, err := newUpstreamScheduler(klog.NewContext(context.Background(), noLogger()), &c.upstream.Profiles[0], x.nominated)
	if err != nil {
		return nil, err
	}
	x.upstream, err = newUpstreamPreemption(u)
	return x, err
}

func (x *preemptionComparison) run(t *testing.T, worker uint64, pods int) preemptionTally {
	var sum preemptionTally
	for i := uint64(0); sum.pods < pods && !t.Failed(); i++ {
		if i > 1000 && sum.pods == 0 {
			t.Fatal("no scenario is modeled")
		}
		g := generator{rand.New(rand.NewPCG(*schedulerSeed, 1<<62+worker<<32+i))}
		s := g.contended()
		if err := x.compare(s, g, &sum); err != nil && !errors.Is(err, actor.ErrUnmodeled) {
			t.Errorf("worker %d, scenario %d: %v\n%s", worker, i, err, s)
		}
	}
	return sum
}

// contended draws a small cluster that is full of pods of several priorities.
func (g generator) contended() *scenario {
	s := g.scenario()
	if len(s.Classes) > 3 {
		s.Classes = s.Classes[:3]
	}
	for i := range s.Classes {
		s.Classes[i].Count = 1 + g.IntN(2)
		if g.chance(70) {
			s.Classes[i].Node.Spec = corev1.NodeSpec{}
		}
		s.Classes[i].Node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse(pick(g, "3", "6", "8", "110"))
	}
	for w := range s.Workloads {
		for _, d := range s.Workloads[w].Manifests {
			if d == nil {
				continue
			}
			replicas := int32(1) // other actors are asked as well whether they can be built
			d.Spec.Replicas, d.Spec.Strategy.Type = &replicas, appsv1.RecreateDeploymentStrategyType
			pod := &d.Spec.Template.Spec
			priority := pick[int32](g, -10, 0, 0, 10, 20, 30)
			pod.Priority, pod.SchedulerName = &priority, ""
			if g.chance(10) {
				never := corev1.PreemptNever
				pod.PreemptionPolicy = &never
			}
			if g.chance(60) {
				pod.Affinity, pod.NodeSelector = nil, nil
			}
			if g.chance(70) {
				pod.TopologySpreadConstraints = nil
			}
		}
	}
	g.places(s)
	return s
}

// budgets draws PodDisruptionBudgets in whole numbers, by version.
func (g generator) budgets(s *scenario, cfg *state.Config) {
	for k := range g.IntN(4) {
		least := intstr.FromInt32(g.Int32N(4))
		b := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: pick(g, "default", "default", "prod"), Name: fmt.Sprintf("b%d", k)},
			Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: g.labels(60)}},
		}
		for v := range cfg.Spec.Workloads[0].Manifests {
			m := &cfg.Spec.Workloads[0].Manifests[v]
			m.PDBs = append(m.PDBs, b)
		}
	}
}

// compare plays one pod of every class that may preempt.
func (x *preemptionComparison) compare(s *scenario, g generator, sum *preemptionTally) error {
	spec, topology := s.spec(nil)
	b, err := state.NewBuilder(spec, topology, maxPods)
	if err != nil {
		return err
	}
	g.budgets(s, b.Config())
	actors, err := control.All(b)
	if err != nil {
		return err
	}
	cfg, err := b.Freeze()
	if err != nil {
		return err
	}
	c, err := newCluster(s, cfg)
	if err != nil {
		return err
	}
	if c.portsClash() {
		return nil // NodeInfo keeps a set of ports, not how many pods hold each
	}
	now := s.state(cfg)
	for p := range cfg.Pods {
		for n := range cfg.Nodes {
			if cfg.Preempts(p) && g.chance(8) {
				now.Nominate(n, p, 1)
				now.Set(cfg.Class[p].Pending, now.Pending(p)+1)
			}
		}
	}
	if err := x.load(s, c, now); err != nil {
		return err
	}
	i := slices.IndexFunc(actors, func(a actor.Actor) bool { return a.Name() == "scheduler" })
	for p := range cfg.Pods {
		if err := x.one(c, now, actors[i].(*scheduler.Scheduler), p, g, sum); err != nil {
			return fmt.Errorf("pod class %d: %w", p, err)
		}
	}
	return nil
}

func (x *preemptionComparison) load(s *scenario, c *cluster, now state.State) error {
	if err := x.nominated.nominate(c, now); err != nil {
		return err
	}
	budgets := x.upstream.informers.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer()
	if err := budgets.Replace(nil, ""); err != nil {
		return err
	}
	for _, b := range now.C.Spec.Workloads[0].Manifests[state.Base].PDBs {
		if err := budgets.Add(budget(b, c.allowed(b))); err != nil {
			return err
		}
	}
	return x.upstream.load(s, c, now.C)
}

// allowed is the disruptions that a budget with a whole minAvailable allows.
func (c *cluster) allowed(b *policyv1.PodDisruptionBudget) int {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		panic(err)
	}
	healthy := 0
	for i, pod := range c.pods {
		if pod.Namespace == b.Namespace && selector.Matches(labels.Set(pod.Labels)) && c.phases[i] == state.Ready {
			healthy++
		}
	}
	return max(healthy-b.Spec.MinAvailable.IntValue(), 0)
}

// one compares what becomes of a pending pod of class p.
func (x *preemptionComparison) one(c *cluster, now state.State, a *scheduler.Scheduler, p int, g generator, sum *preemptionTally) error {
	if len(now.C.Nodes) == 0 || !now.C.Preempts(p) && g.chance(70) {
		return nil
	}
	pending := now.C.New()
	copy(pending.B, now.B)
	pending.Set(now.C.Class[p].Pending, now.Pending(p)+1)
	ours := map[string]bool{}
	outcomes, complete := a.Preemptions(pending, p)
	if !complete {
		sum.cut++
		return nil
	}
	for _, to := range outcomes {
		now.C.Canon(to.B)
		ours[string(to.B)] = false
	}
	sum.pods++
	tries := 4
	if n := len(ours); n > 1 && n < 8 {
		tries = 200
	}
	for range tries {
		c.age(g.Perm(len(c.pods)))
		node, fits, err := x.upstream.victims(c, p)
		if err != nil {
			return err
		}
		if node == "" {
			if len(ours) > 0 {
				return fmt.Errorf("upstream preempts nothing (fits: %t), the model in %d ways", fits, len(ours))
			}
			return nil
		}
		to := x.apply(c, pending, p, node)
		now.C.Canon(to.B)
		if _, ok := ours[string(to.B)]; !ok {
			return fmt.Errorf("upstream nominates %s and deletes %s; not among the model's %d ways", node, x.names(c), len(ours))
		}
		ours[string(to.B)] = true
	}
	sum.note(ours)
	return nil
}

func (t *preemptionTally) note(ours map[string]bool) {
	t.preempting++
	if len(ours) == 1 {
		t.certain++
	}
	if n := len(ours); n < 2 || n > 7 {
		return
	}
	for _, seen := range ours {
		t.outcomes++
		if seen {
			t.seen++
		}
	}
}

// apply makes upstream's result a state of the model.
func (x *preemptionComparison) apply(c *cluster, s state.State, p int, node string) state.State {
	to := s.C.New()
	copy(to.B, s.B)
	n := slices.IndexFunc(c.nodes, func(o *corev1.Node) bool { return o.Name == node })
	for i, pod := range c.pods {
		if x.upstream.deleted[pod.UID] {
			to.Add(n, c.ofClass[i], c.phases[i], -1)
			to.Add(n, c.ofClass[i], state.Terminating, 1)
		}
	}
	for q := range s.C.Pods {
		lower := *c.classes[q].Spec.Priority < *c.classes[p].Spec.Priority
		if lower && len(x.upstream.deleted) > 0 {
			to.Nominate(n, q, -to.Nominated(n, q))
		}
	}
	to.Nominate(n, p, 1)
	return to
}

func (x *preemptionComparison) names(c *cluster) string {
	var out []string
	for i, pod := range c.pods {
		if x.upstream.deleted[pod.UID] {
			out = append(out, fmt.Sprintf("%s (class %d, phase %s)", pod.Name, c.ofClass[i], c.phases[i]))
		}
	}
	return strings.Join(out, ", ")
}

// portsClash reports whether two pods of a node hold one port.
func (c *cluster) portsClash() bool {
	seen := map[string]bool{}
	for _, pod := range c.pods {
		own := map[string]bool{}
		for _, container := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			for _, port := range container.Ports {
				if port.HostPort > 0 {
					own[fmt.Sprintf("%s %d %s", pod.Spec.NodeName, port.HostPort, port.Protocol)] = true
				}
			}
		}
		for key := range own {
			if seen[key] {
				return true
			}
			seen[key] = true
		}
	}
	return false
}
