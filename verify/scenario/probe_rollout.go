package scenario

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ScenarioNext is the rollout after the change: once that has come to rest, a new image comes for every workload that
// it touches, and nothing else happens. A deadlock that the change plants, without meeting it itself, is reported with
// the change.
const ScenarioNext = "next"

// ofRollouts are the facets that a rollout is searched for.
const ofRollouts = rules.MidRollout | rules.Unplaced | rules.Unreplaced | rules.Displaced | rules.Undrained

// next gives the variant that runs head and changes to head with other pods. There are no events, and there is room:
// the question is whether rules, volumes, ports, quotas and devices let the rollout come to its end. Whether the CPU
// and memory of its pods fit together with those that they replace depends on the other pods of the nodes, and is
// searched for each change as it comes.
func (v Variant) next() Variant {
	touched, admitted := v.Changed, v.Spec.Quotas
	v = v.surrounded(state.Head)
	for i := range v.Spec.Quotas { // running pods were let in before the change
		q := &v.Spec.Quotas[i]
		q.Objects[state.Base] = looser(admitted[i].Objects)
	}
	v.Spec.Events = state.Events{Next: true}
	if v.premise == "" {
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

// looser is the quota that lets in everything that either version lets in; nil: one of them limits nothing.
func looser(of [2]*corev1.ResourceQuota) *corev1.ResourceQuota {
	base, head := of[state.Base], of[state.Head]
	if base == nil || head == nil {
		return nil
	}
	out := head.DeepCopy()
	for name, q := range out.Spec.Hard {
		was, ok := base.Spec.Hard[name]
		switch {
		case !ok:
			delete(out.Spec.Hard, name)
		case was.Cmp(q) > 0:
			out.Spec.Hard[name] = was
		}
	}
	return out
}

// ample gives the nodes of a cluster with room for every request, but without undeclared devices.
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

// nextRollout gives the variant of the next rollout, if anything of it is rolled out.
func (v Variant) nextRollout() (Variant, rules.Facets) {
	v = v.next()
	if v.repeats() {
		return v, 0
	}
	return v, all
}

// rollout gives the change with no event beside it.
func (v Variant) rollout() (Variant, rules.Facets) {
	v = v.Change()
	v.Spec.Events = state.Events{Apply: v.Spec.Events.Apply}
	if !v.Has(state.Base) || v.repeats() {
		return v, 0
	}
	return v, all
}

// reloaded gives the variant of the next rollout, with one change of load. A manifest that declares the number of
// replicas beside an autoscaler hands it over when it is applied first, and takes it back with every apply from then
// on.
func (v Variant) reloaded() (Variant, rules.Facets) {
	load := min(v.Spec.Events.LoadChange, 1)
	v = v.next()
	v.Spec.Events.LoadChange = load
	owned := slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		m := w.Manifests[state.Head]
		return m.Exists() && m.HPA != nil && m.DeclaresReplicas
	})
	if !owned || load == 0 || v.repeats() {
		return v, 0
	}
	return v, all
}

// failed gives the variant of the next rollout, whose pods never get ready, with one drain. A failure that the policy
// does not speak of is asked about where the change itself takes a guard against it away (see [slice.Dropped]): to have
// none is how most workloads are, to remove it is a decision. So are a Job that does not end, and memory that stays.
func (v Variant) failed() (Variant, rules.Facets) {
	e, dropped := v.Spec.Events, v.Dropped.Unhealthy
	declared := v.Maintained || e.BadRevision > 0 && e.Drain > 0 && !e.IgnorePDB
	v = v.next()
	v.Spec.Events.BadRevision, v.Spec.Events.Drain, v.Spec.Events.DrainConcurrency = 1, 1, 1
	if !dropped || !declared {
		return v, 0
	}
	return v, all
}

// A first release may be a bad one like any other: its pods run and never get ready. There are no old pods that could
// suffer, so that all there is to ask is what it blocks: the drain of a node, where a budget keeps pods that are not
// ready, and its own fix, where a StatefulSet waits for one pod after the other. It is asked of the workloads that the
// change adds, where the policy has bad revisions.

// firsts marks the workloads that the change adds of which something is asked, and reports whether there are any.
func (v Variant) firsts(asked func(m *state.Manifest) bool) (marked Variant, some bool) {
	v.Spec.Workloads = slices.Clone(v.Spec.Workloads)
	for i := range v.Spec.Workloads {
		w := &v.Spec.Workloads[i]
		m := &w.Manifests[state.Head]
		w.First = v.Spec.Events.BadRevision > 0 && v.Changed[i] == string(object.Added) && m.Exists() &&
			!m.Kind().Ends() && !m.Kind().Bare() && asked(m)
		some = some || w.First
	}
	return v, some
}

// firstDrained gives head alone, with a bad first revision and the drain of one node.
func (v Variant) firstDrained() (Variant, rules.Facets) {
	drains := v.Maintained || v.Spec.Events.Drain > 0 && !v.Spec.Events.IgnorePDB
	v, some := v.firsts(func(m *state.Manifest) bool {
		return drains && m.Kind() != state.DaemonSet &&
			slices.ContainsFunc(m.PDBs, func(b *policyv1.PodDisruptionBudget) bool { return !keepsNoUnready(b) })
	})
	v = v.only(state.Head)
	v.Spec.Events = state.Events{BadRevision: 1, Drain: 1, DrainConcurrency: 1}
	if !some {
		return v, 0
	}
	return v, all
}

// keepsNoUnready reports whether a budget lets go of pods that are not ready.
func keepsNoUnready(b *policyv1.PodDisruptionBudget) bool {
	p := b.Spec.UnhealthyPodEvictionPolicy
	return p != nil && *p == policyv1.AlwaysAllow
}

// firstFixed gives head with a bad first revision, and the same with another template as the next revision.
func (v Variant) firstFixed() (Variant, rules.Facets) {
	v, some := v.firsts(func(m *state.Manifest) bool {
		return m.Kind() == state.StatefulSet && m.StatefulSet.Spec.PodManagementPolicy != appsv1.ParallelPodManagement &&
			m.StatefulSet.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType
	})
	marked := slices.Clone(v.Spec.Workloads)
	v = v.next()
	for i := range v.Spec.Workloads {
		v.Spec.Workloads[i].First = marked[i].First
	}
	v.Spec.Events.BadRevision = 1
	if !some {
		return v, 0
	}
	return v, all
}
