package verify

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// fromCluster is for runs in parts: the clusters before it were compared by an earlier one.
var fromCluster = flag.Int("from", 0, "first of the random clusters to compare reductions on")

// TestReductionsKeepFindings compares searches with all reductions with such with none, on random clusters of up to three
// workloads with a descheduler or autoscalers, or of workloads that look at each other's pods: the same findings. Where
// only the search without reductions was cut off, the other one found all that it did.
func TestReductionsKeepFindings(t *testing.T) {
	clusters, least, most, states := 8, 2, 4, uint64(10_000)
	if *moreClusters > 0 {
		clusters, least, most, states = *moreClusters, 6, 10, 50_000
	}
	var kept, whole uint64
	findings, over, cut, fewer := 0, 0, 0, 0
	for seed := *fromCluster; seed < *fromCluster+clusters; seed++ {
		r := rand.New(rand.NewPCG(22, uint64(seed)))
		pods := least + r.IntN(most-least+1)
		base, head, policy := randomShop(r, pods, seed%8 == 1)
		if seed%4 == 3 {
			base, head, policy = randomNeighbours(r, pods)
		}
		ch, pol := changeOf(t, base, head, policy)
		run := func(off bool) *finding.Result {
			return verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 1, TimeBudget: time.Minute, Part: run.Part{Plain: true}, Compare: run.Compare{States: states, Calm: true, Unlumped: off, Whole: off, Twice: off, Interleaved: off}}))
		}
		less := run(false)
		if ranOut(less) || len(less.Coverage.Reduced) > 0 { // of another scale nothing can be compared
			over++
			continue
		}
		more := run(true)
		kept, whole, findings = kept+less.Coverage.States, whole+more.Coverage.States, findings+len(less.Findings)
		a, b := loosely(less, less), loosely(more, less)
		switch {
		case ranOut(more), len(more.Coverage.Reduced) > 0:
			cut++
			for _, f := range more.Findings {
				lost := f.AtDeclaredScale && f.Status != finding.Fixed && !slices.ContainsFunc(less.Findings,
					func(g finding.Finding) bool { return g.Rule == f.Rule && g.Workload == f.Workload })
				if lost {
					t.Errorf("cluster %d: a search that was cut off finds %s of %s, the reduced one does not", seed, f.Rule, f.Workload)
				}
			}
		case !slices.Equal(a, b):
			t.Errorf("cluster %d: reduced\n%s\nwhole\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		if less.Coverage.States < more.Coverage.States {
			fewer++
		}
		if *moreClusters > 0 && seed%10 == 0 {
			t.Logf("up to cluster %d: %d too large, %d too large without, %d findings; %d states, %d without", seed, over, cut, findings, kept, whole)
		}
	}
	t.Logf("%d clusters (%d are too large to compare, %d without the reductions), %d findings; %d states, %d without, fewer in %d clusters",
		clusters, over, cut, findings, kept, whole, fewer)
	if findings < clusters/4 || fewer < clusters/4 || over > clusters/2 {
		t.Errorf("%d findings, %d clusters of fewer states, %d too large: the test has lost its teeth", findings, fewer, over)
	}
}

// loosely is what a result says, but for the steps and pods of loops: states that are one close them sooner. Whether any
// rollout of base leaves as uneven a spread is searched within a bound of its own: where only the reduced search came to
// tell, that counts.
func loosely(r, reduced *finding.Result) []string {
	short := *r
	short.Findings = slices.Clone(r.Findings)
	for i := range short.Findings {
		f := &short.Findings[i]
		if f.CycleStart != nil {
			f.Interleaving, f.Scale.Pods = nil, 0
		}
		uneven := f.Rule == "spread-violated" || f.Rule == "single-domain"
		if uneven && slices.ContainsFunc(reduced.Findings, func(g finding.Finding) bool {
			return g.Rule == f.Rule && g.Workload == f.Workload && g.Status == finding.Existing
		}) {
			f.Status = finding.Existing
		}
	}
	return slices.Sorted(slices.Values(fully(&short)))
}
