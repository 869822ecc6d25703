package policies

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// NodeName stands for nodes' names beside the label keys that
// [Policy.NodeClasses] asks about: relevant where a manifest names single nodes, by
// matchFields, by a kubernetes.io/hostname value or by nodeName.
const NodeName = metav1.ObjectNameField

// NodeImage, with the name of a container image after it, stands for that image's being
// on a node beside the label keys that [Policy.NodeClasses] asks about: relevant where a
// pod runs it, as the scheduler prefers nodes that have it.
const NodeImage = "status.images:"

// NodeClasses is the quotient of the declared nodes by what can make a difference: the
// labels of which relevant says so (nil: all), taints, allocatable,
// spec.unschedulable, and the images of which relevant says so (see [NodeImage]). Classes come in the order of the
// cluster's first nodes and pools.
//
// kubernetes.io/hostname tells no nodes apart, as each node has a different one; [NodeName] does. Nodes of which only
// allocatable memory and ephemeral storage differ, and by 1% at most, are one class with the least of them: equal
// machines report unequal bytes.
//
// Declared nodes give a class of exactly their number. A pool over z zones gives one
// class a zone, each of ⌊min/z⌋ to ⌈max/z⌉ nodes: how node groups that balance their
// zones split every size from min to max. A zone can thus hold one node more than
// another, or none where min is less than z; together they keep to the pool's bounds.
func (p *Policy) NodeClasses(relevant func(key string) bool) []state.NodeClass {
	if relevant == nil {
		relevant = func(key string) bool { return key != NodeName && !strings.HasPrefix(key, NodeImage) }
	}
	q := quotient{relevant: relevant, of: map[string][]int{}, beside: p.Cluster.Beside}
	for _, n := range p.Cluster.Nodes {
		q.addNode(n)
	}
	for i := range p.Cluster.Pools {
		q.addPool(&p.Cluster.Pools[i])
	}
	return q.named()
}

// quotient collects node classes.
type quotient struct {
	beside   map[string]*state.Beside // by node
	relevant func(key string) bool
	classes  []state.NodeClass
	parts    [][]string        // pools of each class, in order
	zones    []map[string]bool // of each class, also where the zone makes no difference
	of       map[string][]int  // classes by what must be equal
}

func (q *quotient) addNode(n *corev1.Node) {
	q.add(state.NodeClass{Node: n, Names: []string{n.Name}, Min: 1, Max: 1, Spot: isSpot(n), Beside: q.beside[n.Name]},
		poolOf(n), n.Labels[corev1.LabelTopologyZone])
}

func (q *quotient) addPool(p *NodePool) {
	if p.Node != "" {
		q.add(state.NodeClass{Node: p.node(p.Zones[0]), Names: []string{p.Node}, Min: 1, Max: 1, Elastic: p.Elastic}, p.Name,
			"")
		return
	}
	if len(p.Zones) == 0 {
		q.add(state.NodeClass{Node: p.node(""), Min: p.Min, Max: p.Max, Elastic: p.Elastic, Autoscaled: p.Autoscaled,
			Spot: p.Spot, Karpenter: p.Karpenter}, p.Name, "")
		return
	}
	if !q.relevant(corev1.LabelTopologyZone) {
		q.add(state.NodeClass{Node: p.node(p.Zones[0]), Min: p.Min, Max: p.Max, Elastic: p.Elastic, Autoscaled: p.Autoscaled,
			Spot: p.Spot, Karpenter: p.Karpenter}, p.Name, "")
		return
	}
	z := len(p.Zones)
	for _, zone := range p.Zones {
		q.add(state.NodeClass{
			Node: p.node(zone), Min: p.Min / z, Max: (p.Max + z - 1) / z, Elastic: p.Elastic, Autoscaled: p.Autoscaled,
			Spot: p.Spot, Karpenter: p.Karpenter,
			Pool: p.Name, PoolMin: p.Min, PoolMax: p.Max,
		}, p.Name, zone)
	}
}

// AssumedRegion is the region of the nodes of pools with zones.
const AssumedRegion = "region-1"

// node is the template of a pool's nodes in a zone; "" is none.
func (p *NodePool) node(zone string) *corev1.Node {
	labels := map[string]string{corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}
	if zone != "" && !p.Unzoned {
		labels[corev1.LabelTopologyZone] = zone
		labels[corev1.LabelTopologyRegion] = AssumedRegion
	}
	for _, key := range p.Follows {
		labels[key] = zone
	}
	maps.Copy(labels, p.Labels)
	var annotations map[string]string
	if p.Derived {
		annotations = map[string]string{"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}
	}
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: p.Name, Labels: labels, Annotations: annotations},
		Spec:       corev1.NodeSpec{Taints: p.Taints},
		Status:     corev1.NodeStatus{Allocatable: p.Allocatable},
	}
}

// add puts nodes to the class they are like, or opens one.
func (q *quotient) add(c state.NodeClass, pool, zone string) {
	key := q.key(c)
	for _, i := range q.of[key] {
		into := &q.classes[i]
		if len(c.Names) != 0 != (len(into.Names) != 0) || !alike(into.Node.Status.Allocatable, c.Node.Status.Allocatable) {
			continue
		}
		lower(into.Node.Status.Allocatable, c.Node.Status.Allocatable)
		into.Names = append(into.Names, c.Names...)
		into.Max += c.Max
		into.Min += c.Min
		if !slices.Contains(q.parts[i], pool) {
			q.parts[i] = append(q.parts[i], pool)
			into.Pool, into.PoolMin, into.PoolMax = "", 0, 0 // of several: no common bound
		}
		q.zones[i][zone] = true
		return
	}
	n := c.Node.DeepCopy()
	n.Labels, n.Status.Images = q.seen(n), q.images(n)
	n.Labels[corev1.LabelHostname] = n.Name
	if n.Status.Allocatable == nil {
		n.Status.Allocatable = corev1.ResourceList{}
	}
	c.Node, c.Names = n, slices.Clone(c.Names)
	q.of[key] = append(q.of[key], len(q.classes))
	q.classes = append(q.classes, c)
	q.parts = append(q.parts, []string{pool})
	q.zones = append(q.zones, map[string]bool{zone: true})
}

