package traffic

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
)

const gatewayGroup = "gateway.networking.k8s.io"

// onGateway reports whether a listener of a Gateway takes a route. One that is not among the objects may be elsewhere,
// unless the change takes it away.
//
// Upstream: gateway-api v1.3, apis/v1: ParentReference, AllowedRoutes (from: Same by default), RouteConditionAccepted
// (NoMatchingParent, NoMatchingListenerHostname, NotAllowedByListeners).
func (c *Cluster) onGateway(o *object.Object) (Answer, []Field) {
	refs := listed(o.Content, "spec", "parentRefs")
	if len(refs) == 0 {
		return No, []Field{{o, "spec.parentRefs"}}
	}
	out, why := No, []Field(nil)
	for i, ref := range refs {
		a, because := c.parent(o, ref, fmt.Sprintf("spec.parentRefs[%d]", i))
		out, why = out.or(a), append(why, because...)
	}
	if out != No {
		return out, nil
	}
	return No, why
}

func (c *Cluster) parent(o *object.Object, ref map[string]any, at string) (Answer, []Field) {
	if kind := text(ref["kind"]); kind != "" && kind != "Gateway" {
		return Unknown, nil // of a mesh, or of a set of listeners
	}
	ns := text(ref["namespace"])
	if ns == "" {
		ns = o.ID.Namespace
	}
	key := objectName{"Gateway." + gatewayGroup, ns, text(ref["name"])}
	g := c.byName[key]
	switch {
	case g == nil && c.gone[key]:
		return No, []Field{{o, at + ".name"}}
	case g == nil:
		return Unknown, nil
	}
	listeners := listed(g.Content, "spec", "listeners")
	out, why := No, Field{o, at}
	for i, l := range listeners {
		section, port := text(ref["sectionName"]), portIn(ref["port"])
		switch {
		case section != "" && section != text(l["name"]):
			why.Path = at + ".sectionName"
			continue
		case port.IntVal != 0 && port != portIn(l["port"]):
			why.Path = at + ".port"
			continue
		}
		in, named := c.admits(g, l, o), namesMeet(l, o)
		switch {
		case in == No && why.Object == o:
			why = Field{g, fmt.Sprintf("spec.listeners[%d]", i)}
		case in != No && named == No: // which says more than that another listener is of another kind
			why = Field{g, fmt.Sprintf("spec.listeners[%d].hostname", i)}
		}
		out = out.or(in.and(named))
	}
	if why.Object == o {
		return out, []Field{why, {g, "spec.listeners"}}
	}
	return out, []Field{why}
}

// routeKinds are those that a listener takes, by its protocol; other protocols are of one implementation.
//
// Upstream: gateway-api v1.3, apis/v1: ProtocolType, RouteGroupKind (the protocol selects the kinds).
var routeKinds = map[string][]string{"HTTP": {"HTTPRoute", "GRPCRoute"}, "HTTPS": {"HTTPRoute", "GRPCRoute"},
	"TLS": {"TLSRoute", "TCPRoute"}, "TCP": {"TCPRoute"}, "UDP": {"UDPRoute"}}

// granted reports whether a route may lead to a Service of another namespace. One without a grant there may have it
// elsewhere, unless the change takes a grant away or there are others.
//
// Upstream: gateway-api v1.3, apis/v1beta1: ReferenceGrant (from and to are alternatives; no name stands for all).
func (c *Cluster) granted(a Ask) Answer {
	by := a.By.Object.ID
	if by.Group != gatewayGroup || by.Namespace == a.Namespace {
		return Yes
	}
	seen := false
	for _, o := range c.objects {
		if o.ID.Kind != "ReferenceGrant" || o.ID.Group != gatewayGroup || o.ID.Namespace != a.Namespace || o.Hook {
			continue
		}
		seen = true
		from := slices.ContainsFunc(listed(o.Content, "spec", "from"), func(f map[string]any) bool {
			return text(f["group"]) == by.Group && text(f["kind"]) == by.Kind && text(f["namespace"]) == by.Namespace
		})
		to := slices.ContainsFunc(listed(o.Content, "spec", "to"), func(t map[string]any) bool {
			name := text(t["name"])
			return text(t["group"]) == "" && text(t["kind"]) == "Service" && (name == "" || name == a.Service)
		})
		if from && to {
			return Yes
		}
	}
	for k := range c.gone {
		seen = seen || k.kind == "ReferenceGrant" && k.namespace == a.Namespace
	}
	if seen {
		return No
	}
	return Unknown
}

// admits reports whether a listener lets in routes of a route's namespace and kind.
func (c *Cluster) admits(g *object.Object, listener map[string]any, o *object.Object) Answer {
	kinds := listed(listener, "allowedRoutes", "kinds")
	if len(kinds) > 0 && !slices.ContainsFunc(kinds,
		func(k map[string]any) bool { return text(k["kind"]) == o.ID.Kind }) {
		return No
	}
	if spoken := routeKinds[text(listener["protocol"])]; spoken != nil && !slices.Contains(spoken, o.ID.Kind) {
		return No
	}
	switch from := text(field(listener, "allowedRoutes", "namespaces", "from")); from {
	case "", "Same":
		return answer(g.ID.Namespace == o.ID.Namespace)
	case "All":
		return Yes
	case "Selector":
		sel := &metav1.LabelSelector{}
		m, _ := field(listener, "allowedRoutes", "namespaces", "selector").(map[string]any)
		if runtime.DefaultUnstructuredConverter.FromUnstructured(m, sel) != nil {
			return Unknown
		}
		return c.Policies.namespaces.in(selector(sel), Peer{Namespace: o.ID.Namespace})
	}
	return Unknown
}

// namesMeet reports whether a host name of a route is one of a listener's. None stands for all.
func namesMeet(listener map[string]any, o *object.Object) Answer {
	of := text(listener["hostname"])
	list, _ := field(o.Content, "spec", "hostnames").([]any)
	if of == "" || len(list) == 0 {
		return Yes
	}
	return answer(slices.ContainsFunc(list, func(x any) bool { return hostsMeet(of, text(x)) }))
}

func hostsMeet(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	below := func(wide, host string) bool {
		suffix, wild := strings.CutPrefix(wide, "*")
		return wild && len(host) > len(suffix) && strings.HasSuffix(strings.TrimPrefix(host, "*"), suffix)
	}
	return a == b || below(a, b) || below(b, a)
}

// lostGateway reports whether a gateway of Istio's, as a VirtualService names it, is gone.
func (c *Cluster) lostGateway(name, namespace string) bool {
	ns, base, qualified := strings.Cut(name, "/")
	if !qualified {
		ns, base = namespace, name
		if at, host, dotted := strings.Cut(name, "."); dotted {
			base, ns = at, strings.Split(host, ".")[0]
		}
	}
	return c.gone[objectName{"Gateway.networking.istio.io", ns, base}]
}
