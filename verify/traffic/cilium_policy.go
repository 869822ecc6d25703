package traffic

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

const ciliumGroup = "cilium.io"

var ciliumKinds = []string{"CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"}

// The fields of Cilium's policies that are read.
//
// Upstream: cilium v1.20.2, pkg/policy/api: Rule, IngressRule, IngressDenyRule, EgressRule, EgressDenyRule, PortRule;
// (*Rule).Sanitize (the default of enableDefaultDeny, what is refused).
type ciliumSpec struct {
	EndpointSelector *metav1.LabelSelector `json:"endpointSelector"`
	NodeSelector     *metav1.LabelSelector `json:"nodeSelector"`
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
	FromRequires  []any                   `json:"fromRequires"`
	ToRequires    []any                   `json:"toRequires"`
	FromEntities  *[]string               `json:"fromEntities"`
	ToEntities    *[]string               `json:"toEntities"`
	FromCIDR      *[]string               `json:"fromCIDR"`
	ToCIDR        *[]string               `json:"toCIDR"`
	FromCIDRSet   *[]ciliumBlock          `json:"fromCIDRSet"`
	ToCIDRSet     *[]ciliumBlock          `json:"toCIDRSet"`
	// What these have is not known: names, Services without a selector, groups of a provider, nodes.
	ToFQDNs        []any        `json:"toFQDNs"`
	ToServices     []any        `json:"toServices"`
	FromGroups     []any        `json:"fromGroups"`
	ToGroups       []any        `json:"toGroups"`
	FromNodes      *[]any       `json:"fromNodes"`
	ToNodes        *[]any       `json:"toNodes"`
	ToPorts        []ciliumPort `json:"toPorts"`
	ICMPs          []any        `json:"icmps"`
	Authentication struct {
		Mode string `json:"mode"`
	} `json:"authentication"`
}

type ciliumBlock struct {
	CIDR   string   `json:"cidr"`
	Except []string `json:"except"`
	// Others say which blocks these are.
	Group    string `json:"cidrGroupRef"`
	Selector any    `json:"cidrGroupSelector"`
}

type ciliumPort struct {
	Ports []struct {
		Port     string          `json:"port"`
		EndPort  int32           `json:"endPort"`
		Protocol corev1.Protocol `json:"protocol"`
	} `json:"ports"`
	Rules struct {
		HTTP, DNS []any
	} `json:"rules"`
}

// addCilium reads a policy of Cilium's, if an object is one. Agents that refuse one keep what they had of it, if
// anything.
//
// Upstream: cilium v1.20.2, pkg/policy/k8s: (*policyWatcher).upsertCiliumNetworkPolicyV2.
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
	refused := content.Spec != nil && content.Spec.refused(namespace)
	for i := range content.Specs {
		refused = refused || content.Specs[i].refused(namespace)
	}
	add := func(at string, s *ciliumSpec) {
		f := p.ciliumFence(o, namespace, at, s)
		if of := f.of; refused {
			f.of = func(x Peer) Answer { return of(x).and(Unknown) }
		}
		if s.NodeSelector == nil {
			p.fences = append(p.fences, f)
		} else {
			p.ofNodes = append(p.ofNodes, f)
		}
	}
	if content.Spec != nil {
		add("spec.", content.Spec)
	}
	for i := range content.Specs {
		add(fmt.Sprintf("specs[%d].", i), &content.Specs[i])
	}
}

// ciliumFence reads one specification. One of nodes holds where their firewall is switched on, for those of its labels:
// neither is known.
//
// Upstream: cilium v1.20.2, pkg/policy: (*Repository).computePolicyEnforcementAndRules.
func (p *Policies) ciliumFence(o *object.Object, namespace, at string, s *ciliumSpec) fence {
	f := fence{object: o, of: func(Peer) Answer { return Unknown }}
	if s.NodeSelector == nil {
		f.of = p.subjects(namespace, s.EndpointSelector)
	}
	for d, x := range [2]struct {
		name         string
		allows, deny []ciliumRule
		closes       *bool
	}{{"ingress", s.Ingress, s.IngressDeny, s.Default.Ingress}, {"egress", s.Egress, s.EgressDeny, s.Default.Egress}} {
		side := &f.sides[d]
		side.at = at + x.name
		side.closed = len(x.allows)+len(x.deny) > 0 && (x.closes == nil || *x.closes)
		for i, r := range x.allows {
			side.allows = append(side.allows, p.ciliumGate(namespace, fmt.Sprintf("%s%s[%d]", at, x.name, i), r))
		}
		for i, r := range x.deny {
			r.ToFQDNs = nil // there is no such field where something is denied
			side.denys = append(side.denys, p.ciliumGate(namespace, fmt.Sprintf("%s%sDeny[%d]", at, x.name, i), r))
		}
	}
	return f
}

