// Package networkpolicies compares what network policies let through with Cyclonus, which SIG Network's fuzz tests of
// implementations come from.
package networkpolicies

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var (
	cases = flag.Int("cases", 100_000, "random clusters")
	seed  = flag.Uint64("seed", 1, "of random clusters")
)

type drawn struct{ *rand.Rand }

func one[T any](d drawn, list ...T) T { return list[d.IntN(len(list))] }

func (d drawn) labels() map[string]string {
	out := map[string]string{}
	for _, k := range []string{"app", "tier"} {
		if d.IntN(3) > 0 {
			out[k] = one(d, "a", "b")
		}
	}
	return out
}

func (d drawn) selector() *metav1.LabelSelector {
	key := one(d, "app", "tier")
	switch d.IntN(5) {
	case 0:
		return &metav1.LabelSelector{}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key,
			Operator: one(d, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}}}
	case 2: // not NotIn: Cyclonus wants the key to be there, and the API server does not
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key,
			Operator: metav1.LabelSelectorOpIn, Values: []string{"a"}}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: one(d, "a", "b")}}
}

func (d drawn) peers() []networkingv1.NetworkPolicyPeer {
	var out []networkingv1.NetworkPolicyPeer
	for range d.IntN(3) {
		switch d.IntN(4) {
		case 0:
			out = append(out, networkingv1.NetworkPolicyPeer{PodSelector: d.selector()})
		case 1:
			out = append(out, networkingv1.NetworkPolicyPeer{NamespaceSelector: d.selector()})
		case 2:
			out = append(out, networkingv1.NetworkPolicyPeer{NamespaceSelector: d.selector(), PodSelector: d.selector()})
		default:
			b := &networkingv1.IPBlock{CIDR: one(d, "10.0.0.0/8", "192.168.0.0/16", "0.0.0.0/0")}
			if d.IntN(2) == 0 && b.CIDR == "10.0.0.0/8" {
				b.Except = []string{"10.1.0.0/16"}
			}
			out = append(out, networkingv1.NetworkPolicyPeer{IPBlock: b})
		}
	}
	return out
}

func (d drawn) ports() []networkingv1.NetworkPolicyPort {
	var out []networkingv1.NetworkPolicyPort
	for range d.IntN(3) {
		p := networkingv1.NetworkPolicyPort{}
		if d.IntN(2) == 0 {
			proto := one(d, corev1.ProtocolTCP, corev1.ProtocolUDP)
			p.Protocol = &proto
		}
		switch d.IntN(4) {
		case 0:
			n := intstr.FromInt32(one[int32](d, 80, 81))
			p.Port = &n
		case 1:
			n := intstr.FromString(one(d, "http", "web"))
			p.Port = &n
		case 2:
			n, end := intstr.FromInt32(one[int32](d, 70, 81)), one[int32](d, 81, 90)
			p.Port, p.EndPort = &n, &end
		}
		out = append(out, p)
	}
	return out
}

func (d drawn) policy(i int) *networkingv1.NetworkPolicy {
	n := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), Namespace: one(d, "one", "two")}}
	n.Spec.PodSelector = *d.selector()
	n.Spec.PolicyTypes = one(d, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		[]networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		[]networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress})
	for _, t := range n.Spec.PolicyTypes {
		for range d.IntN(3) {
			if t == networkingv1.PolicyTypeIngress {
				n.Spec.Ingress = append(n.Spec.Ingress, networkingv1.NetworkPolicyIngressRule{From: d.peers(), Ports: d.ports()})
			} else {
				n.Spec.Egress = append(n.Spec.Egress, networkingv1.NetworkPolicyEgressRule{To: d.peers(), Ports: d.ports()})
			}
		}
	}
	return n
}

// peer draws one in both forms.
func (d drawn) peer(namespaces map[string]map[string]string, port corev1.ContainerPort) (traffic.Peer, *matcher.TrafficPeer) {
	ip := one(d, "10.0.0.1", "10.1.0.1", "192.168.0.1", "8.8.8.8")
	addr := netip.MustParseAddr(ip)
	if d.IntN(4) == 0 {
		return traffic.Peer{Kind: traffic.Outside, IP: addr}, &matcher.TrafficPeer{IP: ip}
	}
	ns, set := one(d, "one", "two"), d.labels()
	return traffic.Peer{Namespace: ns, Labels: labels.Set(set), IP: addr, Ports: []corev1.ContainerPort{port}},
		&matcher.TrafficPeer{IP: ip, Internal: &matcher.InternalPeer{Namespace: ns, NamespaceLabels: namespaces[ns], PodLabels: set}}
}

func TestAgainstCyclonus(t *testing.T) {
	n := *cases
	if testing.Short() {
		n /= 10
	}
	allowed := 0
	for i := range n {
		d := drawn{rand.New(rand.NewPCG(*seed, uint64(i)))}
		namespaces := map[string]map[string]string{}
		var objects []*object.Object
		for _, ns := range []string{"one", "two"} {
			namespaces[ns] = d.labels()
			objects = append(objects, &object.Object{Typed: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: namespaces[ns]}}})
		}
		var policies []*networkingv1.NetworkPolicy
		for k := range d.IntN(4) {
			p := d.policy(k)
			policies = append(policies, p)
			objects = append(objects, &object.Object{ID: object.ID{Group: "networking.k8s.io", Kind: "NetworkPolicy",
				Namespace: p.Namespace, Name: p.Name}, Typed: p})
		}
		port := corev1.ContainerPort{Name: one(d, "http", "web"), ContainerPort: one[int32](d, 80, 81),
			Protocol: one(d, corev1.ProtocolTCP, corev1.ProtocolUDP)}
		from, source := d.peer(namespaces, port)
		to, destination := d.peer(namespaces, port)
		name := port.Name
		if destination.Internal == nil {
			name = "" // what is no pod has no names of ports
		}
		want := matcher.BuildNetworkPolicies(true, policies).IsTrafficAllowed(&matcher.Traffic{Source: source, Destination: destination,
			ResolvedPort: int(port.ContainerPort), ResolvedPortName: name, Protocol: port.Protocol}).IsAllowed()
		got := traffic.NewPolicies(objects).Allows(from, to, traffic.Port{Protocol: port.Protocol, Number: port.ContainerPort})
		if got.Answer != map[bool]traffic.Answer{true: traffic.Yes, false: traffic.No}[want] {
			t.Fatalf("seed %d, case %d: %v, want %v: from %+v to %+v at %+v by %+v", *seed, i, got.Answer, want, from, to, port, policies)
		}
		if want {
			allowed++
		}
	}
	if allowed < n/10 || allowed > n*9/10 {
		t.Errorf("%d of %d are allowed: too much alike", allowed, n)
	}
	t.Logf("%d cases, %d allowed", n, allowed)
}
