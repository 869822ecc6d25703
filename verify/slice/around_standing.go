package slice

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// standing are like pods of one workload on one node.
type standing struct {
	release, id string
	priority    int32
	pod         *corev1.Pod
	count       int
	share       float64 // of a node that one pod requests; see shareOf
	use         *use    // of one pod
}

// use is what a pod takes of a node.
type use struct {
	requests corev1.ResourceList
	scored   [2]int64
	ports    []corev1.ContainerPort
	key      string // see podKey
}

func standingOf(release, id string, pod *corev1.Pod, count int) standing {
	return standing{release: release, id: id, pod: pod, count: count, use: &use{requests: requestsOf(&pod.Spec),
		scored: scheduler.ScoredRequests(pod), ports: hostPorts(&pod.Spec), key: podKey(&pod.Spec)}}
}

// besideOn sums up the pods on a node, except for some of them, by rising priority.
func besideOn(list []standing, but func(standing) bool) *state.Beside {
	out := &state.Beside{}
	for _, s := range list {
		if but(s) {
			continue
		}
		i, found := slices.BinarySearchFunc(out.Pods, s.priority,
			func(p state.BesidePods, priority int32) int { return cmp.Compare(p.Priority, priority) })
		if !found {
			out.Pods = slices.Insert(out.Pods, i, state.BesidePods{Priority: s.priority, Requests: corev1.ResourceList{}})
		}
		to := &out.Pods[i]
		to.Count += s.count
		addTimes(to.Requests, s.use.requests, int64(s.count))
		for d := range s.use.scored {
			to.Scored[d] += int64(s.count) * s.use.scored[d]
		}
		to.Ports = append(to.Ports, s.use.ports...)
	}
	return out
}
