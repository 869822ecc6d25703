package judge

import (
	"cmp"
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
)

// A fix is searched like head, and head may be small when broken and large when repaired: a pod that stays pending
// hides everything after it. So the searches for the fixes of one finding have an allowance in proportion to the
// check's own searches, beside the time.
const (
	// fixStates are the states that the searches for the fixes of one finding may take together, at least; a check
	// that took more allows so many times its own.
	fixStates, fixShare = 500_000, 4
	// preferredStates are those of a finding on what manifests only prefer.
	preferredStates = 150_000
	// leastFix is the allowance that must be left for a search to begin, so that a search is not cut short right after
	// its start.
	leastFix = 50_000
)

// allowance is what the searches for the fixes of one finding may still take.
type allowance struct {
	states  uint64
	untried int // fixes for which it did not last
}

// allowed is the allowance of one finding of a slice.
func (d *Judge) allowed(sr *scenario.SliceResult, of scenario.Violation) *allowance {
	if of.Bound.Property.Soft {
		return &allowance{states: cmp.Or(d.FixStates, preferredStates)}
	}
	return &allowance{states: cmp.Or(d.FixStates, max(fixStates, fixShare*sr.Cov.States))}
}

// search searches a change with a fix, until it finds a violation that disqualifies the fix; ok is false if it finds
// one, or fails, or did not come to its end within the remaining allowance.
func (a *allowance) search(ctx context.Context, c *scenario.Checker, v scenario.Variant, t scale.Topology,
	of scenario.Violation, none func(scenario.Violation) bool) (ok bool) {
	if a.states < leastFix {
		a.untried++
		return false
	}
	most := min(v.States(), a.states)
	own := c.Within(most)
	shows, cov, err := own.Shows(ctx, v.Change(), t, of)
	if a.take(cov); shows || err != nil {
		return false
	}
	own.Enough = none
	found, cov, err := own.Scenarios(ctx, v.Change(), t)
	switch a.take(cov); {
	case err != nil || slices.ContainsFunc(found, none):
		return false
	case cov.Bound == search.StateBound && most < v.States():
		a.untried++
	}
	return scenario.Complete(cov)
}

// take books what a search took.
func (a *allowance) take(cov scenario.Coverage) { a.states -= min(a.states, cov.States) }

// Untried says of findings without a fix, or with none but to take the change back, that one may have been missed.
func Untried(list []finding.Finding) (notices []finding.Note) {
	for i := range list {
		if f := &list[i]; f.Untried > 0 && (f.Fix == nil || f.Fix.Back) {
			notices = append(notices, finding.Say(finding.FixUntried, f.Rule, f.Untried).On(f.Workload))
		}
	}
	return notices
}
