package slice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// An assumed cluster has a node that fits every pod of the slice: no finding may rest on
// a label that an invented node has or lacks, be it a well-known one (architecture,
// operating system, zone, region, hostname) or any other.

// assumedDomains is the fewest groups of nodes that an assumed cluster has for every key
// that pods spread over.
const assumedDomains = 3

// Suit gives the policy with a cluster that was made for the slice's pods in place of the
// assumed one, and says which labels it has for them, as assumptions. A cluster with
// NodePools of Karpenter's own keeps these.
func (sl *Slice) Suit(p *policies.Policy) (*policies.Policy, []finding.Note) {
	if !p.Cluster.Assumed || len(p.Cluster.Pools) != 1 || p.Cluster.Pools[0].Karpenter != nil {
		return p, nil
	}
	out := sl.reachAll()
	pods := sl.pods()
	kinds, names := nodeKinds(pods)
	suited := *p
	pool := suited.Cluster.Pools[0]
	pool.Zones = zonesFor(pods, pool.Zones)
	pool.Max = max(pool.Max/len(kinds), pool.Min, len(pool.Zones))
	pool.Min = max(pool.Min, len(pool.Zones))
	pool.Follows = domainsOf(pods)
	suited.Cluster.Pools = nil
	for i, kind := range kinds {
		one := pool
		one.Labels, one.Unzoned = kind.labels, kind.unzoned
		if i > 0 {
			one.Name = fmt.Sprintf("%s-%d", pool.Name, i+1)
		}
		suited.Cluster.Pools = append(suited.Cluster.Pools, one)
		for _, k := range slices.Sorted(maps.Keys(kind.labels)) {
			out = append(out, finding.Say(finding.NodeLabelAssumed, k, kind.labels[k]))
		}
		if kind.unzoned {
			out = append(out, finding.Say(finding.ZonelessAssumed))
		}
	}
	for _, n := range names {
		one := pool
		one.Name, one.Node, one.Min, one.Max, one.Zones, one.Unzoned = n.name, n.name, 1, 1, pool.Zones[:1], n.unzoned
		suited.Cluster.Pools = append(suited.Cluster.Pools, one)
		out = append(out, finding.Say(finding.NodeAssumed, n.name))
	}
	return &suited, out
}

// pods are the pod templates of both versions of the slice's workloads, in order.
func (sl *Slice) pods() []*corev1.PodSpec {
	var out []*corev1.PodSpec
	for _, w := range sl.Workloads {
		for _, m := range w.Manifests {
			if m.Exists() {
				out = append(out, m.Pod())
			}
		}
	}
	return out
}

// nodeKind is one kind of node of an assumed cluster, with the pods that it is for.
type nodeKind struct {
	labels  map[string]string
	unzoned bool   // without labels of a zone and region
	name    string // of a single node; "" is of no matter
	pods    []*corev1.PodSpec
}

// nodeKinds gives as few kinds of node as fit all pods, at least one, and the single nodes, by
// name, that pods ask for. A pod that no node can fit has none. Only those that ask for nodes
// without a zone are for such nodes: others may spread over zones.
func nodeKinds(pods []*corev1.PodSpec) (kinds, names []nodeKind) {
	for _, pod := range pods {
		own, ok := fitting(pod)
		switch {
		case !ok:
		case own.name != "":
			if !slices.ContainsFunc(names, func(k nodeKind) bool { return k.name == own.name }) {
				names = append(names, own)
			}
		default:
			kinds = enterKind(kinds, pod, own)
		}
	}
	if len(kinds) == 0 {
		kinds = append(kinds, nodeKind{})
	}
	slices.SortFunc(names, func(a, b nodeKind) int { return strings.Compare(a.name, b.name) })
	return kinds, names
}

