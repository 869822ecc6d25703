package traffic

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

// Backend is a Service that a route leads to.
type Backend struct {
	Key            string // the same on both sides, whatever it names
	Rule           string // those of one rule share its requests
	NameAt, PortAt string // the fields that name it
	Namespace      string
	Service        string
	Port           intstr.IntOrString // zero: the route does not say
	// Target says that the controllers that read it take the port of a container for that of the Service as well.
	Target bool
	OfPods bool // its number is that of a port of the pods, whatever the Service calls it
	Plain  bool // the field that names it holds the name alone
	// Protocol is that in which the route's requests come.
	Protocol   corev1.Protocol
	Weightless bool   // as all that its rule leads to: it gets no requests
	Subset     string // of a DestinationRule; "": all pods of the Service
}

// Takes reports whether a backend's port is one of a Service.
func (b Backend) Takes(p corev1.ServicePort) bool {
	return (takes(p, b.Port, b.Target) || b.OfPods && byName(p, b.Port)) && b.Protocol == protocolOf(p.Protocol)
}

func takes(p corev1.ServicePort, port intstr.IntOrString, target bool) bool {
	if port == (intstr.IntOrString{}) || port.Type == intstr.String && p.Name == port.StrVal ||
		port.Type == intstr.Int && p.Port == port.IntVal {
		return true
	}
	return target && (p.TargetPort == port || port.Type == intstr.String && port.StrVal == fmt.Sprint(p.Port))
}

// byName reports whether a port of a Service leads to one of pods by its name, which may have a number.
func byName(p corev1.ServicePort, port intstr.IntOrString) bool {
	return port.Type == intstr.Int && p.TargetPort.Type == intstr.String
}

// Backends lists where an object leads to, in the order of its fields; none for one of another kind.
//
// Upstream: ingress-nginx v1.13, internal/ingress/controller: serviceEndpoints (number, name or targetPort of the
// Service's port, else no endpoints); gateway-api v1.3, apis/v1: BackendObjectReference (Port is the Service's own),
// RouteReasonBackendNotFound (status 500); traefik v3.5, pkg/provider/kubernetes/crd: getServicePort (name or number);
// istio v1.27, networking/v1: Destination; openshift/api, route/v1: RoutePort (name or number of the endpoints' port).
func Backends(o *object.Object) []Backend {
	if o == nil || o.Hook {
		return nil
	}
	out := backends(o)
	for i := range out {
		if out[i].Protocol = corev1.ProtocolTCP; o.ID.Kind == "UDPRoute" || o.ID.Kind == "IngressRouteUDP" {
			out[i].Protocol = corev1.ProtocolUDP
		}
	}
	alive := map[string]bool{} // rules that lead somewhere
	for _, b := range out {
		alive[b.Rule] = alive[b.Rule] || !b.Weightless
	}
	return slices.DeleteFunc(out, func(b Backend) bool { return b.Weightless && alive[b.Rule] })
}

func backends(o *object.Object) []Backend {
	if i, ok := o.Typed.(*networkingv1.Ingress); ok {
		return ingressBackends(o, i)
	}
	switch g, k := o.ID.Group, o.ID.Kind; {
	case g == "gateway.networking.k8s.io" && strings.HasSuffix(k, "Route"):
		return gatewayBackends(o)
	case (g == "traefik.io" || g == "traefik.containo.us") && strings.HasPrefix(k, "IngressRoute"):
		return traefikBackends(o)
	case g == "networking.istio.io" && k == "VirtualService":
		return istioBackends(o)
	case g == "route.openshift.io" && k == "Route":
		return openShiftBackends(o)
	}
	return nil
}

// IsRoute reports whether an object is of a kind whose backends are read.
func IsRoute(id object.ID) bool {
	switch id.Group {
	case "networking.k8s.io", "extensions":
		return id.Kind == "Ingress"
	case "gateway.networking.k8s.io":
		return strings.HasSuffix(id.Kind, "Route")
	case "traefik.io", "traefik.containo.us":
		return strings.HasPrefix(id.Kind, "IngressRoute")
	case "networking.istio.io":
		return id.Kind == "VirtualService"
	case "route.openshift.io":
		return id.Kind == "Route"
	}
	return false
}

