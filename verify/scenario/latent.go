package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// anyRollout are the rules whose violations any rollout may show: old pods are counted until they are gone, and which
// of the new ones stay hangs on the scheduler's ties.
var anyRollout = []string{"single-domain", "spread-violated"}

// AnyRollout reports whether a violation that a change's rollout leads to comes as easily of a rollout of base, which
// asks for the same: it was there for whichever change comes next, and is none of this one's. Where the budget does not
// last to tell, it is not.
func (c *Checker) AnyRollout(ctx context.Context, found Violation) bool {
	if !slices.Contains(anyRollout, found.Bound.Rule.ID) || found.Scenario != ScenarioChange ||
		!slices.Contains(found.Kinds(), "apply") {
		return false
	}
	base := found.Variant.Reapply()
	next := base.next()
	next.Spec.Classes, next.Spec.Events = base.Spec.Classes, base.Spec.Events // as full, and as eventful
	if !next.Has(state.Base) || next.repeats() {
		return false
	}
	own := c.Within(roomyStates)
	own.Rules = slices.DeleteFunc(slices.Clone(own.Rules), func(r rules.Rule) bool { return r.ID != found.Bound.Rule.ID })
	r := scenarioRun{Checker: own, topology: found.Topology()}
	if err := r.settled(ctx, ScenarioChange, next, state.Base); err != nil {
		return false
	}
	return slices.ContainsFunc(r.found, func(x Violation) bool { return x.Covers(found) && x.which() == found.which() })
}

// which names what a violation breaks of what its manifest asks for; "" where a rule asks for one thing.
func (v Violation) which() string {
	if v.Bound.Property.Which == nil {
		return ""
	}
	return v.Bound.Property.Which(state.State{C: v.Problem.Cfg, B: v.last()})
}
