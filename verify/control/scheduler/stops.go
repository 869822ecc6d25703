package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Stops implements [state.WatchesStops]: the scheduler counts the resources of pods until they are gone, if those are
// ever short (resources of declared nodes, host ports, volumes), where they draw others near or keep them away, and
// where it preempts.
func Stops(s *state.Spec, maxPods int) bool {
	if len(s.Claims) > 0 || s.DefaultPriority[state.Base] != s.DefaultPriority[state.Head] ||
		slices.ContainsFunc(s.Classes, func(c state.NodeClass) bool { return scarce(s, &c, maxPods) }) {
		return true
	}
	var first *corev1.PodSpec
	return s.Declares(func(_ *state.Workload, m *state.Manifest) bool {
		pod := m.Pod()
		if first == nil {
			first = pod
		}
		return pod.PriorityClassName != first.PriorityClassName || holds(pod)
	})
}

// scarce reports whether the nodes of a class may ever be full.
func scarce(s *state.Spec, c *state.NodeClass, maxPods int) bool {
	return c.Node == nil || !c.Elastic || c.Node.Status.Allocatable.Pods().Value() < int64(2*len(s.Workloads)*maxPods)
}

// holds reports whether a pod keeps others away, or draws them near, while it is there.
func holds(p *corev1.PodSpec) bool {
	if a := p.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return true
	}
	for _, list := range [][]corev1.Container{p.InitContainers, p.Containers} {
		for i := range list {
			if slices.ContainsFunc(list[i].Ports,
				func(port corev1.ContainerPort) bool { return p.HostNetwork || port.HostPort != 0 }) {
				return true
			}
		}
	}
	return false
}
