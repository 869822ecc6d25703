package scheduler

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Priority is that of the pods of a template which are created while version v is
// applied. known is false where the PriorityClass is not in the spec.
func Priority(spec *state.Spec, t *corev1.PodTemplateSpec, v state.Version) (priority int32, known bool) {
	return PriorityOf(spec, &corev1.Pod{ObjectMeta: t.ObjectMeta, Spec: t.Spec}, v)
}

// Compete reports whether pods of two templates can stand in each other's way on a node: they
// request the same resource, or the same port of it.
func Compete(a, b *corev1.PodTemplateSpec) bool {
	p, q := &corev1.Pod{Spec: *a.Spec.DeepCopy()}, &corev1.Pod{Spec: *b.Spec.DeepCopy()}
	objects.DefaultRequests(&p.Spec)
	objects.DefaultRequests(&q.Spec)
	other := objects.PodRequests(q)
	for name, x := range objects.PodRequests(p) {
		if y := other[name]; !x.IsZero() && !y.IsZero() {
			return true
		}
	}
	return PortsClash(HostPorts(p), HostPorts(q))
}