func ingressBackends(o *object.Object, in *networkingv1.Ingress) []Backend {
	var out []Backend
	notes, _ := field(o.Content, "metadata", "annotations").(map[string]any)
	add := func(key, at string, b *networkingv1.IngressBackend) {
		if b == nil || b.Service == nil || b.Service.Name == "" || b.Service.Port.Name == "use-annotation" ||
			notes["alb.ingress.kubernetes.io/actions."+b.Service.Name] != nil {
			return // the controller reads an annotation in place of a Service
		}
		one := Backend{Key: key, Rule: key, NameAt: at + ".service.name", PortAt: at + ".service.port.number",
			Namespace: o.ID.Namespace,
			Service:   b.Service.Name, Port: intstr.FromInt32(b.Service.Port.Number), Target: true, Plain: true}
		if name := b.Service.Port.Name; name != "" {
			one.PortAt, one.Port = at+".service.port.name", intstr.FromString(name)
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

func gatewayBackends(o *object.Object) []Backend {
	var out []Backend
	for i, rule := range listed(o.Content, "spec", "rules") {
		for j, ref := range listed(rule, "backendRefs") {
			if kind := text(ref["kind"]); kind != "" && kind != "Service" || text(ref["group"]) != "" ||
				text(ref["name"]) == "" {
				continue
			}
			out = append(out, backend(o, fmt.Sprint(rule["matches"]), fmt.Sprintf("spec.rules[%d].backendRefs[%d].", i,
				j), ref, j)...)
		}
	}
	return out
}

// backend reads the reference with fields name, namespace and port that comes at a place in a rule.
func backend(o *object.Object, rule, at string, ref map[string]any, place int) []Backend {
	b := Backend{Weightless: weightless(ref), Key: fmt.Sprint(rule, " ", place), Rule: rule, NameAt: at + "name",
		PortAt: at + "port", Namespace: o.ID.Namespace, Service: text(ref["name"]), Port: portIn(ref["port"]), Plain: true}
	if ns := text(ref["namespace"]); ns != "" {
		b.Namespace = ns
	}
	return []Backend{b}
}

// weightless reports whether a reference has a weight of nothing.
func weightless(ref map[string]any) bool {
	w, given := ref["weight"]
	return given && fmt.Sprint(w) == "0"
}

func traefikBackends(o *object.Object) []Backend {
	var out []Backend
	for i, route := range listed(o.Content, "spec", "routes") {
		for j, ref := range listed(route, "services") {
			if kind := text(ref["kind"]); kind != "" && kind != "Service" || strings.Contains(text(ref["name"]), "@") {
				continue
			}
			out = append(out, backend(o, fmt.Sprint(route["match"]),
				fmt.Sprintf("spec.routes[%d].services[%d].", i, j), ref, j)...)
		}
	}
	return out
}

func istioBackends(o *object.Object) []Backend {
	var out []Backend
	for _, kind := range []string{"http", "tls", "tcp"} {
		for i, rule := range listed(o.Content, "spec", kind) {
			for j, route := range listed(rule, "route") {
				to, _ := route["destination"].(map[string]any)
				ns, name := inCluster(text(to["host"]), o.ID.Namespace)
				if name == "" {
					continue
				}
				at := fmt.Sprintf("spec.%s[%d].route[%d].destination.", kind, i, j)
				out = append(out, Backend{Weightless: weightless(route), Key: fmt.Sprint(kind, rule["match"], " ", j),
					Rule: fmt.Sprint(kind, rule["match"]), NameAt: at + "host",
					PortAt: at + "port.number", Namespace: ns, Service: name, Port: portIn(field(to, "port", "number")),
					Plain: name == text(to["host"]), Subset: text(to["subset"])})
			}
		}
	}
	return out
}

// inCluster is the Service that a host name of the cluster is of; "": it is a name from elsewhere.
func inCluster(host, namespace string) (ns, name string) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(host, "."), ".cluster.local"), ".")
	switch {
	case len(parts) == 1 && !strings.Contains(host, "*"):
		return namespace, parts[0]
	case len(parts) == 2, len(parts) == 3 && parts[2] == "svc":
		return parts[1], parts[0]
	}
	return "", ""
}

func openShiftBackends(o *object.Object) []Backend {
	port := portIn(field(o.Content, "spec", "port", "targetPort"))
	var out []Backend
	add := func(key, at string, ref map[string]any) {
		if kind := text(ref["kind"]); kind != "" && kind != "Service" || text(ref["name"]) == "" {
			return
		}
		out = append(out, Backend{Weightless: weightless(ref), Key: key, Rule: "to", NameAt: at + "name",
			PortAt: "spec.port.targetPort", Namespace: o.ID.Namespace,
			Service: text(ref["name"]), Port: port, Target: true, OfPods: true, Plain: true})
	}
	to, _ := field(o.Content, "spec", "to").(map[string]any)
	add("to", "spec.to.", to)
	for i, ref := range listed(o.Content, "spec", "alternateBackends") {
		add(fmt.Sprint("alternate ", i), fmt.Sprintf("spec.alternateBackends[%d].", i), ref)
	}
	return out
}

// field is a value deep in an object; nil: it is not there.
func field(m map[string]any, path ...string) any {
	var v any = m
	for _, k := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// listed are the maps in a list deep in an object, one that is none being nil.
func listed(m map[string]any, path ...string) []map[string]any {
	list, _ := field(m, path...).([]any)
	out := make([]map[string]any, len(list))
	for i, x := range list {
		out[i], _ = x.(map[string]any)
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// portIn is a port as it stands in an object: a number, or a name; zero: there is none.
func portIn(v any) intstr.IntOrString {
	switch n := v.(type) {
	case int64:
		return intstr.FromInt32(int32(n))
	case float64:
		return intstr.FromInt32(int32(n))
	case int:
		return intstr.FromInt32(int32(n))
	case string:
		return intstr.Parse(n)
	}
	return intstr.IntOrString{}
}