// enterKind adds a pod to the first kind that can have its labels too, or opens one.
func enterKind(list []nodeKind, pod *corev1.PodSpec, own nodeKind) []nodeKind {
	for i := range list {
		k := &list[i]
		if k.unzoned != own.unzoned {
			continue
		}
		if accepts(pod, *k) {
			k.pods = append(k.pods, pod)
			return list
		}
		both := nodeKind{labels: maps.Clone(k.labels), unzoned: k.unzoned}
		maps.Copy(both.labels, own.labels)
		if !slices.ContainsFunc(append(k.pods, pod), func(p *corev1.PodSpec) bool { return !accepts(p, both) }) {
			k.labels, k.pods = both.labels, append(k.pods, pod)
			return list
		}
	}
	own.pods = []*corev1.PodSpec{pod}
	return append(list, own)
}

// fitting gives a kind of node that a pod's node selector and required node affinity accept;
// false where there can be no such node. Nodes have a zone and a region where the pod takes
// such: many clusters have none.
func fitting(pod *corev1.PodSpec) (nodeKind, bool) {
	for _, unzoned := range []bool{false, true} {
		for _, t := range requirements(pod) {
			own := nodeKind{unzoned: unzoned}
			own.labels, own.name = t.fulfil(unzoned)
			if accepts(pod, own) {
				return own, true
			}
		}
	}
	return nodeKind{name: pod.NodeName}, pod.NodeName != ""
}

// accepts reports whether a pod accepts such a node, in a zone that it names where nodes have one.
func accepts(pod *corev1.PodSpec, k nodeKind) bool {
	required := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *pod})
	zones := []string{""}
	if !k.unzoned {
		zones = zonesOf(requirements(pod))
	}
	return slices.ContainsFunc(zones, func(zone string) bool {
		n := &corev1.Node{}
		n.Name, n.Labels = k.name, withDefaults(k.labels, zone, corev1.LabelHostname, k.name)
		ok, err := required.Match(n)
		return ok && err == nil
	})
}

// withDefaults are the labels of a node in a zone, with those that every assumed node has; zone is
// "" where it has none, and no region.
func withDefaults(kind map[string]string, zone string, more ...string) map[string]string {
	labels := map[string]string{corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}
	if zone != "" {
		labels[corev1.LabelTopologyZone], labels[corev1.LabelTopologyRegion] = zone, policies.AssumedRegion
	}
	maps.Copy(labels, kind)
	for i := 0; i+1 < len(more); i += 2 {
		labels[more[i]] = more[i+1]
	}
	return labels
}

// term is what one way of fulfilling a pod's demands on its node asks for, key by key.
type term map[string][]corev1.NodeSelectorRequirement

// requirements lists the ways in which a node can fit a pod.
func requirements(p *corev1.PodSpec) []term {
	selector := term{}
	for k, v := range p.NodeSelector {
		selector[k] = append(selector[k],
			corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpIn, Values: []string{v}})
	}
	if p.NodeName != "" {
		selector[corev1.LabelHostname] = append(selector[corev1.LabelHostname],
			corev1.NodeSelectorRequirement{Operator: corev1.NodeSelectorOpIn, Values: []string{p.NodeName}})
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil ||
		p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return []term{selector}
	}
	var out []term
	for _, nt := range p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		t := term{}
		for k, v := range selector {
			t[k] = slices.Clone(v)
		}
		for _, e := range nt.MatchExpressions {
			t[e.Key] = append(t[e.Key], e)
		}
		// metadata.name is the only field
		t[corev1.LabelHostname] = append(t[corev1.LabelHostname], nt.MatchFields...)
		out = append(out, t)
	}
	return out
}

// fulfil gives labels that a term accepts, as far as the values that it names allow, and the name of the node where it
// asks for one. Zones and regions of the assumed nodes are no part of the labels where any will do; unzoned nodes have
// those that the term asks for.
func (t term) fulfil(unzoned bool) (labels map[string]string, name string) {
	labels = map[string]string{}
	defaults := withDefaults(nil, "")
	if !unzoned {
		defaults = withDefaults(nil, "a")
		delete(defaults, corev1.LabelTopologyZone)
	}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		value, wanted := valueFor(key, defaults[key], t[key])
		switch {
		case !wanted || key == corev1.LabelTopologyZone && !unzoned:
		case key == corev1.LabelHostname:
			name = value
		default:
			labels[key] = value
		}
	}
	return labels, name
}

