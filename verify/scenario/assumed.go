package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Where no cluster was declared, one is assumed whose nodes fit every request. Workloads that depend on that are
// searched on three others as well: with few nodes, with few devices, and with nodes of a common size. A finding that
// only these show is a warning that names them.

// fewNodes lists the clusters that are smaller than the assumed one, where something in a slice hangs on there being
// one node more: a port of the node, required anti-affinity. The number of nodes is not declared, so a finding that
// only such a cluster shows is a warning that names its size. Only the probes and the rollout of the change are
// searched there, from where every pod has a node: that an assumed cluster is too small for the declared pods is not
// reported.
func (c *Checker) fewNodes(v Variant) []scale.Topology {
	classes := v.Spec.Classes
	if !c.Policy.Cluster.Assumed || !v.wantsNodes() {
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

// otherNodes gives a variant, where no cluster was declared, on the other nodes that something in it hangs on.
func (p Plan) otherNodes(v Variant) (out []Variant) {
	if !p.assumed {
		return nil
	}
	if few, ok := v.fewDevices(); ok {
		out = append(out, few)
	}
	if sized, ok := v.commonNodes(p.nodes); ok {
		out = append(out, sized)
	}
	return out
}

// wantsNodes reports whether some pod needs a separate node, or one more.
func (v Variant) wantsNodes() bool {
	return slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		m := w.Manifests[state.Head]
		if !m.Exists() || m.Kind() == state.DaemonSet || m.Kind().Ends() {
			return false
		}
		pod := m.Pod()
		if pod.HostNetwork || len(scheduler.HostPorts(&corev1.Pod{Spec: *pod})) > 0 {
			return true
		}
		return kube.RepelsHard(pod)
	})
}

// plenty is a node's amount of every resource that is not scarce, small enough for the scheduler's scores.
const plenty = 1 << 45

// fewDevices gives a variant of an assumed cluster on one node that has of each device, such as a GPU, as many as the
// pods of head ask for when nothing is rolled out, and enough of everything else. Devices are bought one by one and are
// not overcommitted, so that a rollout which needs one more is worth a warning that names the number. It is false where
// no pod asks for one.
func (v Variant) fewDevices() (Variant, bool) {
	devices, other := asked(v.Spec.Workloads)
	if len(devices) == 0 || len(v.Spec.Classes) == 0 {
		return v, false
	}
	c := v.Spec.Classes[0]
	c.Elastic, c.Min, c.Max, c.Pool, c.PoolMin, c.PoolMax = false, 1, 1, "", 0, 0
	c.Node = c.Node.DeepCopy()
	if c.Node.Status.Allocatable == nil {
		c.Node.Status.Allocatable = corev1.ResourceList{}
	}
	for name := range other {
		c.Node.Status.Allocatable[name] = *resource.NewQuantity(plenty, resource.DecimalSI)
	}
	maps.Copy(c.Node.Status.Allocatable, devices)
	v.Spec.Classes = []state.NodeClass{c}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(devices)) {
		q := devices[name]
		words = append(words, fmt.Sprintf("%d %s", q.Value(), name))
	}
	v.premise = "there is no more than " + strings.Join(words, " and ")
	return v, true
}

// asked sums the devices that the pods of head ask for when nothing is rolled out, and names all else that
// those of any version do.
func asked(workloads []state.Workload) (devices corev1.ResourceList, other map[corev1.ResourceName]bool) {
	devices, other = corev1.ResourceList{}, map[corev1.ResourceName]bool{}
	for _, w := range workloads {
		for version := range w.Manifests {
			m := &w.Manifests[version]
			if !m.Exists() {
				continue
			}
			pod := corev1.Pod{Spec: *m.Pod().DeepCopy()}
			objects.DefaultRequests(&pod.Spec)
			for name, each := range objects.PodRequests(&pod) {
				if !scheduler.IsExtended(name) {
					other[name] = true
				} else if state.Version(version) == state.Head && !m.Kind().Ends() {
					sum := devices[name]
					sum.Add(*resource.NewQuantity(each.Value()*int64(standing(m)), resource.DecimalSI))
					devices[name] = sum
				}
			}
		}
	}
	maps.DeleteFunc(devices, func(_ corev1.ResourceName, q resource.Quantity) bool { return q.IsZero() })
	return devices, other
}

// standing is the number of pods that a manifest has on one node when nothing is rolled out.
func standing(m *state.Manifest) int {
	if m.Kind() == state.DaemonSet {
		return 1
	}
	return m.Replicas()
}

// Nodes come in sizes of so many CPUs, with so much memory for each of them.
var nodeCPUs = []int64{4, 8, 16, 32, 64}

const memoryPerCPU = 4 << 30 // bytes

// commonNodes gives a variant of an assumed cluster on nodes of the smallest common size that has more than any
// one pod of head asks for, as many as there can be pods that name none. That decides where something in a
// slice goes by the size of nodes: a descheduler by their utilization, a pod that names its node, a pod
// beside DaemonSets. What only such nodes show is worth a warning that names their size. It is false where
// nothing does, or there are more pods than most.
func (v Variant) commonNodes(most int) (Variant, bool) {
	cpus := v.commonSize()
	if cpus == 0 || v.askedOfSizes() == 0 || slices.ContainsFunc(v.Spec.Classes, func(c state.NodeClass) bool {
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
	v.premise = fmt.Sprintf("nodes have %d CPUs and %dGi of memory", cpus, cpus*memoryPerCPU>>30)
	v.probes = []*probe{commonNodes}
	v.Slice = v.Slice.Copy()
	v.Slice.Crowd(v.Spec.Classes)
	return v, true
}

// commonSize is the smallest number of CPUs that nodes commonly have and that, with their memory, is more than any pod
// of head asks for; 0: there is none, or a pod asks for a device.
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

// askedOfSizes are the facets of the rules by which the size of nodes decides for a slice.
func (v Variant) askedOfSizes() (out rules.Facets) {
	if d := v.Spec.Descheduler; d != nil {
		for _, p := range d.Profiles {
			if slices.ContainsFunc(p.Balance, func(b state.DeschedulerPlugin) bool {
				return b.Name == state.LowNodeUtilization || b.Name == state.HighNodeUtilization
			}) {
				out |= rules.Evicted
			}
		}
	}
	for _, w := range v.Spec.Workloads {
		m := &w.Manifests[state.Head]
		if m.Exists() && m.Kind() != state.DaemonSet && !m.Kind().Ends() && m.Pod().NodeName != "" {
			out |= rules.NodesGoDown
		}
	}
	if v.Slice.BesideDaemons() {
		out |= rules.Unplaced
	}
	return out
}

// onCommonNodes gives head alone, without events.
func (v Variant) onCommonNodes() (Variant, rules.Facets) {
	asked := v.askedOfSizes()
	v = v.only(state.Head)
	v.Spec.Events = state.Events{}
	return v, asked
}