// ciliumGate reads a rule. One that says neither who nor which port has nobody, and so has one with an empty list of
// endpoints, nodes, entities or blocks, whatever it says beside. An empty list of anything else is as good as none.
//
// Upstream: cilium v1.20.2, pkg/policy/utils: RulesToPolicyEntries, mergeEndpointSelectors; pkg/policy:
// (*L4PolicyMap).mergeL4Filter.
func (p *Policies) ciliumGate(namespace, at string, r ciliumRule) gate {
	var among []func(Peer) Answer
	for _, list := range []*[]metav1.LabelSelector{r.FromEndpoints, r.ToEndpoints} {
		for i := range size(list) {
			among = append(among, p.endpoints(namespace, &(*list)[i]))
		}
	}
	for _, list := range []*[]string{r.FromEntities, r.ToEntities} {
		for i := range size(list) {
			among = append(among, func(o Peer) Answer { return entity((*list)[i], o) })
		}
	}
	for _, b := range r.blocks() {
		among = append(among, func(o Peer) Answer { return ciliumCIDR(o, b) })
	}
	n := r.peers()
	if n[nodes]+n[names]+n[groups]+n[services] > 0 {
		among = append(among, func(o Peer) Answer {
			if n[services] == 0 && o.Kind == Pod && (!o.NodeNetwork || n[names] > 0) {
				return No // names and groups are of addresses outside of the cluster
			}
			return Unknown
		})
	}
	nobody := empty(r.FromEndpoints) || empty(r.ToEndpoints) || empty(r.FromNodes) || empty(r.ToNodes) ||
		empty(r.FromEntities) || empty(r.ToEntities) || empty(r.FromCIDR) || empty(r.ToCIDR) || empty(r.FromCIDRSet) ||
		empty(r.ToCIDRSet)
	near := size(r.FromEntities) > 0 && !slices.ContainsFunc(*r.FromEntities, func(e string) bool { return e != "host" })
	return gate{at: at, near: near, passes: func(c connection) Answer {
		if nobody {
			return No
		}
		peer := answer(len(among) == 0 && len(r.ToPorts) > 0)
		for _, is := range among {
			peer = peer.or(is(c.other))
		}
		if len(r.FromRequires)+len(r.ToRequires) > 0 || r.Authentication.Mode != "" && r.Authentication.Mode != "disabled" {
			peer = peer.and(Unknown)
		}
		return peer.and(c.ciliumPorts(r))
	}}
}

// ciliumPorts reports whether the ports of a rule have the one of a connection. Nodes have no names of ports.
//
// Upstream: cilium v1.20.2, pkg/policy: (*L4Filter).toMapState, keysForRange.
func (c connection) ciliumPorts(r ciliumRule) Answer {
	if len(r.ToPorts) == 0 {
		return answer(len(r.ICMPs) == 0)
	}
	out := No
	for _, list := range r.ToPorts {
		for _, x := range list.Ports {
			proto := x.Protocol
			if proto == "" || proto == "ANY" {
				proto = c.port.Protocol
			}
			n, named := portOf(x.Port)
			switch port := intstr.FromInt32(int32(n)); {
			case named && (c.to().NodeNetwork || c.to().Kind == APIServer):
			case named:
				port = intstr.FromString(strings.ToLower(x.Port))
				out = out.or(c.port.takes(c.to(), &proto, &port, nil))
			case n == 0:
				out = out.or(answer(proto == c.port.Protocol))
			default:
				end := max(x.EndPort, int32(n))
				out = out.or(c.port.takes(c.to(), &proto, &port, &end))
			}
		}
	}
	return out
}

// portName is the name of a port, among them what looks like a number of base 16.
//
// Upstream: cilium v1.20.2, pkg/iana: IsSvcName.
var portName = regexp.MustCompile(`^([a-zA-Z0-9]-?)*[a-zA-Z](-?[a-zA-Z0-9])*$`)

// portOf reads a port; -1: it is none.
func portOf(s string) (n int64, named bool) {
	if len(s) <= 15 && portName.MatchString(s) {
		return 0, true
	}
	u, err := strconv.ParseUint(s, 0, 16)
	if err != nil {
		return -1, false
	}
	return int64(u), false
}

