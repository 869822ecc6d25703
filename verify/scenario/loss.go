package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// neverReplaced is the rule for pods that a webhook keeps from coming back.
const neverReplaced = rules.NeverReplaced

// loss searches the loss of one node where a webhook guards the pods that answer for it, and
// the policy says nothing of nodes that go: the one place where a lost node, which every
// cluster sees some day, is asked about although nobody named it, as nothing comes back by
// itself then.
func (r *scenarioRun) loss(ctx context.Context, v Variant) error {
	if !v.Maintained || v.Spec.Events.NodeFailure > 0 || !deadlocks(v.Spec.Admission.Webhooks) {
		r.cov.closeAside(asideLoss, AllClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return rule.ID != neverReplaced })
	return r.aside(ctx, asideLoss, ScenarioSteady, v.lost(), state.Head, own)
}

// lost gives head alone, with one node that is lost. One that was drained before may have left on it
// what stood on two, however the scheduler had placed it.
func (v Variant) lost() Variant {
	v = v.only(state.Head)
	v.Spec.Events = state.Events{NodeFailure: 1, Drain: 1, DrainConcurrency: 1}
	return v
}

// AfterUpkeep reports whether a violation is of a loss that any drain may come before: who upgrades a
// cluster drains all of its nodes, and does not ask whose pods come together.
func (v Violation) AfterUpkeep() bool { return v.aside == asideLoss }

// deadlocks reports whether some webhooks of head are asked about the pods of all that answer for them, so that none of
// these comes back on its own once all are gone: one that guards itself, two that guard each other, or more in a ring.
func deadlocks(hooks []state.Webhook) bool {
	closed := slices.DeleteFunc(slices.Clone(hooks), func(h state.Webhook) bool { return h.Guards[state.Head] == nil })
	for {
		kept := slices.DeleteFunc(slices.Clone(closed), func(h state.Webhook) bool {
			return slices.ContainsFunc(h.Servers, func(w int) bool {
				return !slices.ContainsFunc(closed, func(by state.Webhook) bool { return by.Guards[state.Head][w][state.Head] })
			})
		})
		if len(kept) == len(closed) {
			return len(kept) > 0
		}
		closed = kept
	}
}
