package traffic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

const (
	ciliumGroup     = "cilium.io"
	ciliumNamespace = "io.kubernetes.pod.namespace"
	ciliumOfSpace   = "io.cilium.k8s.namespace.labels."
	ciliumOwn       = "io.cilium.k8s.policy."
)

var ciliumKinds = []string{"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"}

// The fields of Cilium's policies that are read.
//
// Upstream: cilium v1.18, pkg/policy/api: Rule, IngressRule, IngressDenyRule, EgressRule, EgressDenyRule, PortRule;
// (*Rule).Sanitize (the default of enableDefaultDeny).
type ciliumSpec struct {
	EndpointSelector *metav1.LabelSelector `json:"endpointSelector"`
	Ingress          []ciliumRule          `json:"ingress"`
	IngressDeny      []ciliumRule          `json:"ingressDeny"`
	Egress           []ciliumRule          `json:"egress"`
	EgressDeny       []ciliumRule          `json:"egressDeny"`
	Default          struct {
		Ingress, Egress *bool
	} `json:"enableDefaultDeny"`
}

type ciliumRule struct {
	FromEndpoints *[]metav1.LabelSelector `json:"fromEndpoints"`
	ToEndpoints   *[]metav1.LabelSelector `json:"toEndpoints"`
	FromRequires  []metav1.LabelSelector  `json:"fromRequires"`
	ToRequires    []metav1.LabelSelector  `json:"toRequires"`
	FromEntities  *[]string               `json:"fromEntities"`
	ToEntities    *[]string               `json:"toEntities"`
	FromCIDR      *[]string               `json:"fromCIDR"`
	ToCIDR        *[]string               `json:"toCIDR"`
	FromCIDRSet   *[]ciliumBlock          `json:"fromCIDRSet"`
	ToCIDRSet     *[]ciliumBlock          `json:"toCIDRSet"`
	// The pods of these are not known: names, Services without a selector, groups of a provider, nodes.
	ToFQDNs    *[]any       `json:"toFQDNs"`
	ToServices *[]any       `json:"toServices"`
	FromGroups *[]any       `json:"fromGroups"`
	ToGroups   *[]any       `json:"toGroups"`
	FromNodes  *[]any       `json:"fromNodes"`
	ToNodes    *[]any       `json:"toNodes"`
	ToPorts    []ciliumPort `json:"toPorts"`
	ICMPs      []any        `json:"icmps"`
}

type ciliumBlock struct {
	CIDR   string   `json:"cidr"`
	Group  string   `json:"cidrGroupRef"`
	Except []string `json:"except"`
}

type ciliumPort struct {
	Ports []struct {
		Port     string          `json:"port"`
		EndPort  int32           `json:"endPort"`
		Protocol corev1.Protocol `json:"protocol"`
	} `json:"ports"`
}

// addCilium reads a policy of Cilium's, if an object is one.
func (p *Policies) addCilium(o *object.Object) {
	if o.ID.Group != ciliumGroup || !slices.Contains(ciliumKinds, o.ID.Kind) {
		return
	}
	var content struct {
		Spec  *ciliumSpec  `json:"spec"`
		Specs []ciliumSpec `json:"specs"`
	}
	if !decode(o, &content) {
		return
	}
	namespace := o.ID.Namespace
	if o.ID.Kind == ciliumKinds[1] {
		namespace = ""
	}
	if content.Spec != nil {
		p.addCiliumSpec(o, namespace, "spec.", content.Spec)
	}
	for i := range content.Specs {
		p.addCiliumSpec(o, namespace, fmt.Sprintf("specs[%d].", i), &content.Specs[i])
	}
}

