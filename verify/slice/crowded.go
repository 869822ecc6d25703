package slice

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// crowdedBy reports whether the pods of the slice could want more of some resource than other pods leave on a node.
// Pods that do not use the resource do not even affect the scheduler's scores.
func (sl *Slice) crowdedBy(n *corev1.Node, b *state.Beside) bool {
	want := corev1.ResourceList{}
	var each []corev1.ResourceList
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		if len(w.Sizes) > 0 {
			return true
		}
		var most [2]corev1.ResourceList
		for v := range w.Manifests {
			m := &w.Manifests[v]
			if !m.Exists() {
				continue
			}
			if m.VPA != nil || sharePort(m.Pod(), b) {
				return true
			}
			n := m.MostReplicas()
			n += m.Pace().SurgeOf(n)
			most[v] = corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(int64(n), resource.DecimalSI)}
			each = append(each, requestsOf(m.Pod()))
			addTimes(most[v], requestsOf(m.Pod()), int64(n))
		}
		for _, list := range most { // pods of both versions stand side by side in a rollout
			addTimes(want, list, 1)
		}
	}
	if most := mostOn(n, each); want.Pods().Value() > most {
		want[corev1.ResourcePods] = *resource.NewQuantity(most, resource.DecimalSI)
	}
	class := state.NodeClass{Node: n, Beside: b}
	free := class.Free(state.EveryPriority)
	for name, q := range want {
		if have, ok := free[name]; ok && have.Cmp(q) < 0 && anyTakes(b, name) {
			return true
		}
	}
	return false
}

// mostOn is how many pods, each of some requests, a node can hold at most by what all of them request.
func mostOn(n *corev1.Node, each []corev1.ResourceList) int64 {
	most := int64(math.MaxInt64)
	for name, have := range n.Status.Allocatable {
		least := int64(math.MaxInt64)
		for _, list := range each {
			least = min(least, list.Name(name, resource.DecimalSI).MilliValue())
		}
		if len(each) > 0 && least > 0 {
			most = min(most, have.MilliValue()/least)
		}
	}
	return most
}

// anyTakes reports whether pods take some of a resource.
func anyTakes(b *state.Beside, name corev1.ResourceName) bool {
	return slices.ContainsFunc(b.Pods, func(p state.BesidePods) bool {
		q := p.Requests[name]
		return name == corev1.ResourcePods && p.Count > 0 || !q.IsZero()
	})
}

// sharePort reports whether a pod wants a port of the node that others hold.
func sharePort(pod *corev1.PodSpec, b *state.Beside) bool {
	for _, want := range hostPorts(pod) {
		for _, p := range b.Pods {
			if slices.ContainsFunc(p.Ports, func(have corev1.ContainerPort) bool { return have.HostPort == want.HostPort }) {
				return true
			}
		}
	}
	return false
}

func hostPorts(pod *corev1.PodSpec) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	for _, c := range slices.Concat(pod.Containers, pod.InitContainers) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// requestsOf are what a pod requests, as it is admitted.
func requestsOf(pod *corev1.PodSpec) corev1.ResourceList {
	spec := pod.DeepCopy()
	objects.DefaultRequests(spec)
	return resourcehelper.PodRequests(&corev1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{})
}

func addTimes(to, list corev1.ResourceList, n int64) {
	for name, q := range list {
		sum := to[name]
		more := q.DeepCopy()
		more.Mul(n)
		sum.Add(more)
		to[name] = sum
	}
}
