package scenario

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Variant is a slice with its node classes, in the form one scenario needs it.
type Variant struct {
	*slice.Slice
	Spec state.Spec
	// gap is that of the reduced scale (see [scale.Reduce]), and declared the numbers before the reduction; 0 and nil
	// at the declared scale.
	gap      int
	declared *state.Spec
	further  []int        // numbers that the user gave, as declared
	alone    bool         // search the version alone though it repeats: it is compared with one that was
	rules    []rules.Rule // at this scale; nil: the checker's
	arrives  bool         // nothing of it is on base
	premise  string       // the assumption about the nodes, in words; "": that they fit every request
	probes   []*probe     // that alone are searched; nil: the scenarios, and all
}

// VariantOf gives a slice on a cluster with the given events.
func VariantOf(sl *slice.Slice, classes []state.NodeClass, apply state.Apply, events state.Events) Variant {
	v := Variant{Slice: sl, Spec: sl.Spec}
	v.Spec.Classes, v.Spec.Apply, v.Spec.Events = classes, apply, events
	return v
}

// manifests gives the variant with other manifests in place of base's and head's.
func (v Variant) manifests(pick func(state.Workload) [2]state.Manifest, applies int) Variant {
	v.Spec.Workloads = slices.Clone(v.Spec.Workloads)
	for i, w := range v.Spec.Workloads {
		v.Spec.Workloads[i].Manifests = pick(w)
	}
	v.Spec.Events.Apply = applies
	return v
}

// Change is base, with head applied once.
func (v Variant) Change() Variant {
	return v.manifests(func(w state.Workload) [2]state.Manifest { return w.Manifests }, 1)
}

// Reapply is base, with base applied once more, as in a merge without a change. Its violations were there before.
func (v Variant) Reapply() Variant {
	v = v.surrounded(state.Base)
	if v.Before != nil {
		v.Spec.Scheduler, v.Spec.Descheduler = v.Before.Scheduler, v.Before.Descheduler
		v.Spec.ClusterAutoscaler, v.Spec.Autoscaler = v.Before.ClusterAutoscaler, v.Before.Autoscaler
		v.Spec.GitOps = v.Before.GitOps
		if len(v.Before.Classes) == len(v.Spec.Classes) {
			v.Spec.Classes = slice.AsBefore(v.Spec.Classes, v.Before.Classes)
		}
	}
	if v.BaseNamespaces != nil {
		v.Spec.Namespaces = v.BaseNamespaces
	}
	return v.OnBaseNodes().manifests(func(w state.Workload) [2]state.Manifest {
		base := w.Manifests[state.Base].AsFilled()
		return [2]state.Manifest{base, base}
	}, 1)
}

// OnBaseNodes is the variant on what base's DaemonSets leave of the nodes.
func (v Variant) OnBaseNodes() Variant {
	if len(v.BaseNodes) == len(v.Spec.Classes) {
		v.Spec.Classes = slices.Clone(v.Spec.Classes)
		for i, n := range v.BaseNodes {
			if n != nil {
				v.Spec.Classes[i].Node = n
			}
		}
	}
	return v
}

// surrounded gives both versions what one of them declares beside the workloads and their
// targets: the default priority, and what decides on the creation of pods.
func (v Variant) surrounded(by state.Version) Variant {
	spec := &v.Spec
	spec.DefaultPriority = [2]string{spec.DefaultPriority[by], spec.DefaultPriority[by]}
	spec.Quotas = slices.Clone(spec.Quotas)
	for i := range spec.Quotas {
		q := &spec.Quotas[i]
		q.Queues = [2]*state.Queue{q.Queues[by], q.Queues[by]}
		q.Objects = [2]*corev1.ResourceQuota{q.Objects[by], q.Objects[by]}
		q.Others = [2]corev1.ResourceList{q.Others[by], q.Others[by]}
	}
	spec.Declared = slices.Clone(spec.Declared)
	for i := range spec.Declared {
		d := &spec.Declared[i]
		d.Differs, d.Acts = false, [2]bool{d.Acts[by], d.Acts[by]}
	}
	spec.Admission.LimitRanges = [2][]*corev1.LimitRange{spec.Admission.LimitRanges[by], spec.Admission.LimitRanges[by]}
	var refused [][2]*state.Refusal
	for _, r := range spec.Admission.Refused[by] {
		refused = append(refused, [2]*state.Refusal{r[by], r[by]})
	}
	spec.Admission.Refused = [2][][2]*state.Refusal{refused, refused}
	spec.Admission.Claims = [2][]map[int]*state.Refusal{spec.Admission.Claims[by], spec.Admission.Claims[by]}
	spec.Admission.Webhooks = slices.Clone(spec.Admission.Webhooks)
	for i := range spec.Admission.Webhooks {
		h := &spec.Admission.Webhooks[i]
		var of [][2]bool // one template, in both versions
		for _, g := range h.Guards[by] {
			of = append(of, [2]bool{g[by], g[by]})
		}
		h.Guards = [2][][2]bool{of, of}
	}
	return v
}

