package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// replicasReset is the rule that the next apply under load is judged by.
const replicasReset = rules.ReplicasReset

// reloaded gives the variant of the next rollout, with one change of load.
func (v Variant) reloaded() Variant {
	load := min(v.Spec.Events.LoadChange, 1)
	v = v.next()
	v.Spec.Events.LoadChange = load
	return v
}

// reload searches the next apply once an autoscaler has answered a change of load. A
// manifest that declares the number of replicas beside the autoscaler hands it over when it
// is applied first, and takes it back with every apply from then on.
func (r *scenarioRun) reload(ctx context.Context, v Variant) error {
	next := v.reloaded()
	owned := slices.ContainsFunc(next.Spec.Workloads, func(w state.Workload) bool {
		m := w.Manifests[state.Head]
		return m.Exists() && m.HPA != nil && m.DeclaresReplicas
	})
	if !owned || next.repeats() || v.Spec.Events.LoadChange == 0 {
		r.cov.closeAside(asideReload, AllClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return rule.ID != replicasReset })
	return r.aside(ctx, asideReload, ScenarioNext, next, state.Base, own)
}
