package scenario

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// maintenance searches one drain of one node, which every upgrade of a cluster brings, where
// the policy says nothing of drains: with the load as it comes, and with no failure beside
// it, so that no workload is told off for having a budget. It is searched where a drain can
// tell something; see [drainTells].
func (r *scenarioRun) maintenance(ctx context.Context, v Variant) error {
	alone := v.drained()
	if !v.Maintained || !v.Rebudgeted && !slices.ContainsFunc(alone.Spec.Workloads, drainTells) {
		r.cov.closeAside(asideDrain, AllClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.Rules),
		func(rule rules.Rule) bool { return !drainRules[rule.ID] && (rule.ID != belowFloor || !v.Rebudgeted) })
	return r.aside(ctx, asideDrain, ScenarioSteady, alone, state.Head, own)
}

// drained gives head alone, with one drain and one change of load.
func (v Variant) drained() Variant {
	alone := v.only(state.Head)
	alone.Spec.Events = state.Events{Drain: 1, DrainConcurrency: 1, LoadChange: min(v.Spec.Events.LoadChange, 1)}
	return alone
}

// drainRules are the rules that a drain on its own is judged by.
var drainRules = map[string]bool{rules.DrainBlocked: true, rules.EvictionLoop: true}

// drainTells reports whether a drain can come to no end because of a workload: a budget may
// hold its pods, or they come back to the node, as they tolerate that it takes none.
func drainTells(w state.Workload) bool {
	m := w.Manifests[state.Head]
	if !m.Exists() || m.Kind() == state.DaemonSet || m.Kind().Ends() {
		return false
	}
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return len(m.PDBs) > 0 || slices.ContainsFunc(m.Pod().Tolerations, func(t corev1.Toleration) bool {
		return (t.Key == "" || t.Key == cordon.Key) && (t.Effect == "" || t.Effect == cordon.Effect) &&
			(t.Operator == corev1.TolerationOpExists || t.Key == cordon.Key)
	})
}
