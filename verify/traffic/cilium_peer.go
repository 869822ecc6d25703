package traffic

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

const (
	ciliumNamespace = "io.kubernetes.pod.namespace"
	ciliumOfSpace   = "io.cilium.k8s.namespace.labels."
	ciliumOwn       = "io.cilium.k8s.policy."
	ofKubernetes    = "k8s" // sources of labels
	ofAny           = "any"
	ofCilium        = "reserved"
)

// ciliumLeavesOut are prefixes of labels of pods that agents tell apart no pods by, unless they are told to.
//
// Upstream: cilium v1.20.2, pkg/labelsfilter: defaultLabelPrefixCfg.
var ciliumLeavesOut = []string{"io.kubernetes", "kubernetes.io", "statefulset.kubernetes.io/pod-name",
	"apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index", "batch.kubernetes.io/controller-uid",
	"k8s.io", "pod-template-generation", "pod-template-hash", "controller-revision-hash", "controller-uid", "annotation",
	"etcd_node", "topology.kubernetes.io"}

// ciliumEntities are the names of parts of the world.
//
// Upstream: cilium v1.20.2, pkg/policy/api: EntitySelectorMapping.
var ciliumEntities = []string{"all", "world", "world-ipv4", "world-ipv6", "cluster", "cluster-mesh", "host", "init",
	"ingress", "unmanaged", "remote-node", "health", "none", "kube-apiserver"}

// want is what a selector of Cilium's asks of one label, which is from a source.
type want struct {
	source string
	labels.Requirement
}

// wants reads a selector; false: it is not valid.
func wants(s *metav1.LabelSelector) (out []want, ok bool) {
	if s == nil {
		return nil, true
	}
	add := func(key string, one metav1.LabelSelectorRequirement) bool {
		source, rest, prefixed := strings.Cut(key, ":")
		if !prefixed {
			source, rest = ofAny, key
		}
		one.Key = rest
		sel, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{one}})
		if err != nil {
			return false
		}
		reqs, _ := sel.Requirements()
		out = append(out, want{source, reqs[0]})
		return true
	}
	for k, v := range s.MatchLabels {
		if !add(k, metav1.LabelSelectorRequirement{Operator: metav1.LabelSelectorOpIn, Values: []string{v}}) {
			return nil, false
		}
	}
	for _, e := range s.MatchExpressions {
		if !add(e.Key, e) {
			return nil, false
		}
	}
	return out, true
}

// ofNamespace wants pods of one.
func ofNamespace(name string) want { return want{ofKubernetes, has(ciliumNamespace, name)} }

// subjects gives whom a policy holds for. One that has a namespace is for that, whatever it says itself.
//
// Upstream: cilium v1.20.2, pkg/k8s/apis/cilium.io/utils: ParseToCiliumRule.
func (p *Policies) subjects(namespace string, s *metav1.LabelSelector) func(Peer) Answer {
	if s != nil && namespace != "" {
		s = s.DeepCopy()
		delete(s.MatchLabels, ofKubernetes+":"+ciliumNamespace)
	}
	list, _ := wants(s)
	if namespace != "" {
		list = append(list, ofNamespace(namespace))
	}
	return func(o Peer) Answer { return p.holds(list, o) }
}

// endpoints gives who a selector of peers has: pods of the policy's namespace, unless it says which; and of the whole
// cluster where the policy has none.
//
// Upstream: cilium v1.20.2, pkg/k8s/apis/cilium.io/utils: getEndpointSelector.
func (p *Policies) endpoints(namespace string, s *metav1.LabelSelector) func(Peer) Answer {
	list, _ := wants(s)
	asks := func(source string, of func(key string) bool) bool {
		return slices.ContainsFunc(list, func(w want) bool { return w.source == source && of(w.Key()) })
	}
	reserved := asks(ofCilium, func(string) bool { return true })
	names := func(key string) bool {
		return key == ciliumNamespace || namespace != "" && strings.HasPrefix(key, ciliumOfSpace)
	}
	if !reserved && !asks(ofKubernetes, names) && !asks(ofAny, names) {
		w := ofNamespace(namespace)
		if namespace == "" {
			if r, err := labels.NewRequirement(ciliumNamespace, selection.Exists, nil); err == nil {
				w.Requirement = *r
			}
		}
		list = append(list, w)
	}
	return func(o Peer) Answer {
		if reserved {
			return p.holds(list, o)
		}
		out := p.holds(list, o)
		if o.Kind != Pod || o.NodeNetwork {
			// Agents that are not told of other clusters want a label of their own here, since v1.19.
			out = out.and(Unknown)
		}
		if o.Kind == APIServer { // see [Namespaces.isPod]
			out = out.or(p.holds(list, Peer{Namespace: metav1.NamespaceSystem, Open: true}).and(Unknown))
		}
		return out
	}
}

