package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// backend is a Service of its own namespace that an Ingress or a route of the Gateway API leads to.
type backend struct {
	key            string // the same on both sides, whatever it names
	nameAt, portAt string // the fields that name it
	service        string
	port           intstr.IntOrString
	// target says that the controllers that read it take the port of a container for that of the Service as well.
	target bool
}

// backends lists where an object leads to, in the order of its fields; none for one of another kind.
//
// Upstream: ingress-nginx v1.13, internal/ingress/controller: serviceEndpoints (number, name or targetPort of the
// Service's port, else no endpoints); gateway-api v1.3, apis/v1: BackendObjectReference (Port is the Service's own),
// RouteReasonBackendNotFound (status 500).
func backends(o *object.Object) []backend {
	if o == nil || o.Hook {
		return nil
	}
	if i, ok := o.Typed.(*networkingv1.Ingress); ok {
		return ingressBackends(o, i)
	}
	if o.ID.Group != "gateway.networking.k8s.io" || !strings.HasSuffix(o.ID.Kind, "Route") {
		return nil
	}
	var out []backend
	rules, _ := slice.ValueAt(o.Content, "spec", "rules").([]any)
	for i, r := range rules {
		rule, _ := r.(map[string]any)
		refs, _ := rule["backendRefs"].([]any)
		for j, x := range refs {
			ref, _ := x.(map[string]any)
			kind, group, ns := word(ref["kind"]), word(ref["group"]), word(ref["namespace"])
			name := word(ref["name"])
			if name == "" || kind != "" && kind != "Service" || group != "" || ns != "" && ns != o.ID.Namespace {
				continue // that of another namespace takes a ReferenceGrant, which may stand anywhere
			}
			at := fmt.Sprintf("spec.rules[%d].backendRefs[%d].", i, j)
			b := backend{key: fmt.Sprint(rule["matches"], " ", j), nameAt: at + "name", portAt: at + "port", service: name}
			if n, ok := integer(ref["port"]); ok {
				b.port = intstr.FromInt32(n)
			}
			out = append(out, b)
		}
	}
	return out
}

func ingressBackends(o *object.Object, in *networkingv1.Ingress) []backend {
	var out []backend
	add := func(key, at string, b *networkingv1.IngressBackend) {
		if b == nil || b.Service == nil || b.Service.Name == "" || b.Service.Port.Name == "use-annotation" ||
			annotation(o, "alb.ingress.kubernetes.io/actions."+b.Service.Name) != "" {
			return // the controller reads an annotation in place of a Service
		}
		one := backend{key: key, nameAt: at + ".service.name", portAt: at + ".service.port.number",
			service: b.Service.Name, port: intstr.FromInt32(b.Service.Port.Number), target: true}
		if name := b.Service.Port.Name; name != "" {
			one.portAt, one.port = at+".service.port.name", intstr.FromString(name)
		}
		out = append(out, one)
	}
	add("default", "spec.defaultBackend", in.Spec.DefaultBackend)
	for i, r := range in.Spec.Rules {
		if r.HTTP == nil {
			continue
		}
		for j, p := range r.HTTP.Paths {
			add(r.Host+" "+p.Path, fmt.Sprintf("spec.rules[%d].http.paths[%d].backend", i, j), &p.Backend)
		}
	}
	return out
}

// word is a value that is a text.
func word(v any) string {
	s, _ := v.(string)
	return s
}

// integer is a value that is a number of a port.
func integer(v any) (int32, bool) {
	switch n := v.(type) {
	case int64:
		return int32(n), true
	case float64:
		return int32(n), true
	case int:
		return int32(n), true
	}
	return 0, false
}

// services are the Services of a name that an object of the same namespace can mean.
func (x *aimIndex) services(o *object.Object, name string) []*object.Object {
	var out []*object.Object
	for _, i := range x.named[[3]string{o.ID.Namespace, "Service", name}] {
		if t := x.objects[i]; t.ID.Group == "" && !t.Hook && !instead(t.Release, o.Release) {
			out = append(out, t)
		}
	}
	return out
}

// lacks says what of a backend is not there, and the Service that has not its port.
func (x *aimIndex) lacks(o *object.Object, b backend) (lacking, *object.Object) {
	list := x.services(o, b.service)
	if len(list) == 0 {
		return lacksObject, nil
	}
	for _, t := range list {
		s, ok := t.Typed.(*corev1.Service)
		if !ok || s.Spec.Type == corev1.ServiceTypeExternalName || len(s.Spec.Ports) == 0 || t.Release != o.Release ||
			b.port == (intstr.IntOrString{}) || slices.ContainsFunc(s.Spec.Ports, b.takes) {
			return lacksNothing, nil
		}
	}
	return lacksKey, list[0]
}

// takes reports whether a backend's port is one of a Service.
func (b backend) takes(p corev1.ServicePort) bool {
	if b.port.Type == intstr.String && p.Name == b.port.StrVal || b.port.Type == intstr.Int && p.Port == b.port.IntVal {
		return true
	}
	return b.target && (p.TargetPort == b.port || b.port.Type == intstr.String && b.port.StrVal == fmt.Sprint(p.Port))
}
