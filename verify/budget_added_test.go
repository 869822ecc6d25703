package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A budget that is added beside a workload that stays as it is worsens nothing: all that it can bring is that a node is
// not drained, and that what needs that node waits. What base breaks stays existing, whatever the shortest run is by now.
func TestABudgetAddedWorsensNothing(t *testing.T) {
	comparison(t)
	pairs := 16
	if *morePairs > 0 {
		pairs = *morePairs
	}
	seeds := []int{32, 55} // of these the budget forbids base's shortest run
	for seed := range pairs {
		seeds = append(seeds, *firstPair+seed)
	}
	held := 0
	for _, seed := range seeds {
		p := newRandomPair(rand.New(rand.NewPCG(37, uint64(seed))))
		p.base[0].kind, p.base[0].pdb, p.base[0].hpa[0] = "Deployment", 0, min(p.base[0].hpa[1], 1+seed%2)
		p.head = p.base
		p.head[0].pdb = 1 + seed%2
		d := plainDress
		d.text = func(part int, s string) string {
			if part == 2 && seed%3 > 0 {
				s = strings.Replace(s, "events:\n", "events:\n  drain: {budget: "+[]string{"1", "2"}[seed%3-1]+"}\n", 1)
			}
			if part == 2 && seed%5 == 0 {
				s = strings.Replace(s, "badRevision: {budget: 0}", "badRevision: {budget: 1}", 1)
			}
			return s
		}
		r := p.check(t, d, Options{})
		undrained := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Status == finding.New && f.Rule == rules.DrainBlocked && f.Workload == "apps/Deployment default/web"
		})
		for _, f := range r.Findings {
			held++
			// the node that it keeps cordoned is missing for a pod that was evicted before it came, or lost since
			waits := undrained && f.Rule == rules.Unschedulable && slices.Contains(f.Events, "drain")
			if waits {
				continue
			}
			if f.Status == finding.Worsened || f.Status == finding.New && f.Rule != rules.DrainBlocked {
				t.Errorf("pair %d: a budget of %d brings %s %s of %s:\n%s", seed, p.head[0].pdb, f.Status, f.Rule, f.Workload,
					strings.Join(told(r, plainDress), "\n"))
			}
		}
	}
	if held < pairs/2 {
		t.Errorf("%d findings on %d pairs: they say little", held, pairs)
	}
}