// only is one version alone, never applied again. A number of replicas that head leaves as base's autoscaler wrote it
// is that autoscaler's least.
func (v Variant) only(version state.Version) Variant {
	v.Spec.Declared = slices.Clone(v.Spec.Declared)
	for i := range v.Spec.Declared {
		d := &v.Spec.Declared[i]
		d.Differs, d.Acts = false, [2]bool{d.Acts[version], d.Acts[version]}
	}
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		m := w.Manifests[version]
		if left := w.LeftReplicas(); left > 0 && version == state.Head {
			m = m.WithReplicas(left)
		}
		return [2]state.Manifest{{}, m}
	}, 0)
}

// Has reports whether any workload exists in a version.
func (v Variant) Has(version state.Version) bool {
	return slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool { return w.Manifests[version].Exists() })
}

// repeats reports whether both versions are the same manifests, and the same of their pods is refused, so that
// everything that can be seen of head alone was seen before its apply.
func (v Variant) repeats() bool {
	differs := func(d state.Declared) bool { return d.Differs }
	a := &v.Spec.Admission
	return v.BaseNamespaces == nil && reflect.DeepEqual(a.Refused[state.Base], a.Refused[state.Head]) &&
		reflect.DeepEqual(a.Claims[state.Base], a.Claims[state.Head]) &&
		!slices.ContainsFunc(v.Spec.Declared, differs) &&
		!slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
			return !w.Manifests[state.Base].Same(&w.Manifests[state.Head])
		})
}

// WithObjects gives the variant with other objects of its release; false where one of its
// workloads is not among them.
func (v Variant) WithObjects(base, head []*object.Object, assumed bool) (Variant, bool) {
	sl, ok := v.Slice.With(base, head, assumed)
	if !ok {
		return v, false
	}
	like := v
	v = v.unscaled()
	v.Slice = sl
	to, from := &v.Spec, &sl.Spec
	to.Workloads, to.Namespaces, to.Quotas = from.Workloads, from.Namespaces, from.Quotas
	to.Claims, to.Admission = from.Claims, from.Admission
	to.Declared = from.Declared
	to.PriorityClasses, to.NeverPreempt, to.DefaultPriority = from.PriorityClasses, from.NeverPreempt, from.DefaultPriority
	v, err := v.again(like)
	return v, err == nil
}

// Premise words the undeclared facts of an assumed cluster that a variant uses; "": only that it is there.
func (v Variant) Premise() string { return v.premise }

// Budgets are a policy's events as the abstract cluster knows them; the apply is the
// scenario's. Events that can make no difference to the workloads of a slice are left out.
func Budgets(p *policies.Policy, workloads []state.Workload) state.Events {
	e := p.Events
	out := state.Events{
		LoadChange: e.LoadChange, IdleMemory: e.IdleMemory,
		NodeFailure: e.NodeFailure, NodeAdded: e.NodeAdded, NodeRemoved: e.NodeRemoved,
		DiskPressure: e.DiskPressure, MemoryPressure: e.MemoryPressure,
		ManagerRestart: p.Crash, StaleWrites: p.Stale,
		BadRevision: e.BadRevision, JobOverrun: e.JobOverrun, Rollback: e.Rollback, OutOfService: e.OutOfService,
		StartupSpike: e.StartupSpike, NodePanic: e.NodePanic,
	}
	if s := e.Spot; s != nil {
		out.SpotReclaim, out.SpotLost = s.Budget, !s.Replaced
	}
	if d := e.Drain; d != nil {
		out.Drain, out.DrainConcurrency, out.IgnorePDB, out.KeepsBare = d.Budget, d.Concurrent, !d.RespectPDB, !d.Force
	}
	if crashTells(p, out, workloads) {
		out.PodCrash = e.PodCrash
	}
	return out
}

// crashTells reports whether a pod that crashes can make a difference: if an actor takes pods of one of the workloads
// away without looking at readiness. Evictions look at the budget of a workload, which counts the healthy pods; a
// workload without a budget does not count here.
func crashTells(p *policies.Policy, e state.Events, workloads []state.Workload) bool {
	if p.Intents[rules.BelowFloor].MinReady > 0 || e.SpotReclaim > 0 {
		return true
	}
	evicts := p.Controllers.Descheduler != nil || p.Controllers.ClusterAutoscaler || p.RunsKarpenter()
	if e.Drain+e.NodeRemoved > 0 {
		if evicts = true; e.IgnorePDB {
			return true
		}
	}
	return evicts && slices.ContainsFunc(workloads, func(w state.Workload) bool {
		return slices.ContainsFunc(w.Manifests[:], func(m state.Manifest) bool { return m.Exists() && len(m.PDBs) == 0 })
	})
}