func (p *Policies) addCiliumSpec(o *object.Object, namespace, at string, s *ciliumSpec) {
	if s.EndpointSelector == nil {
		return // of nodes
	}
	f := fence{object: o, of: p.endpoints(namespace, s.EndpointSelector)}
	for d, x := range [2]struct {
		name         string
		allows, deny []ciliumRule
		closes       *bool
	}{{"ingress", s.Ingress, s.IngressDeny, s.Default.Ingress}, {"egress", s.Egress, s.EgressDeny, s.Default.Egress}} {
		side := &f.sides[d]
		side.at = at + x.name
		if side.closed = len(x.allows)+len(x.deny) > 0; x.closes != nil {
			side.closed = *x.closes
		}
		for i, r := range x.allows {
			side.allows = append(side.allows, p.ciliumGate(namespace, fmt.Sprintf("%s%s[%d]", at, x.name, i), r))
		}
		for i, r := range x.deny {
			side.denys = append(side.denys, p.ciliumGate(namespace, fmt.Sprintf("%s%sDeny[%d]", at, x.name, i), r))
		}
	}
	p.fences = append(p.fences, f)
}

// endpoints gives who a selector of endpoints has. One of a namespaced policy is for its namespace, unless it says
// which.
//
// Upstream: cilium v1.18, pkg/k8s/apis/cilium.io/utils: getEndpointSelector; pkg/k8s: GetPodMetadata.
func (p *Policies) endpoints(namespace string, s *metav1.LabelSelector) func(Peer) Answer {
	var reserved, elsewhere, named bool
	plain := metav1.LabelSelector{MatchLabels: map[string]string{}}
	key := func(k string) (string, bool) {
		source, rest, prefixed := strings.Cut(k, ":")
		if !prefixed {
			rest = k
		}
		reserved = reserved || source == "reserved"
		elsewhere = elsewhere || prefixed && source != "k8s" && source != "any" && source != "reserved"
		named = named || rest == ciliumNamespace || strings.HasPrefix(rest, ciliumOfSpace)
		return rest, source != "reserved"
	}
	for k, v := range s.MatchLabels {
		if rest, ok := key(k); ok {
			plain.MatchLabels[rest] = v
		}
	}
	for _, e := range s.MatchExpressions {
		var ok bool
		if e.Key, ok = key(e.Key); ok {
			plain.MatchExpressions = append(plain.MatchExpressions, e)
		}
	}
	sel := selector(&plain)
	if namespace != "" && !named && !reserved {
		sel = sel.Add(has(ciliumNamespace, namespace))
	}
	return func(o Peer) Answer {
		agent := o.Kind == APIServer
		switch {
		case reserved && o.Kind == Pod && o.Namespace != "" && !o.NodeNetwork, (o.Kind == Outside || o.NodeNetwork) &&
			!reserved:
			return No // a pod with its node's address is the node to Cilium
		case elsewhere || reserved || o.Kind == Somebody:
			return Unknown
		case agent: // see [Namespaces.isPod]
			o = Peer{Namespace: metav1.NamespaceSystem, Open: true}
		}
		set, known := labels.Set{}, p.namespaces[o.Namespace]
		for k, v := range o.Labels {
			set[k] = v
		}
		open := o.Open || o.Namespace == ""
		if o.Namespace != "" {
			set[ciliumNamespace] = o.Namespace
			set[ciliumOfSpace+nameLabel] = o.Namespace
		}
		for k, v := range known {
			set[ciliumOfSpace+k] = v
		}
		out := matches(sel, set, open || known == nil && strings.Contains(sel.String(), ciliumOfSpace) ||
			strings.Contains(sel.String(), ciliumOwn))
		if agent && out == Yes {
			return Unknown
		}
		return out
	}
}

