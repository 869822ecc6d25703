package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Failures that the policy does not speak of are asked about in three places more (and of first revisions, see
// [scenarioRun.first]), where the change itself takes a guard against them away (see [slice.Dropped]): to have none is
// how most workloads are, to remove it is a decision.
const (
	asideFailed  = "the drain of one node under a bad revision"
	asideOverrun = "a Job that does not end"
	asideIdle    = "a load that comes and goes over memory that stays"
)

// idleMemory is what pods are taken to use of the memory that they ask for when there is no load, in percent: who
// asks for what a program needs has it use most of that.
const idleMemory = 60

// unguarded searches for all of them.
func (r *scenarioRun) unguarded(ctx context.Context, v Variant) error {
	d, e := v.Dropped, v.Spec.Events
	if d.Unhealthy && (v.Maintained || e.BadRevision > 0 && e.Drain > 0 && !e.IgnorePDB) {
		if err := r.aside(ctx, asideFailed, ScenarioNext, v.failed(), state.Base, r.only(rules.DrainBlocked)); err != nil {
			return err
		}
	} else {
		r.cov.closeAside(asideFailed, AllClosed)
	}
	if d.Memory && e.IdleMemory == 0 && e.LoadChange > 0 {
		if err := r.aside(ctx, asideIdle, ScenarioSteady, v.idle(), state.Head, r.only(rules.RunawayScale)); err != nil {
			return err
		}
	} else {
		r.cov.closeAside(asideIdle, AllClosed)
	}
	if !d.Overlap || e.JobOverrun > 0 {
		r.cov.closeAside(asideOverrun, AllClosed)
		return nil
	}
	return r.aside(ctx, asideOverrun, ScenarioSteady, v.overrun(), state.Head, r.only(rules.RunawayScale))
}

// only are the rules of one ID.
func (r *scenarioRun) only(id string) []rules.Rule {
	return slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return rule.ID != id })
}

// failed gives the variant of the next rollout, whose pods never get ready, with one drain.
func (v Variant) failed() Variant {
	v = v.next()
	v.Spec.Events.BadRevision, v.Spec.Events.Drain, v.Spec.Events.DrainConcurrency = 1, 1, 1
	return v
}

// overrun gives head alone, with one CronJob whose Jobs do not end.
func (v Variant) overrun() Variant {
	v = v.only(state.Head)
	v.Spec.Events = state.Events{JobOverrun: 1}
	return v
}

// idle gives head alone, with a load that comes and goes, over memory that stays in use.
func (v Variant) idle() Variant {
	e := state.Events{LoadChange: min(v.Spec.Events.LoadChange, 2), IdleMemory: idleMemory}
	v = v.only(state.Head)
	v.Spec.Events = e
	return v
}

// Idle is what a violation takes pods without load to use of the memory that they ask for, in
// percent; 0: it assumes nothing.
func (v Violation) Idle() int {
	if v.aside == asideIdle {
		return idleMemory
	}
	return 0
}

// Unguarded reports whether a violation is one that the change took a guard away from.
func (v Violation) Unguarded() bool { return v.aside == asideFailed || v.aside == asideOverrun }

// Unspread reports whether a violation is of a hard spread that the change no longer lets tell revisions apart.
func (v Violation) Unspread() bool {
	return v.Bound.Rule.ID == rules.SpreadViolated && !v.Bound.Property.Wish && v.Variant.Dropped.Spread
}
