package traffic

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

const (
	adminGroup = "policy.networking.k8s.io"
	nameLabel  = corev1.LabelMetadataName
)

var adminKinds = []string{"AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy"}

// tier is one policy of an administrator: its rules are asked in order, and the first that has the connection decides.
type tier struct {
	object   *object.Object
	priority int32
	of       func(pod Peer) Answer
	rules    [2][]tierRule
}

type tierRule struct {
	gate
	action string // Allow, Deny or Pass
}

// The fields of these policies that are read.
//
// Upstream: network-policy-api v0.3.0, apis/v1alpha1: AdminNetworkPolicySpec, BaselineAdminNetworkPolicySpec;
// apis/v1alpha2: ClusterNetworkPolicySpec.
type adminSpec struct {
	Tier     string      `json:"tier"`
	Priority int32       `json:"priority"`
	Subject  adminPeer   `json:"subject"`
	Ingress  []adminRule `json:"ingress"`
	Egress   []adminRule `json:"egress"`
}

type adminRule struct {
	Action    string          `json:"action"`
	From      []adminPeer     `json:"from"`
	To        []adminPeer     `json:"to"`
	Ports     []adminPort     `json:"ports"`
	Protocols []adminProtocol `json:"protocols"`
}

type adminPeer struct {
	Namespaces *metav1.LabelSelector `json:"namespaces"`
	Pods       *struct {
		NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`
		PodSelector       metav1.LabelSelector `json:"podSelector"`
	} `json:"pods"`
	Nodes       *metav1.LabelSelector `json:"nodes"`
	Networks    []string              `json:"networks"`
	DomainNames []string              `json:"domainNames"`
}

type adminPort struct {
	PortNumber *struct {
		Protocol corev1.Protocol `json:"protocol"`
		Port     int32           `json:"port"`
	} `json:"portNumber"`
	NamedPort *string `json:"namedPort"`
	PortRange *struct {
		Protocol   corev1.Protocol `json:"protocol"`
		Start, End int32
	} `json:"portRange"`
}

type adminProtocol struct {
	TCP, UDP, SCTP       *adminTransport
	DestinationNamedPort string `json:"destinationNamedPort"`
}

type adminTransport struct {
	DestinationPort *struct {
		Number int32                       `json:"number"`
		Range  *struct{ Start, End int32 } `json:"range"`
	} `json:"destinationPort"`
}

// addTier reads a policy of an administrator, if an object is one.
func (p *Policies) addTier(o *object.Object) {
	if o.ID.Group != adminGroup || !slices.Contains(adminKinds, o.ID.Kind) {
		return
	}
	var content struct {
		Spec adminSpec `json:"spec"`
	}
	if !decode(o, &content) {
		return
	}
	spec := &content.Spec
	t := tier{object: o, priority: spec.Priority, of: p.peerOf(spec.Subject)}
	for d, list := range [2][]adminRule{Ingress: spec.Ingress, Egress: spec.Egress} {
		for i, r := range list {
			if r.Action == "Accept" {
				r.Action = "Allow"
			}
			at := fmt.Sprintf("spec.%s[%d]", [2]string{"ingress", "egress"}[d], i)
			t.rules[d] = append(t.rules[d], tierRule{p.adminGate(at, r), r.Action})
		}
	}
	if o.ID.Kind == "BaselineAdminNetworkPolicy" || o.ID.Kind == "ClusterNetworkPolicy" && spec.Tier == "Baseline" {
		p.baseline = append(p.baseline, t)
	} else {
		p.admin = append(p.admin, t)
	}
}

// decode reads an object of a kind without a type, and reports whether it could.
func decode(o *object.Object, into any) bool {
	b, err := json.Marshal(o.Content)
	return err == nil && json.Unmarshal(b, into) == nil
}

func (p *Policies) peerOf(x adminPeer) func(Peer) Answer {
	namespaces, pods := labels.Nothing(), labels.Everything()
	switch {
	case x.Namespaces != nil:
		namespaces = selector(x.Namespaces)
	case x.Pods != nil:
		namespaces, pods = selector(&x.Pods.NamespaceSelector), selector(&x.Pods.PodSelector)
	}
	return func(o Peer) Answer {
		out := p.namespaces.isPod(namespaces, pods, o)
		if x.Nodes != nil && (o.NodeNetwork || o.Kind == APIServer) {
			out = out.or(Unknown)
		}
		for _, cidr := range x.Networks {
			out = out.or(inBlock(o, cidr, nil))
		}
		if len(x.DomainNames) > 0 && o.Kind != Pod {
			out = out.or(Unknown)
		}
		return out
	}
}

func (p *Policies) adminGate(at string, r adminRule) gate {
	var among []func(Peer) Answer
	for _, x := range slices.Concat(r.From, r.To) {
		among = append(among, p.peerOf(x))
	}
	return gate{at: at, passes: func(c connection) Answer {
		peer := No
		for _, is := range among {
			peer = peer.or(is(c.other))
		}
		return peer.and(c.adminPorts(r))
	}}
}

// adminPorts reports whether the ports of a rule have the one of a connection; one without any has all.
func (c connection) adminPorts(r adminRule) Answer {
	out := answer(len(r.Ports)+len(r.Protocols) == 0)
	number := func(proto corev1.Protocol, from, to int32) {
		port := intstr.FromInt32(from)
		out = out.or(c.port.takes(c.to(), &proto, &port, &to))
	}
	named := func(name string) {
		port := intstr.FromString(name)
		for _, proto := range []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP} {
			out = out.or(c.port.takes(c.to(), &proto, &port, nil))
		}
	}
	for _, x := range r.Ports {
		switch {
		case x.PortNumber != nil:
			number(protocolOf(x.PortNumber.Protocol), x.PortNumber.Port, x.PortNumber.Port)
		case x.PortRange != nil:
			number(protocolOf(x.PortRange.Protocol), x.PortRange.Start, x.PortRange.End)
		case x.NamedPort != nil:
			named(*x.NamedPort)
		}
	}
	for _, x := range r.Protocols {
		if x.DestinationNamedPort != "" {
			named(x.DestinationNamedPort)
		}
		for proto, t := range map[corev1.Protocol]*adminTransport{
			corev1.ProtocolTCP: x.TCP, corev1.ProtocolUDP: x.UDP, corev1.ProtocolSCTP: x.SCTP} {
			switch {
			case t == nil:
			case t.DestinationPort == nil:
				out = out.or(answer(proto == c.port.Protocol))
			case t.DestinationPort.Range != nil:
				number(proto, t.DestinationPort.Range.Start, t.DestinationPort.Range.End)
			default:
				number(proto, t.DestinationPort.Number, t.DestinationPort.Number)
			}
		}
	}
	return out
}

// first asks the policies of a tier, which are in the order of their priority, and reports whether the lower tiers are
// asked as well. Which of two with one priority comes first is not defined.
func first(list []tier, c connection) (out outcomes, by []Field, goesOn bool) {
	for i := 0; i < len(list); {
		here, next := outcomes(0), next
		k := i
		for ; k < len(list) && list[k].priority == list[i].priority; k++ {
			o, b := list[k].ask(c)
			here, next, by = here|o, next&o, append(by, b...)
		}
		out |= here & (allow | deny)
		goesOn = goesOn || here&passed != 0
		if next == 0 {
			return out, by, goesOn
		}
		i = k
	}
	return out, by, true
}

// ask gives the outcomes of the rules of one policy, and the rules that deny.
func (t *tier) ask(c connection) (out outcomes, by []Field) {
	of := t.of(c.subject)
	if of == No {
		return next, nil
	}
	for _, r := range t.rules[c.Direction] {
		m := of.and(r.passes(c))
		if m == No {
			continue
		}
		switch r.action {
		case "Allow":
			out |= allow
		case "Deny":
			out, by = out|deny, append(by, Field{t.object, r.at})
		default:
			out |= passed
		}
		if m == Yes {
			return out, by
		}
	}
	return out | next, by
}
