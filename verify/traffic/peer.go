package traffic

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Kind is what sends or receives requests.
type Kind uint8

const (
	Pod       Kind = iota
	APIServer      // the API server, which asks webhooks and aggregated servers from outside of the pod network
	Outside        // something that is no pod
	Somebody       // a pod or a node that no manifest names, such as an ingress controller
)

// Peer is one end of a connection.
type Peer struct {
	Kind      Kind
	Namespace string // of a pod; "": it is not known
	Labels    labels.Set
	Open      bool // a pod may have unknown labels
	// NodeNetwork says that a pod has the address of its node: policies of pods do not hold for it.
	NodeNetwork bool
	node        nodeOf
	Ports       []corev1.ContainerPort
	IP          netip.Addr // invalid: it is not known
}

// nodeOf is where a peer with the address of its node is, as seen from the pod that a policy is for.
type nodeOf uint8

const (
	anyNode nodeOf = iota
	sameNode
	otherNode
)

// Port is one of the pod that a connection leads to. The zero Number is a port that is not known.
type Port struct {
	Protocol corev1.Protocol
	Number   int32
}

// Namespaces are the labels of those that manifests have. Of another one only the name is known.
type Namespaces map[string]labels.Set

// clusterLabels are prefixes of keys that Kubernetes gives the pods of workloads itself.
var clusterLabels = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation",
	"statefulset.kubernetes.io/", "apps.kubernetes.io/", "batch.kubernetes.io/", "job-name", "controller-uid",
	"security.istio.io/", "service.istio.io/", "topology.kubernetes.io/"}

// matches reports whether a selector has labels; open says that there may be more of them.
//
// Upstream: k8s.io/apimachinery v0.36.3, pkg/labels: (*Requirement).Matches.
func matches(sel labels.Selector, set labels.Set, open bool) Answer {
	reqs, selectable := sel.Requirements()
	if !selectable {
		return No
	}
	out := Yes
	for i := range reqs {
		r := &reqs[i]
		key := r.Key()
		given := slices.ContainsFunc(clusterLabels, func(p string) bool { return strings.HasPrefix(key, p) })
		if !set.Has(key) && (open || given) {
			out = out.and(Unknown)
			continue
		}
		out = out.and(answer(r.Matches(set)))
	}
	return out
}

// selector compiles a selector; one that the API server refuses selects nothing.
func selector(s *metav1.LabelSelector) labels.Selector {
	x, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return x
}

// in reports whether a selector of namespaces has the one of a peer.
func (n Namespaces) in(sel labels.Selector, p Peer) Answer {
	if sel.Empty() {
		return Yes
	}
	if p.Namespace == "" {
		return Unknown
	}
	known, ok := n[p.Namespace]
	set := labels.Merge(known, labels.Set{corev1.LabelMetadataName: p.Namespace})
	return matches(sel, set, !ok)
}

// isPod reports whether selectors of pods can have a peer. They have no pod with the address of its node for sure. The
// API server's requests may come from an agent in kube-system, as in managed clusters.
func (n Namespaces) isPod(namespaces, pods labels.Selector, p Peer) Answer {
	switch {
	case p.Kind == Outside:
		return No
	case p.Kind == Somebody:
		return Unknown
	case p.Kind == APIServer:
		if n.in(namespaces, Peer{Namespace: metav1.NamespaceSystem}) == No {
			return No
		}
		return Unknown
	}
	out := n.in(namespaces, p).and(matches(pods, p.Labels, p.Open))
	if p.NodeNetwork && out == Yes {
		return Unknown
	}
	return out
}

// inBlock reports whether a block of addresses has a peer. Whether pods are in one hangs on the cluster.
func inBlock(p Peer, cidr string, except []string) Answer {
	if !p.IP.IsValid() {
		return Unknown
	}
	has := func(s string) bool {
		x, err := netip.ParsePrefix(s)
		return err == nil && x.Contains(p.IP)
	}
	return answer(has(cidr) && !slices.ContainsFunc(except, has))
}

// takes reports whether a port of a policy, up to end where there is one, is that of a connection to a peer. A name is
// one of the pod's own ports.
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/api/networking/v1: NetworkPolicyPort.
func (p Port) takes(to Peer, protocol *corev1.Protocol, port *intstr.IntOrString, end *int32) Answer {
	proto := corev1.ProtocolTCP
	if protocol != nil {
		proto = *protocol
	}
	switch {
	case proto != p.Protocol:
		return No
	case port == nil:
		return Yes
	case p.Number == 0:
		return Unknown
	case port.Type == intstr.Int && end != nil:
		return answer(port.IntVal <= p.Number && p.Number <= *end)
	case port.Type == intstr.Int:
		return answer(port.IntVal == p.Number)
	case to.Kind == Outside:
		return No
	case to.Kind == Pod && !to.Open:
		return answer(slices.ContainsFunc(to.Ports, func(c corev1.ContainerPort) bool {
			return c.Name == port.StrVal && c.ContainerPort == p.Number && protocolOf(c.Protocol) == p.Protocol
		}))
	}
	return Unknown
}

func protocolOf(p corev1.Protocol) corev1.Protocol {
	if p == "" {
		return corev1.ProtocolTCP
	}
	return p
}

// has is a selector that wants a label.
func has(key string, values ...string) labels.Requirement {
	r, err := labels.NewRequirement(key, selection.In, values)
	if err != nil {
		return labels.Requirement{}
	}
	return *r
}
