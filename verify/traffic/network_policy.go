package traffic

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
)

// fenceOf reads a NetworkPolicy.
//
// Upstream: kubernetes v1.36.3, pkg/apis/networking/v1: SetDefaults_NetworkPolicy (policyTypes);
// staging/src/k8s.io/api/networking/v1: NetworkPolicyIngressRule, NetworkPolicyEgressRule, NetworkPolicyPeer.
func (p *Policies) fenceOf(o *object.Object, n *networkingv1.NetworkPolicy) fence {
	pods := selector(&n.Spec.PodSelector)
	f := fence{object: o, of: func(x Peer) Answer {
		if x.Namespace != o.ID.Namespace && x.Namespace != "" {
			return No
		}
		out := matches(pods, x.Labels, x.Open)
		if x.Namespace == "" {
			out = out.and(Unknown)
		}
		return out
	}}
	types := n.Spec.PolicyTypes
	closes := func(t networkingv1.PolicyType, rules int) bool {
		if len(types) == 0 {
			return t == networkingv1.PolicyTypeIngress || rules > 0
		}
		return slices.Contains(types, t)
	}
	f.sides[Ingress] = gates{closed: closes(networkingv1.PolicyTypeIngress, len(n.Spec.Ingress)), at: "spec.ingress"}
	f.sides[Egress] = gates{closed: closes(networkingv1.PolicyTypeEgress, len(n.Spec.Egress)), at: "spec.egress"}
	for i := range n.Spec.Ingress {
		r := &n.Spec.Ingress[i]
		f.sides[Ingress].allows = append(f.sides[Ingress].allows,
			p.gateOf(o.ID.Namespace, fmt.Sprintf("spec.ingress[%d]", i), r.From, r.Ports))
	}
	for i := range n.Spec.Egress {
		r := &n.Spec.Egress[i]
		f.sides[Egress].allows = append(f.sides[Egress].allows,
			p.gateOf(o.ID.Namespace, fmt.Sprintf("spec.egress[%d]", i), r.To, r.Ports))
	}
	return f
}

func (p *Policies) gateOf(namespace, at string, peers []networkingv1.NetworkPolicyPeer,
	ports []networkingv1.NetworkPolicyPort) gate {
	var among []func(Peer) Answer
	own := labels.SelectorFromSet(labels.Set{nameLabel: namespace})
	for i := range peers {
		x := &peers[i]
		if x.IPBlock != nil {
			among = append(among, func(o Peer) Answer { return inBlock(o, x.IPBlock.CIDR, x.IPBlock.Except) })
			continue
		}
		namespaces, pods := own, labels.Everything()
		if x.NamespaceSelector != nil {
			namespaces = selector(x.NamespaceSelector)
		}
		if x.PodSelector != nil {
			pods = selector(x.PodSelector)
		}
		among = append(among, func(o Peer) Answer { return p.namespaces.isPod(namespaces, pods, o) })
	}
	return gate{at: at, passes: func(c connection) Answer {
		peer, port := answer(len(peers) == 0), answer(len(ports) == 0)
		for _, is := range among {
			peer = peer.or(is(c.other))
		}
		if peer == No {
			return No
		}
		for i := range ports {
			port = port.or(c.port.takes(c.to(), ports[i].Protocol, ports[i].Port, ports[i].EndPort))
		}
		return peer.and(port)
	}}
}