// ciliumGate reads a rule. One that says neither who nor which port has nobody, and so has an empty list of peers.
//
// Upstream: cilium v1.18, pkg/policy: mergeIngress, mergeEgress; pkg/policy/api:
// (*EgressRule).GetDestinationEndpointSelectors
// and (*IngressRule).GetSourceEndpointSelectors.
func (p *Policies) ciliumGate(namespace, at string, r ciliumRule) gate {
	var among []func(Peer) Answer
	says := false
	for _, list := range []*[]metav1.LabelSelector{r.FromEndpoints, r.ToEndpoints} {
		if list != nil {
			says = true
			for i := range *list {
				among = append(among, p.endpoints(namespace, &(*list)[i]))
			}
		}
	}
	for _, list := range []*[]string{r.FromEntities, r.ToEntities} {
		if list != nil {
			says = true
			for _, e := range *list {
				among = append(among, func(o Peer) Answer { return entity(e, o) })
			}
		}
	}
	for _, list := range []*[]string{r.FromCIDR, r.ToCIDR} {
		if list != nil {
			says = true
			for _, cidr := range *list {
				among = append(among, func(o Peer) Answer { return ciliumCIDR(o, ciliumBlock{CIDR: cidr}) })
			}
		}
	}
	for _, list := range []*[]ciliumBlock{r.FromCIDRSet, r.ToCIDRSet} {
		if list != nil {
			says = true
			for _, b := range *list {
				among = append(among, func(o Peer) Answer { return ciliumCIDR(o, b) })
			}
		}
	}
	for _, list := range []*[]any{r.ToFQDNs, r.ToServices, r.FromGroups, r.ToGroups, r.FromNodes, r.ToNodes} {
		if list != nil {
			says = true
			if len(*list) > 0 {
				among = append(among, func(o Peer) Answer {
					node := o.NodeNetwork && (list == r.FromNodes || list == r.ToNodes)
					return map[bool]Answer{true: No, false: Unknown}[list != r.ToServices && o.Kind == Pod &&
						o.Namespace != "" && !node]
				})
			}
		}
	}
	return gate{at, func(c connection) Answer {
		peer := answer(!says && len(r.ToPorts) > 0)
		for _, is := range among {
			peer = peer.or(is(c.other))
		}
		if len(r.FromRequires)+len(r.ToRequires) > 0 {
			peer = peer.and(Unknown)
		}
		return peer.and(c.ciliumPorts(r))
	}}
}

// entity reports whether one of Cilium's names for a part of the world has a peer.
//
// Upstream: cilium v1.18, pkg/policy/api: EntitySelectorMapping.
func entity(name string, o Peer) Answer {
	switch {
	case name == "all":
		return Yes
	case name == "none":
		return No
	case o.Kind == Pod && o.Namespace != "" && !o.NodeNetwork, o.NodeNetwork && name == "cluster":
		return answer(name == "cluster")
	case o.NodeNetwork:
		if name == "host" || name == "remote-node" || name == "kube-apiserver" {
			return Unknown
		}
		return No
	case o.Kind == APIServer:
		switch name {
		case "kube-apiserver":
			return Yes
		case "cluster", "host", "remote-node", "world", "world-ipv4", "world-ipv6":
			return Unknown
		}
		return No
	case o.Kind == Outside:
		if strings.HasPrefix(name, "world-") {
			return Unknown
		}
		return answer(name == "world")
	}
	return Unknown
}

// ciliumCIDR reports whether a block has a peer: pods are in none.
func ciliumCIDR(o Peer, b ciliumBlock) Answer {
	switch {
	case o.Kind == Pod && o.Namespace != "" && !o.NodeNetwork:
		return No
	case b.CIDR == "" || o.Kind != Outside:
		return Unknown
	}
	return inBlock(o, b.CIDR, b.Except)
}

// ciliumPorts reports whether the ports of a rule have the one of a connection.
func (c connection) ciliumPorts(r ciliumRule) Answer {
	if len(r.ToPorts) == 0 {
		return answer(len(r.ICMPs) == 0)
	}
	out := No
	for _, list := range r.ToPorts {
		out = out.or(answer(len(list.Ports) == 0))
		for _, x := range list.Ports {
			proto := x.Protocol
			if proto == "" || proto == "ANY" {
				if proto = c.port.Protocol; proto == corev1.ProtocolSCTP {
					out = out.or(Unknown) // if the agents are set to support it
					continue
				}
			}
			n, err := strconv.ParseInt(x.Port, 0, 32)
			switch port := intstr.FromInt32(int32(n)); {
			case x.Port == "" || err == nil && n == 0:
				out = out.or(answer(proto == c.port.Protocol))
			case err != nil:
				port = intstr.FromString(x.Port)
				out = out.or(c.port.takes(c.to(), &proto, &port, nil))
			default:
				end := max(x.EndPort, int32(n))
				out = out.or(c.port.takes(c.to(), &proto, &port, &end))
			}
		}
	}
	return out
}