// valueFor gives a value of a label that fulfils the requirements; wanted is false if the nodes' own value, or none,
// does.
func valueFor(key, own string, asked []corev1.NodeSelectorRequirement) (value string, wanted bool) {
	var candidates []string
	if own != "" {
		candidates = append(candidates, own)
	}
	presence := false
	for _, r := range asked {
		switch r.Operator {
		case corev1.NodeSelectorOpIn:
			presence = true
			candidates = append(candidates, r.Values...) // "" among them, as of node-role.kubernetes.io/master
		case corev1.NodeSelectorOpExists:
			presence = true
			candidates = append(candidates, "true")
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			presence = true
			if n, err := strconv.Atoi(r.Values[0]); err == nil {
				candidates = append(candidates, strconv.Itoa(n+1), strconv.Itoa(n-1))
			}
		case corev1.NodeSelectorOpNotIn: // of a label that every node has, another value
			if own != "" {
				candidates = append(append(candidates, alternatives[key]...), unnamed("other", asked))
			}
		}
	}
	for _, c := range candidates {
		if takes(c, asked) {
			return c, presence || c != own
		}
	}
	return "", false
}

// alternatives are further values of the labels that the kubelet sets on every node.
var alternatives = map[string][]string{
	corev1.LabelArchStable: {"arm64"},
	corev1.LabelOSStable:   {"windows"},
}

// unnamed is a value of a label that the requirements do not name: word, or word with a number.
func unnamed(word string, asked []corev1.NodeSelectorRequirement) string {
	out := word
	for i := 2; slices.ContainsFunc(asked, func(r corev1.NodeSelectorRequirement) bool {
		return slices.Contains(r.Values, out)
	}); i++ {
		out = fmt.Sprintf("%s%d", word, i)
	}
	return out
}

// takes reports whether a value fulfils all that is asked of its label.
func takes(value string, asked []corev1.NodeSelectorRequirement) bool {
	return !slices.ContainsFunc(asked, func(r corev1.NodeSelectorRequirement) bool {
		number := func(than string) (have, limit int, ok bool) {
			have, err := strconv.Atoi(value)
			limit, err2 := strconv.Atoi(than)
			return have, limit, err == nil && err2 == nil
		}
		switch r.Operator {
		case corev1.NodeSelectorOpIn:
			return !slices.Contains(r.Values, value)
		case corev1.NodeSelectorOpNotIn:
			return slices.Contains(r.Values, value)
		case corev1.NodeSelectorOpDoesNotExist:
			return true
		case corev1.NodeSelectorOpGt:
			have, limit, ok := number(r.Values[0])
			return !ok || have <= limit
		case corev1.NodeSelectorOpLt:
			have, limit, ok := number(r.Values[0])
			return !ok || have >= limit
		}
		return false
	})
}

// domainsOf are the node labels, except for the well-known ones, that pods spread over, keep
// apart or come together by.
func domainsOf(pods []*corev1.PodSpec) []string {
	var out []string
	add := func(key string) {
		switch key {
		case "", corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyRegion:
		default:
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	for _, p := range pods {
		for _, c := range kube.Spreads(p) {
			add(c.TopologyKey)
		}
		for _, t := range kube.Terms(p) {
			add(t.TopologyKey)
		}
	}
	slices.Sort(out)
	return out
}

// reachAll lets every assumed node use the slice's volumes, and says so of those that a
// declared node might not.
func (sl *Slice) reachAll() []finding.Note {
	var out []finding.Note
	for i := range sl.Spec.Claims {
		c := &sl.Spec.Claims[i]
		if c.Affinity != nil || c.Reach != state.Everywhere {
			out = append(out, finding.Say(finding.VolumeReaches).On(c.ID()))
		}
		c.Affinity, c.Reach, c.Allowed = nil, state.Everywhere, nil
	}
	return out
}
