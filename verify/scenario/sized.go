package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// asideSized is the search on nodes of a size.
const asideSized = "nodes of a common size"

// Nodes come in sizes of so many CPUs, with so much memory for each of them.
var nodeCPUs = []int64{4, 8, 16, 32, 64}

const memoryPerCPU = 4 << 30 // bytes

// sized gives a variant of an assumed cluster on nodes of the smallest common size that has more than any
// one pod of head asks for, as many as there can be pods that name none. That decides where something in a
// slice goes by the size of nodes: a descheduler by their utilization, a pod that names its node, a pod
// beside DaemonSets. What only such nodes show is worth a warning that names their size. It is false where
// nothing does, or there are more pods than most.
func (v Variant) sized(most int) (Variant, bool) {
	cpus := v.commonSize()
	if cpus == 0 || len(v.sizeRules()) == 0 || slices.ContainsFunc(v.Spec.Classes, func(c state.NodeClass) bool {
		return !c.Elastic || c.Autoscaled
	}) {
		return v, false
	}
	pods := 1
	for _, w := range v.Spec.Workloads {
		if m := &w.Manifests[state.Head]; m.Exists() && m.Kind() != state.DaemonSet && m.Pod().NodeName == "" {
			n := mostReplicas(m, &v.Spec.Events)
			pods += n + m.Pace().SurgeOf(n)
		}
	}
	if pods > most {
		return v, false
	}
	_, other := asked(v.Spec.Workloads)
	v.Spec.Classes = slices.Clone(v.Spec.Classes)
	each := (pods + len(v.Spec.Classes) - 1) / len(v.Spec.Classes)
	for i := range v.Spec.Classes {
		c := &v.Spec.Classes[i]
		c.Elastic, c.Pool, c.PoolMin, c.PoolMax, c.Shape = false, "", 0, 0, ""
		if c.Max > 1 {
			c.Min, c.Max = each, each
		}
		c.Node = c.Node.DeepCopy()
		have := maps.Clone(c.Node.Status.Allocatable)
		if have == nil {
			have = corev1.ResourceList{}
		}
		for name := range other {
			have[name] = *resource.NewQuantity(plenty, resource.DecimalSI)
		}
		have[corev1.ResourceCPU] = *resource.NewQuantity(cpus, resource.DecimalSI)
		have[corev1.ResourceMemory] = *resource.NewQuantity(cpus*memoryPerCPU, resource.BinarySI)
		c.Node.Status.Allocatable = have
	}
	v.size = fmt.Sprintf("nodes have %d CPUs and %dGi of memory", cpus, cpus*memoryPerCPU>>30)
	v.Slice = v.Slice.Copy()
	v.Slice.Crowd(v.Spec.Classes)
	return v, true
}

// commonSize is the smallest number of CPUs that nodes commonly have and that, with their memory, is more than any
// pod of head asks for; 0: none is, or one asks for a device.
func (v Variant) commonSize() int64 {
	var cpu, memory int64 // in millicores and bytes
	for _, w := range v.Spec.Workloads {
		m := &w.Manifests[state.Head]
		if !m.Exists() {
			continue
		}
		pod := corev1.Pod{Spec: *m.Pod().DeepCopy()}
		objects.DefaultRequests(&pod.Spec)
		requests := objects.PodRequests(&pod)
		cpu = max(cpu, requests.Cpu().MilliValue())
		memory = max(memory, requests.Memory().Value())
	}
	if devices, _ := asked(v.Spec.Workloads); len(devices) > 0 {
		return 0
	}
	for _, n := range nodeCPUs {
		if cpu < 1000*n && memory < n*memoryPerCPU {
			return n
		}
	}
	return 0
}

// sizeRules are the rules by which the size of nodes decides for a slice.
func (v Variant) sizeRules() map[string]bool {
	out := map[string]bool{}
	if d := v.Spec.Descheduler; d != nil {
		for _, p := range d.Profiles {
			if slices.ContainsFunc(p.Balance, func(b state.DeschedulerPlugin) bool {
				return b.Name == state.LowNodeUtilization || b.Name == state.HighNodeUtilization
			}) {
				out[rules.EvictionLoop] = true
			}
		}
	}
	for _, w := range v.Spec.Workloads {
		m := &w.Manifests[state.Head]
		if m.Exists() && m.Kind() != state.DaemonSet && !m.Kind().Ends() && m.Pod().NodeName != "" {
			out[rules.CrashLoop] = true
		}
	}
	if v.Slice.BesideDaemons() {
		out[rules.Unschedulable] = true
	}
	return out
}

// onSized searches one version alone on nodes of a size, where no event happens.
func (c *Checker) onSized(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
	if v.rules != nil {
		own := *c
		own.Rules = v.rules
		c = &own
	}
	r := scenarioRun{Checker: c, topology: t}
	asked := v.sizeRules()
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return !asked[rule.ID] })
	v = v.onSizedAlone()
	err := r.beside(asideSized, own, func(other *scenarioRun) error {
		if err := other.empty(ctx, v); err != nil {
			return err
		}
		return other.settled(ctx, ScenarioSteady, v, state.Head)
	})
	return r.found, r.cov, err
}

// onSizedAlone gives head alone, without events.
func (v Variant) onSizedAlone() Variant {
	v = v.only(state.Head)
	v.Spec.Events = state.Events{}
	return v
}

// Premise words what a variant takes of an assumed cluster that nobody declared; "": nothing but that it is there.
func (v Variant) Premise() string {
	if v.devices != "" {
		return "there is no more than " + v.devices
	}
	return v.size
}