// holds reports whether a peer has all that is wanted.
func (p *Policies) holds(list []want, o Peer) Answer {
	out := Yes
	for i := range list {
		w := &list[i]
		value, there := p.ciliumLabel(o, w.source, w.Key())
		with, without := answer(w.Matches(labels.Set{w.Key(): value})), answer(w.Matches(labels.Set{}))
		switch {
		case there == Yes:
			out = out.and(with)
		case there == No, value != "" && with == without:
			out = out.and(without)
		default:
			out = out.and(Unknown)
		}
	}
	return out
}

// ciliumLabel is a label that Cilium knows a peer by, or may know it by.
//
// Upstream: cilium v1.20.2, pkg/k8s: GetPodMetadata; pkg/labels: GetCIDRLabels.
func (p *Policies) ciliumLabel(o Peer, source, key string) (value string, there Answer) {
	isPod := o.Kind == Pod && !o.NodeNetwork
	switch {
	case o.Kind == Somebody, isPod && o.Namespace == "":
		return "", Unknown
	case isPod && source != ofKubernetes && source != ofAny:
		return "", No
	case isPod && key == ciliumNamespace:
		return o.Namespace, Yes
	case isPod && key == ciliumOfSpace+nameLabel:
		return o.Namespace, Yes
	case isPod && strings.HasPrefix(key, ciliumOfSpace):
		known, ok := p.namespaces[o.Namespace]
		value, has := known[strings.TrimPrefix(key, ciliumOfSpace)]
		if !ok {
			return "", Unknown
		}
		return value, answer(has)
	case isPod && strings.HasPrefix(key, ciliumOwn):
		return "", Unknown
	case isPod:
		starts := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
		value, has := o.Labels[key]
		switch given := slices.ContainsFunc(clusterLabels, starts); {
		case has && (strings.Contains(key, "beta.kubernetes.io") || slices.ContainsFunc(ciliumLeavesOut, starts)),
			!has && (o.Open || given):
			return value, Unknown
		}
		return value, answer(has)
	case source == ofCilium, source == ofAny:
		return "", reserved(key, o)
	case source == ofKubernetes:
		return "", No
	}
	return "", Unknown
}

// reserved reports whether what is no pod to Cilium has a label of Cilium's own. Pods with the address of their node
// are that node, this one or another one, which may run the API server.
func reserved(key string, o Peer) Answer {
	switch {
	case o.Kind == APIServer && key == "kube-apiserver":
		return Yes
	case o.Kind == Outside && key == "world-ipv4" && o.IP.Is6(), o.Kind == Outside && key == "world-ipv6" && o.IP.Is4():
		return No
	case o.node == sameNode && (key == "host" || key == "remote-node"):
		return answer(key == "host")
	case o.node == otherNode && (key == "host" || key == "remote-node"):
		return answer(key == "remote-node")
	case o.Kind != Pod && strings.HasPrefix(key, "world"): // which of them, hangs on whether there are two families
		return Unknown
	case o.Kind != Outside && slices.Contains([]string{"host", "remote-node", "kube-apiserver"}, key):
		return Unknown
	}
	return No
}

// entity reports whether one of Cilium's names for a part of the world has a peer.
//
// Upstream: cilium v1.20.2, pkg/policy/api: EntitySelectorMapping, InitEntities.
func entity(name string, o Peer) Answer {
	switch {
	case name == "all":
		return Yes
	case name == "none":
		return No
	case o.Kind == Somebody, o.Kind == Pod && o.Namespace == "":
		return Unknown
	case name == "cluster", name == "cluster-mesh":
		return answer(o.Kind != Outside)
	case name == "world" && o.Kind == Outside:
		return Yes
	case o.Kind == Pod && !o.NodeNetwork:
		return No
	}
	return reserved(name, o)
}

// ciliumCIDR reports whether a block has a peer: pods are in none, and nodes where agents are told so, but not in that
// of everything, which is the world.
//
// Upstream: cilium v1.20.2, pkg/policy/types: (*CIDRSelector).Matches.
func ciliumCIDR(o Peer, b ciliumBlock) Answer {
	switch {
	case o.Kind == Pod && o.Namespace != "" && (!o.NodeNetwork || strings.HasSuffix(b.CIDR, "/0")):
		return No
	case b.CIDR == "" || o.Kind != Outside:
		return Unknown
	}
	return inBlock(o, b.CIDR, b.Except)
}
