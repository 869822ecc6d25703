package policies

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// grow has Karpenter's pools sized as the snapshot's NodePools say, and adds the nodes that an autoscaler
// of the cluster may bring where the policy declares none: of each pool that has nodes, further ones
// like its largest. Which sizes may come is not known, so that [Cluster.Grows] still doubts what rests
// on room.
func (p *Policy) grow(s *snapshot.Snapshot) {
	if p.Cluster.Grows() != "" {
		p.derive(s)
	}
	if found := karpenterPools(s); len(found) > 0 && p.Controllers.KarpenterFile == "" {
		with, _ := p.WithKarpenter(found)
		*p = *with
	}
	p.Cluster.Pools = slices.DeleteFunc(p.Cluster.Pools, func(pool NodePool) bool { return pool.Derived && pool.Max <= 0 })
}

// derive adds a pool for each group of nodes that may grow.
func (p *Policy) derive(s *snapshot.Snapshot) {
	static := map[string]bool{} // NodePools of a fixed number of nodes
	for i := range s.NodePools {
		static[s.NodePools[i].Name] = s.NodePools[i].Replicas != nil
	}
	scaled := slices.ContainsFunc(s.Controllers,
		func(x snapshot.Controller) bool { return x.Name == "cluster-autoscaler" })
	grows := func(n *corev1.Node) bool {
		if of := n.Labels[nodePoolLabel]; of != "" {
			fixed, known := static[of]
			return known && !fixed
		}
		return scaled && slices.ContainsFunc(poolLabels[:], func(key string) bool { return n.Labels[key] != "" })
	}
	groups := map[string][]*corev1.Node{}
	for _, n := range p.Cluster.Nodes {
		if grows(n) {
			groups[poolOf(n)] = append(groups[poolOf(n)], n)
		}
	}
	most := mostNodes(s)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if !slices.ContainsFunc(p.Cluster.Pools, func(pool NodePool) bool { return pool.Name == name }) {
			pool := likeLargest(name, groups[name])
			pool.Max = most
			p.Cluster.Pools = append(p.Cluster.Pools, pool)
		}
	}
	p.Controllers.ClusterAutoscaler = p.Controllers.ClusterAutoscaler || scaled
}

// mostNodes is how many nodes more a cluster autoscaler may make in all, as its flag says.
func mostNodes(s *snapshot.Snapshot) int {
	if most, err := strconv.Atoi(flagsOf(s, "cluster-autoscaler")["max-nodes-total"]); err == nil && most > 0 {
		return max(most-len(s.Nodes), 0)
	}
	return math.MaxInt32
}

// likeLargest is a pool of nodes like the largest of some, with their common properties.
func likeLargest(name string, nodes []*corev1.Node) NodePool {
	largest := slices.MaxFunc(nodes, func(a, b *corev1.Node) int {
		x, y := a.Status.Allocatable, b.Status.Allocatable
		return cmp.Or(x.Cpu().Cmp(*y.Cpu()), x.Memory().Cmp(*y.Memory()), cmp.Compare(b.Name, a.Name))
	})
	pool := NodePool{Name: name, Autoscaled: true, Derived: true, Labels: maps.Clone(largest.Labels),
		Allocatable: largest.Status.Allocatable, Spot: true}
	zones := map[string]bool{}
	for _, n := range nodes {
		maps.DeleteFunc(pool.Labels, func(key, value string) bool { return n.Labels[key] != value })
		pool.Spot = pool.Spot && isSpot(n)
		zones[n.Labels[corev1.LabelTopologyZone]] = true
	}
	delete(pool.Labels, corev1.LabelHostname)
	delete(pool.Labels, corev1.LabelTopologyZone)
	if delete(zones, ""); len(zones) > 0 {
		pool.Zones = slices.Sorted(maps.Keys(zones))
	}
	for _, t := range largest.Spec.Taints {
		// What a controller sets on one node says nothing of the next one.
		own := !strings.HasPrefix(t.Key, "node.kubernetes.io/") && !strings.HasPrefix(t.Key, "karpenter.sh/")
		lacks := func(n *corev1.Node) bool {
			return !slices.ContainsFunc(n.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&t) })
		}
		if own && !slices.ContainsFunc(nodes, lacks) {
			pool.Taints = append(pool.Taints, t)
		}
	}
	return pool
}

// karpenterPools are the NodePools of a snapshot, with upstream's defaults filled in.
func karpenterPools(s *snapshot.Snapshot) []*KarpenterPool {
	var out []*KarpenterPool
	for i := range s.NodePools {
		n := &s.NodePools[i]
		k := &KarpenterPool{
			Karpenter: state.Karpenter{
				NodePool: n.Name, Never: n.ConsolidateAfter == neverAfter ||
					n.Replicas != nil, WhenEmpty: n.Consolidation == whenEmpty,
				Expires: n.ExpireAfter != neverAfter, Patient: n.TerminationGrace == "",
			},
			Labels: map[string]string{nodePoolLabel: n.Name}, Taints: taintsOf(n.Taints), Limits: corev1.ResourceList{},
		}
		maps.Copy(k.Labels, n.Labels)
		for name, amount := range n.Limits {
			k.Limits[corev1.ResourceName(name)], _ = snapshot.Quantity(amount)
		}
		if !n.BudgetsAreDeclared {
			k.Budgets = []state.DisruptionBudget{{Nodes: usualBudget}}
		}
		for _, b := range n.DisruptionBudgets {
			if b.Schedule == "" {
				k.Budgets = append(k.Budgets, state.DisruptionBudget{Nodes: b.Nodes, Reasons: b.Reasons})
			}
		}
		out = append(out, k)
	}
	return out
}
