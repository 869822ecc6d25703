package static

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// backends are the Services of a route's own namespace to which it leads, each named by a separate field. One of
// another namespace may need a grant, which may be anywhere.
func backends(o *object.Object) []traffic.Backend {
	return slices.DeleteFunc(traffic.Backends(o),
		func(b traffic.Backend) bool { return b.Namespace != o.ID.Namespace || !b.Plain })
}

// services are the Services of a name that an object of the same namespace can mean.
func (x *aimIndex) services(o *object.Object, name string) []*object.Object {
	var out []*object.Object
	for _, i := range x.named[[3]string{o.ID.Namespace, "Service", name}] {
		if t := x.objects[i]; t.ID.Group == "" && !t.Hook && !x.apart(t, o) {
			out = append(out, t)
		}
	}
	return out
}

// lacks says what of a backend is not there, and the Service that has not its port.
func (x *aimIndex) lacks(o *object.Object, b traffic.Backend) (lacking, *object.Object) {
	list := x.services(o, b.Service)
	if len(list) == 0 {
		return lacksObject, nil
	}
	for _, t := range list {
		s, ok := t.Typed.(*corev1.Service)
		if !ok || s.Spec.Type == corev1.ServiceTypeExternalName || len(s.Spec.Ports) == 0 || !x.joins(t, o) ||
			b.Port == (intstr.IntOrString{}) || slices.ContainsFunc(s.Spec.Ports, b.Takes) {
			return lacksNothing, nil
		}
	}
	return lacksKey, list[0]
}
