package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A Job is done once a cluster has settled, so that events find none of its pods there. Where the loss of one tells
// more than that another is made, they are let loose on head as it starts.

// jobs searches for what the events that the policy declares do to Jobs while they run.
func (r *scenarioRun) jobs(ctx context.Context, v Variant) error {
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return !v.asksOfJobs(rule.ID) })
	e := v.running().Spec.Events
	if e.Drain+e.NodeFailure+e.SpotReclaim == 0 || len(own) == 0 {
		r.cov.closeAside(asideJobs, AllClosed)
		return nil
	}
	return r.beside(asideJobs, own, func(other *scenarioRun) error {
		return other.installed(ctx, ScenarioInstall, v.running(), state.Head)
	})
}

// asksOfJobs reports whether a rule says something of the Jobs of head that others do not.
func (v Variant) asksOfJobs(rule string) bool {
	switch rule {
	case neverReplaced:
		return slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
			m := &w.Manifests[state.Head]
			return m.Exists() && m.DiesOfDisruption()
		})
	case rules.Unschedulable:
		return slices.ContainsFunc(v.Spec.Quotas, func(q state.Quota) bool {
			in := q.Queues[state.Head]
			return in != nil && in.Ready != nil && in.Ready.Block && in.Ready.NoRecovery
		})
	}
	return false
}

// running gives head alone, with what takes pods away: one of each kind that the policy declares.
func (v Variant) running() Variant {
	e := v.Spec.Events
	v = v.only(state.Head)
	v.Spec.Events = state.Events{
		Drain: min(e.Drain, 1), DrainConcurrency: 1, IgnorePDB: e.IgnorePDB, KeepsBare: e.KeepsBare,
		NodeFailure: min(e.NodeFailure, 1), OutOfService: e.OutOfService,
		SpotReclaim: min(e.SpotReclaim, 1), SpotLost: e.SpotLost,
	}
	return v
}
