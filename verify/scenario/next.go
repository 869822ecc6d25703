package scenario

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ScenarioNext is the rollout after the change: once that has come to rest, a new image
// comes for every workload that it touches, and nothing else happens. A deadlock that the
// change plants and does not trip over itself is told by the change.
const ScenarioNext = "next"

// next gives the variant with head as what runs, and head with other pods as what comes.
// Events stay away, and there is room: what is asked is whether rules, volumes, ports, quotas and
// devices let the rollout come to its end. Whether the CPU and memory of its pods fit beside the old
// ones changes with what else stands on the nodes, and is asked of each change as it comes.
func (v Variant) next() Variant {
	touched := v.Changed
	v = v.surrounded(state.Head)
	v.Spec.Events = state.Events{Next: true}
	if v.devices == "" {
		v.Spec.Classes = ample(v.Spec)
	}
	at := -1
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		at++
		now := w.Manifests[state.Head]
		if _, ok := touched[at]; !ok || !now.Exists() || now.Kind().Ends() || now.Kind().Bare() {
			return [2]state.Manifest{now, now}
		}
		return [2]state.Manifest{now, rolledOut(now)}
	}, 1)
}

// ample gives the nodes of a cluster with room for whatever is asked for, but no devices that were not declared.
func ample(spec state.Spec) []state.NodeClass {
	out := slices.Clone(spec.Classes)
	devices, other := asked(spec.Workloads)
	for i := range out {
		c := &out[i]
		if c.Elastic || len(devices) == 0 {
			c.Elastic = true
			continue
		}
		c.Node = c.Node.DeepCopy()
		c.Node.Status.Allocatable = maps.Clone(c.Node.Status.Allocatable)
		for name := range other {
			c.Node.Status.Allocatable[name] = *resource.NewQuantity(plenty, resource.DecimalSI)
		}
	}
	return out
}

// rolledOut is a manifest with a pod template that differs in nothing that a loop looks at.
func rolledOut(m state.Manifest) state.Manifest {
	m.OwnObject()
	t := m.Template()
	t.Annotations = maps.Clone(t.Annotations)
	if t.Annotations == nil {
		t.Annotations = map[string]string{}
	}
	t.Annotations[restarted] = "next"
	return m
}

// next searches the rollout after the change.
func (r *scenarioRun) next(ctx context.Context, v Variant) error {
	v = v.next()
	if v.repeats() { // nothing of it is rolled out
		r.cov.closeAside(asideNext, AllClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool {
		return rule.Class != rules.Lifecycle || rule.Static || rule.ID == rules.CannotRevert
	})
	return r.aside(ctx, asideNext, ScenarioNext, v, state.Base, own)
}

// lacking reports whether some pod has no node, or waits for a volume, or was never created: what
// does not run is told by other rules, and cannot be rolled out either.
func lacking(s state.State) bool {
	for w := range s.C.Spec.Workloads {
		active := 0
		for _, p := range s.C.ClassesOf[w] {
			active += s.Active(p)
		}
		if k := s.C.Spec.Workloads[w].Kind(); k != state.DaemonSet && !k.Ends() && active < s.Replicas(w) {
			return true
		}
	}
	return pendingAnywhere(s)
}

// pendingAnywhere reports whether some pod has no node, or waits for a volume.
func pendingAnywhere(s state.State) bool {
	for p := range s.C.Pods {
		if s.Pending(p) > 0 || s.Waiting(p) > 0 {
			return true
		}
	}
	return false
}
