package verify

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Unfit says why a pod of a kind may not be placed on a node; "" where it may. What volumes ask
// for is not among the reasons.
func (f *Frame) Unfit(kind, node int) string {
	pod, n := f.Kinds[kind].Pod, f.Nodes[node]
	if n.Absent {
		return "the node is not there"
	}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(n.Node); !ok || err != nil {
		return "its nodeSelector or required node affinity does not match"
	}
	for _, check := range []func(int, int) string{f.short, f.portTaken} {
		if why := check(kind, node); why != "" {
			return why
		}
	}
	if pod.Spec.NodeName != "" { // the scheduler is not asked
		return ""
	}
	for _, t := range f.taints(node) {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !f.tolerates(kind, t) {
			return fmt.Sprintf("it does not tolerate the taint %s:%s", t.Key, t.Effect)
		}
	}
	for _, check := range []func(int, int) string{f.skewed, f.repelled, f.alone} {
		if why := check(kind, node); why != "" {
			return why
		}
	}
	return ""
}

// taints are those of a node, and the one that follows its spec.unschedulable.
func (f *Frame) taints(node int) []corev1.Taint {
	spec := f.Nodes[node].Spec
	out := append([]corev1.Taint(nil), spec.Taints...)
	if spec.Unschedulable {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return out
}

// tolerates reports whether a kind tolerates a taint. The pods of a DaemonSet tolerate some that
// nobody has to write down ("DaemonSet: Taints and tolerations").
func (f *Frame) tolerates(kind int, taint corev1.Taint) bool {
	k := &f.Kinds[kind]
	if k.Workload < len(f.Workloads) && f.Workloads[k.Workload].DaemonSet != nil {
		switch taint.Key {
		case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable:
			if taint.Effect == corev1.TaintEffectNoExecute {
				return true
			}
		case corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure,
			corev1.TaintNodeUnschedulable:
			if taint.Effect == corev1.TaintEffectNoSchedule {
				return true
			}
		case corev1.TaintNodeNetworkUnavailable:
			if k.Pod.Spec.HostNetwork {
				return true
			}
		}
	}
	for _, t := range k.Pod.Spec.Tolerations {
		if t.Effect != "" && t.Effect != taint.Effect {
			continue
		}
		exists := t.Operator == corev1.TolerationOpExists
		if t.Key == "" && exists || t.Key == taint.Key && (exists || t.Value == taint.Value) {
			return true
		}
	}
	return false
}

// short says which resource a node has too little of.
func (f *Frame) short(kind, node int) string {
	n := &f.Nodes[node]
	if n.Unknown {
		return ""
	}
	used, count := n.Taken.DeepCopy(), int64(0)
	if used == nil {
		used = corev1.ResourceList{}
	}
	for k := range f.Kinds {
		here := f.of(k, node, every)
		count += int64(here)
		for name, q := range requests(f.Kinds[k].Pod) {
			sum := used[name]
			for range here {
				sum.Add(q)
			}
			used[name] = sum
		}
	}
	slots := used[corev1.ResourcePods]
	slots.Add(*resource.NewQuantity(count+1, resource.DecimalSI))
	if room := n.Status.Allocatable[corev1.ResourcePods]; slots.Cmp(room) > 0 {
		return fmt.Sprintf("%s pods where %s may run", slots.String(), room.String())
	}
	for name, q := range requests(f.Kinds[kind].Pod) {
		if q.IsZero() {
			continue
		}
		sum := used[name]
		sum.Add(q)
		if room := n.Status.Allocatable[name]; sum.Cmp(room) > 0 {
			return fmt.Sprintf("%s of %s, of which the node has %s", sum.String(), name, room.String())
		}
	}
	return ""
}

// requests are those of a pod; a container with a limit and no request asks for the limit.
func requests(pod *corev1.Pod) corev1.ResourceList {
	pod = pod.DeepCopy()
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			r := &list[i].Resources
			for name, limit := range r.Limits {
				if _, ok := r.Requests[name]; !ok {
					if r.Requests == nil {
						r.Requests = corev1.ResourceList{}
					}
					r.Requests[name] = limit
				}
			}
		}
	}
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// portTaken says which port of the node another pod has.
func (f *Frame) portTaken(kind, node int) string {
	want := hostPorts(f.Kinds[kind].Pod)
	if len(want) == 0 {
		return ""
	}
	have := append([]corev1.ContainerPort(nil), f.Nodes[node].Ports...)
	for k := range f.Kinds {
		if f.of(k, node, every) > 0 {
			have = append(have, hostPorts(f.Kinds[k].Pod)...)
		}
	}
	for _, a := range want {
		for _, b := range have {
			if a.HostPort == b.HostPort && protocol(a) == protocol(b) &&
				(address(a) == address(b) || address(a) == "0.0.0.0" || address(b) == "0.0.0.0") {
				return fmt.Sprintf("port %d of the node is taken", a.HostPort)
			}
		}
	}
	return ""
}

// hostPorts are the ports of the node that a pod asks for; with hostNetwork, all that it names.
func hostPorts(pod *corev1.Pod) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	containers := append([]corev1.Container(nil), pod.Spec.Containers...)
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			containers = append(containers, c)
		}
	}
	for _, c := range containers {
		for _, p := range c.Ports {
			if p.HostPort == 0 && pod.Spec.HostNetwork {
				p.HostPort = p.ContainerPort
			}
			if p.HostPort > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

func protocol(p corev1.ContainerPort) corev1.Protocol {
	if p.Protocol == "" {
		return corev1.ProtocolTCP
	}
	return p.Protocol
}

func address(p corev1.ContainerPort) string {
	if p.HostIP == "" {
		return "0.0.0.0"
	}
	return p.HostIP
}
