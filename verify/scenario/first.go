package scenario

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A first release may be a bad one as any other: its pods run and never get ready. There are no old pods that could
// suffer, so that all there is to ask is what it blocks: the drain of a node, where a budget keeps pods that are not
// ready, and its own fix, where a StatefulSet waits for one pod after the other.

// first searches for both, for the workloads that the change adds, where the policy has bad revisions. What other
// searches have found for a workload already is not told once more.
func (r *scenarioRun) first(ctx context.Context, v Variant) error {
	had := len(r.found)
	for _, x := range []struct {
		name, scenario, rule string
		v                    Variant
		from                 state.Version
	}{
		{asideFirst, ScenarioInstall, rules.DrainBlocked, v.firstDrained(), state.Head},
		{asideMend, ScenarioNext, rolloutStuck, v.firstMended(), state.Base},
	} {
		if !slices.ContainsFunc(x.v.Spec.Workloads, func(w state.Workload) bool { return w.First }) {
			r.cov.closeAside(x.name, AllClosed)
			continue
		}
		err := r.beside(x.name, r.only(x.rule), func(own *scenarioRun) error {
			return own.installed(ctx, x.scenario, x.v, x.from)
		})
		if err != nil {
			return err
		}
	}
	known := KeysOf(r.found[:had])
	r.found = append(r.found[:had:had], slices.DeleteFunc(slices.Clone(r.found[had:]), func(x Violation) bool {
		return slices.Contains(known, x.Key())
	})...)
	return nil
}

// rolloutStuck is the rule for a rollout that never completes.
const rolloutStuck = rules.RolloutStuck

// installed searches, with events, from a version on an empty cluster.
func (r *scenarioRun) installed(ctx context.Context, name string, v Variant, from state.Version) error {
	p, err := NewProblem(&v.Spec, r.topology, r.Rules, r.Timing)
	if err != nil || len(p.bounds) == 0 {
		return err
	}
	done, err := r.apart(p, false,
		func(one *Problem) (*search.Result, error) { return r.from(ctx, one, one.Installs(from), -1) })
	if err != nil || done {
		return err
	}
	return r.explore(ctx, name, p, p.Installs(from), -1)
}

// firsts marks the workloads that the change adds of which something is asked.
func (v Variant) firsts(asked func(m *state.Manifest) bool) Variant {
	v.Spec.Workloads = slices.Clone(v.Spec.Workloads)
	for i := range v.Spec.Workloads {
		w := &v.Spec.Workloads[i]
		m := &w.Manifests[state.Head]
		w.First = v.Spec.Events.BadRevision > 0 && v.Changed[i] == string(render.Added) && m.Exists() &&
			!m.Kind().Ends() && !m.Kind().Bare() && asked(m)
	}
	return v
}

// firstDrained gives head alone, with a bad first revision and the drain of one node.
func (v Variant) firstDrained() Variant {
	drains := v.Maintained || v.Spec.Events.Drain > 0 && !v.Spec.Events.IgnorePDB
	v = v.firsts(func(m *state.Manifest) bool {
		return drains && m.Kind() != state.DaemonSet &&
			slices.ContainsFunc(m.PDBs, func(b *policyv1.PodDisruptionBudget) bool { return !keepsNoUnready(b) })
	}).only(state.Head)
	v.Spec.Events = state.Events{BadRevision: 1, Drain: 1, DrainConcurrency: 1}
	return v
}

// keepsNoUnready reports whether a budget lets go of pods that are not ready.
func keepsNoUnready(b *policyv1.PodDisruptionBudget) bool {
	p := b.Spec.UnhealthyPodEvictionPolicy
	return p != nil && *p == policyv1.AlwaysAllow
}

// firstMended gives head with a bad first revision, and the same with another template as what comes after it.
func (v Variant) firstMended() Variant {
	v = v.firsts(func(m *state.Manifest) bool {
		return m.Kind() == state.StatefulSet && m.StatefulSet.Spec.PodManagementPolicy != appsv1.ParallelPodManagement &&
			m.StatefulSet.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType
	})
	marked := slices.Clone(v.Spec.Workloads)
	v = v.next()
	for i := range v.Spec.Workloads {
		v.Spec.Workloads[i].First = marked[i].First
	}
	v.Spec.Events.BadRevision = 1
	return v
}

// FirstFailed reports whether a violation takes a first revision that never gets ready.
func (v Violation) FirstFailed() bool { return v.aside == asideFirst || v.aside == asideMend }
