package state

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// Size is what a vertical autoscaler sets the containers of a pod to, by name.
type Size map[string]corev1.ResourceRequirements

// Apply gives a template with the requests and limits of a size.
func (z Size) Apply(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	t := template.DeepCopy()
	for i := range t.Spec.Containers {
		c := &t.Spec.Containers[i]
		set, ok := z[c.Name]
		if !ok {
			continue
		}
		for _, list := range []struct {
			to   *corev1.ResourceList
			from corev1.ResourceList
		}{{&c.Resources.Requests, set.Requests}, {&c.Resources.Limits, set.Limits}} {
			if len(list.from) > 0 && *list.to == nil {
				*list.to = corev1.ResourceList{}
			}
			maps.Copy(*list.to, list.from)
		}
	}
	return t
}

// Requests are those of a size, by container.
func (z Size) Requests(pod *corev1.PodSpec) map[string]corev1.ResourceList {
	out := map[string]corev1.ResourceList{}
	for i := range pod.Containers {
		if set, ok := z[pod.Containers[i].Name]; ok {
			out[pod.Containers[i].Name] = set.Requests
		}
	}
	return out
}

// Members are the classes of the pods that class p's ReplicaSet owns, of any size, itself
// first; for a class that is no ReplicaSet, itself.
func (c *Config) Members(p int) []int {
	n := 1
	for p+n < len(c.Pods) && c.Pods[p+n].Set == p {
		n++
	}
	return c.members[p : p+n]
}

// SizeOf is the size that workload w's pods are created at, as [PodClass.Size].
func (s State) SizeOf(w int) int { return s.left(s.C.Workload[w].Sized) }

// Sized is the class of ReplicaSet p's pods of a size.
func (c *Config) Sized(p, size int) int { return p + size }

// ActiveIn, AvailableIn and ExistingIn are [State.Active], [State.AvailablePods] and
// [State.Existing] of all pods of ReplicaSet p, of any size.
func (s State) ActiveIn(p int) int {
	total := 0
	for _, q := range s.C.Members(p) {
		total += s.Active(q)
	}
	return total
}

// AvailableIn is described at [State.ActiveIn].
func (s State) AvailableIn(p int) int {
	total := 0
	for _, q := range s.C.Members(p) {
		total += s.AvailablePods(q)
	}
	return total
}

// ExistingIn is described at [State.ActiveIn].
func (s State) ExistingIn(p int) int {
	total := 0
	for _, q := range s.C.Members(p) {
		total += s.Existing(q)
	}
	return total
}