// seen are the labels of a node that can make a difference, except for its hostname.
func (q *quotient) seen(n *corev1.Node) map[string]string {
	out := map[string]string{}
	for k, v := range n.Labels {
		if k != corev1.LabelHostname && q.relevant(k) {
			out[k] = v
		}
	}
	return out
}

// images are those on a node that can make a difference, in the order of their names.
func (q *quotient) images(n *corev1.Node) []corev1.ContainerImage {
	var out []corev1.ContainerImage
	for _, image := range n.Status.Images {
		var names []string
		for _, name := range image.Names {
			if q.relevant(NodeImage + name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			slices.Sort(names)
			out = append(out, corev1.ContainerImage{Names: names, SizeBytes: image.SizeBytes})
		}
	}
	slices.SortStableFunc(out, func(a, b corev1.ContainerImage) int { return slices.Compare(a.Names, b.Names) })
	return out
}

// key is equal for nodes that may fall into one class.
func (q *quotient) key(c state.NodeClass) string {
	var b strings.Builder
	n := c.Node
	fmt.Fprintf(&b, "%t %t %t %t\n", c.Elastic, c.Autoscaled, c.Spot, n.Spec.Unschedulable)
	if c.Karpenter != nil {
		fmt.Fprintf(&b, "%q\n", c.Karpenter.NodePool)
	}
	if q.relevant(NodeName) && len(c.Names) > 0 {
		fmt.Fprintf(&b, "%q\n", n.Name)
	}
	labels := q.seen(n)
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%q=%q\n", k, labels[k])
	}
	for _, image := range q.images(n) {
		fmt.Fprintf(&b, "%q of %d\n", image.Names, image.SizeBytes)
	}
	taints := make([]string, len(n.Spec.Taints))
	for i, t := range n.Spec.Taints {
		taints[i] = fmt.Sprintf("%q=%q:%q", t.Key, t.Value, t.Effect)
	}
	fmt.Fprintln(&b, slices.Sorted(slices.Values(taints)))
	for _, k := range slices.Sorted(maps.Keys(n.Status.Allocatable)) {
		quantity := n.Status.Allocatable[k]
		if varies(k) {
			fmt.Fprintf(&b, "%q\n", k)
		} else {
			fmt.Fprintf(&b, "%q:%v\n", k, quantity.AsApproximateFloat64())
		}
	}
	b.WriteString(c.Beside.Key())
	return b.String()
}

// varies reports whether equal machines report unequal amounts of a resource.
func varies(k corev1.ResourceName) bool {
	return k == corev1.ResourceMemory || k == corev1.ResourceEphemeralStorage
}

// alike reports whether amounts that may vary differ by 1% at most. have and more have the
// same resources.
func alike(have, more corev1.ResourceList) bool {
	for k, a := range have {
		if b := more[k]; varies(k) {
			x, y := a.AsApproximateFloat64(), b.AsApproximateFloat64()
			if max(x, y) > min(x, y)*1.01 {
				return false
			}
		}
	}
	return true
}

// lower takes the least amounts.
func lower(have, more corev1.ResourceList) {
	for k, a := range have {
		if b := more[k]; b.Cmp(a) < 0 {
			have[k] = b.DeepCopy()
		}
	}
}

// poolLabels are those by which providers tell node pools, most telling first. They
// name classes and nothing else.
var poolLabels = [...]string{
	"karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name",
	"cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool", "agentpool",
	"doks.digitalocean.com/node-pool", "node.kubernetes.io/instance-type",
}

// spotLabels are those by which providers mark nodes that they may take back.
var spotLabels = [...][2]string{
	{"karpenter.sh/capacity-type", "spot"}, {"eks.amazonaws.com/capacityType", "SPOT"},
	{"cloud.google.com/gke-spot", "true"}, {"cloud.google.com/gke-preemptible", "true"},
	{"kubernetes.azure.com/scalesetpriority", "spot"},
}

// isSpot reports whether a real node is one that the provider may take back.
func isSpot(n *corev1.Node) bool {
	return slices.ContainsFunc(spotLabels[:], func(l [2]string) bool { return n.Labels[l[0]] == l[1] })
}

// poolOf is the pool that a real node is of, as far as its labels say.
func poolOf(n *corev1.Node) string {
	for _, k := range poolLabels {
		if v := n.Labels[k]; v != "" {
			return v
		}
	}
	const role = "node-role.kubernetes.io/"
	for _, k := range slices.Sorted(maps.Keys(n.Labels)) {
		if v, ok := strings.CutPrefix(k, role); ok && v != "" {
			return v
		}
	}
	return "nodes"
}

// named gives the classes names for people: the pools, and the zone where all nodes are
// of one.
func (q *quotient) named() []state.NodeClass {
	used := map[string]int{}
	for i := range q.classes {
		c := &q.classes[i]
		name := strings.Join(q.parts[i], "+")
		if zones := slices.Sorted(maps.Keys(q.zones[i])); len(zones) == 1 && zones[0] != "" {
			name += "-" + zones[0]
		}
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s.%d", name, used[name])
		}
		c.Name = name
		if len(c.Names) > 0 {
			slices.SortFunc(c.Names, cmp.Compare)
			name = c.Names[0]
		}
		c.Node.Name, c.Node.Labels[corev1.LabelHostname] = name, name
	}
	return q.classes
}
