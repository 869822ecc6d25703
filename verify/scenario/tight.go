package scenario

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// tight lists the clusters that are smaller than the assumed one, where something in a slice hangs on there
// being a node to spare: a port of the node, required anti-affinity. How many nodes there are nobody said, so
// what only such a cluster shows is a warning that names its size. Only what stands aside and the rollout of
// the change are searched there, from where every pod has a node: that a cluster is too small for what is
// declared is told of none that was assumed.
func (c *Checker) tight(v Variant) []scale.Topology {
	classes := v.Spec.Classes
	if !c.Policy.Cluster.Assumed || !v.wantsRoom() {
		return nil
	}
	if slices.ContainsFunc(classes,
		func(c state.NodeClass) bool { return !c.Elastic || len(c.Names) > 0 || c.Autoscaled }) {
		return nil
	}
	var out []scale.Topology
	for n := 1; n < scale.Least(classes).Total() && n < len(classes); n++ {
		t := make(scale.Topology, len(classes))
		for i := range n {
			t[i] = 1
		}
		out = append(out, t)
	}
	return out
}

// wantsRoom reports whether a node of its own, or one more, is what some pod needs.
func (v Variant) wantsRoom() bool {
	return slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		m := w.Manifests[state.Head]
		if !m.Exists() || m.Kind() == state.DaemonSet || m.Kind().Ends() {
			return false
		}
		pod := m.Pod()
		if pod.HostNetwork || len(scheduler.HostPorts(&corev1.Pod{Spec: *pod})) > 0 {
			return true
		}
		return pod.Affinity != nil && pod.Affinity.PodAntiAffinity != nil &&
			len(pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
	})
}

// asides searches a variant at a topology for what stands aside alone.
func (c *Checker) asides(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
	if v.rules != nil {
		own := *c
		own.Rules = v.rules
		c = &own
	}
	r := scenarioRun{Checker: c, topology: t}
	err := r.asides(ctx, v)
	if err == nil {
		err = r.tightly(ctx, v)
	}
	return r.found, r.cov, err
}

// tightly searches the rollout that the change itself is, with no event beside it, where head has a node for every
// pod once it is there.
func (r *scenarioRun) tightly(ctx context.Context, v Variant) error {
	v.Spec.Events = state.Events{Apply: v.Spec.Events.Apply}
	if !v.Has(state.Base) || v.repeats() {
		r.cov.closeAside(asideChange, AllClosed)
		return nil
	}
	p, err := NewProblem(&v.Spec, r.topology, nil, r.Timing)
	if err != nil {
		return err
	}
	rests, results, err := p.Settle(ctx, state.Head, r.Budget)
	if err != nil {
		return err
	}
	r.cov.addAll(results)
	if len(rests) == 0 ||
		slices.ContainsFunc(rests, func(b []byte) bool { return lacking(state.State{C: p.Cfg, B: b}) }) {
		r.cov.closeAside(asideChange, AllClosed)
		return nil
	}
	return r.aside(ctx, asideChange, ScenarioChange, v, state.Base, r.only(rolloutStuck))
}

// Deadlocks reports whether a violation is one that nobody gets out of on a cluster of its
// size, from where every pod had a node: a rollout, or a pod that does not come back.
func (v Violation) Deadlocks() bool {
	return v.Inevitable && (v.aside != "" || v.Bound.Rule.ID == rules.RolloutStuck)
}

// Retakes reports whether a violation is the next apply taking back what an autoscaler owns.
func (v Violation) Retakes() bool { return v.aside == asideReload }

// OnAssumed names the claim that a violation's pods wait for where it is not among the objects, so
// that how many nodes can use its volume is assumed; nil: there is none.
func (v Violation) OnAssumed() *state.Claim {
	s := state.State{C: v.Problem.Cfg, B: v.last()}
	for _, p := range s.C.ClassesOf[v.Bound.Workload] {
		if s.Waiting(p) == 0 {
			continue
		}
		for _, k := range s.C.Uses[p] {
			if c := &s.C.Spec.Claims[k]; c.Assumed {
				return c
			}
		}
	}
	return nil
}
