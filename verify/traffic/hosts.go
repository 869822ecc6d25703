package traffic

import (
	"regexp"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/render/object"
)

// traefikHost finds the names in a rule of Traefik's.
var traefikHost = regexp.MustCompile(`Host(?:SNI)?\(([^)]*)\)`)

// Hosts are the names under which a route takes requests, lower case, and the field that has them. A route without any
// takes requests under every name; known is false for an object that is no route, and for one whose names are not read.
//
// Upstream: kubernetes v1.36.3, networking/v1: IngressRule; gateway-api v1.3, apis/v1: HTTPRouteSpec; traefik v3.5,
// pkg/rules (Host, HostSNI); openshift/api, route/v1: RouteSpec.
func Hosts(o *object.Object) (names []string, path string, known bool) {
	add := func(v any) {
		if s := strings.ToLower(text(v)); s != "" {
			names = append(names, s)
		}
	}
	if in, ok := o.Typed.(*networkingv1.Ingress); ok {
		for _, r := range in.Spec.Rules {
			if r.Host == "" {
				return nil, "", true
			}
			add(r.Host)
		}
		return names, "spec.rules", true
	}
	switch {
	case !IsRoute(o.ID) || o.ID.Group == "networking.istio.io":
		return nil, "", false // a VirtualService may be for hosts within the mesh
	case o.ID.Group == gatewayGroup:
		list, _ := field(o.Content, "spec", "hostnames").([]any)
		for _, x := range list {
			add(x)
		}
		return names, "spec.hostnames", true
	case o.ID.Kind == "Route":
		add(field(o.Content, "spec", "host"))
		return names, "spec.host", len(names) > 0 // else the cluster gives it one
	}
	for _, r := range listed(o.Content, "spec", "routes") {
		found := traefikHost.FindAllStringSubmatch(text(r["match"]), -1)
		if len(found) == 0 {
			return nil, "", true
		}
		for _, m := range found {
			for _, name := range strings.Split(m[1], ",") {
				add(strings.Trim(name, " `\"'"))
			}
		}
	}
	return names, "spec.routes", true
}

// HostsMeet reports whether requests for one name may be for the other one, of which either may be a wildcard.
func HostsMeet(a, b string) bool { return hostsMeet(a, b) }