// What a rule may say of peers, of which it may have one.
const (
	selectors = iota
	entities
	cidrs
	cidrSets
	nodes
	names
	groups
	services
	kindsOfPeers
)

// peers counts them.
func (r *ciliumRule) peers() (n [kindsOfPeers]int) {
	return [...]int{size(r.FromEndpoints) + size(r.ToEndpoints), size(r.FromEntities) + size(r.ToEntities),
		size(r.FromCIDR) + size(r.ToCIDR), size(r.FromCIDRSet) + size(r.ToCIDRSet), size(r.FromNodes) + size(r.ToNodes),
		len(r.ToFQDNs), len(r.FromGroups) + len(r.ToGroups), len(r.ToServices)}
}

func size[T any](list *[]T) int {
	if list == nil {
		return 0
	}
	return len(*list)
}

func empty[T any](list *[]T) bool { return list != nil && len(*list) == 0 }

// blocks are those of addresses; a single one is a block of one.
func (r *ciliumRule) blocks() (out []ciliumBlock) {
	for _, list := range []*[]string{r.FromCIDR, r.ToCIDR} {
		for i := range size(list) {
			b := ciliumBlock{CIDR: (*list)[i]}
			if a, err := netip.ParseAddr(b.CIDR); err == nil {
				b.CIDR = netip.PrefixFrom(a, a.BitLen()).String()
			}
			out = append(out, b)
		}
	}
	for _, list := range []*[]ciliumBlock{r.FromCIDRSet, r.ToCIDRSet} {
		if list != nil {
			out = append(out, *list...)
		}
	}
	return out
}

// refused reports whether agents do not take a policy, or, of nodes as peers, are to be told to.
func (s *ciliumSpec) refused(namespace string) bool {
	rules := slices.Concat(s.Ingress, s.IngressDeny, s.Egress, s.EgressDeny)
	switch {
	case (s.EndpointSelector == nil) == (s.NodeSelector == nil), s.NodeSelector != nil && namespace != "", len(rules) == 0:
		return true
	}
	if _, ok := wants(s.EndpointSelector); !ok {
		return true
	}
	// What agents look for in requests: names in those to DNS alone, and nothing of HTTP where they are of nodes.
	for i := range rules {
		in := i < len(s.Ingress)+len(s.IngressDeny)
		for _, x := range rules[i].ToPorts {
			if len(x.Rules.DNS) > 0 && in || len(x.Rules.HTTP) > 0 && s.NodeSelector != nil {
				return true
			}
		}
	}
	return slices.ContainsFunc(rules, func(r ciliumRule) bool { return r.refused() })
}

func (r *ciliumRule) refused() bool {
	kinds, peers := 0, r.peers()
	for _, n := range peers {
		kinds += min(n, 1)
	}
	if kinds > 1 || peers[nodes] > 0 || len(r.ICMPs) > 0 && len(r.ToPorts) > 0 {
		return true
	}
	for _, list := range []*[]metav1.LabelSelector{r.FromEndpoints, r.ToEndpoints} {
		for i := range size(list) {
			if _, ok := wants(&(*list)[i]); !ok {
				return true
			}
		}
	}
	for _, list := range []*[]string{r.FromEntities, r.ToEntities} {
		for i := range size(list) {
			if !slices.Contains(ciliumEntities, (*list)[i]) {
				return true
			}
		}
	}
	return slices.ContainsFunc(r.blocks(), ciliumBlock.refused) || slices.ContainsFunc(r.ToPorts, ciliumPort.refused)
}

func (b ciliumBlock) refused() bool {
	if b.CIDR == "" {
		return false
	}
	all, err := netip.ParsePrefix(b.CIDR)
	return err != nil || slices.ContainsFunc(b.Except, func(s string) bool {
		x, err := netip.ParsePrefix(s)
		return err != nil || x.Bits() < all.Bits() || !all.Contains(x.Addr())
	})
}

// mostPorts is how many a list of them may have.
const mostPorts = 40

func (l ciliumPort) refused() bool {
	for _, x := range l.Ports {
		n, named := portOf(x.Port)
		if n < 0 || len(l.Rules.HTTP) > 0 && x.Protocol != corev1.ProtocolTCP ||
			len(l.Rules.HTTP)+len(l.Rules.DNS) > 0 && n == 0 && !named || len(l.Rules.DNS) > 0 && int64(x.EndPort) > n {
			return true
		}
	}
	return len(l.Ports) > mostPorts || len(l.Rules.HTTP) > 0 && len(l.Rules.DNS) > 0 ||
		len(l.Rules.DNS) > 0 && len(l.Ports) == 0
}
