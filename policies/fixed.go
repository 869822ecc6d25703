package policies

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gobwas/glob"
	corev1 "k8s.io/api/core/v1"
)

// maxFixed is the largest cluster of which each node is distinguished by what others take there: it is
// searched at its own size, and nodes that differ cannot be exchanged.
const maxFixed = 12

// Fixed lists the nodes of a cluster whose nodes and their capacity are all declared; false where
// their number is open, their capacity is not known, or they are more than 12.
func (c *Cluster) Fixed() ([]*corev1.Node, bool) {
	for i := range c.Pools {
		if c.Pools[i].Min != c.Pools[i].Max {
			return nil, false
		}
	}
	sizes := c.Sizes()
	if len(sizes) != 1 {
		return nil, false
	}
	return sizes[0], true
}

// Sizes lists the clusters that the declared nodes and pools allow, by a rising number of nodes up to
// 12, each with its nodes; nil where their capacity is not known, or another loop adds and removes them.
func (c *Cluster) Sizes() [][]*corev1.Node {
	if c.Assumed || c.Snapshot != nil {
		return nil
	}
	var own []*corev1.Node
	for _, n := range c.Nodes {
		n = n.DeepCopy()
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		own = append(own, n)
	}
	out := [][]*corev1.Node{own}
	for i := range c.Pools {
		p := &c.Pools[i]
		if p.Autoscaled || p.Spot || p.Elastic || p.Node != "" || p.Karpenter != nil {
			return nil
		}
		var next [][]*corev1.Node
		for _, have := range out {
			for n := p.Min; n <= p.Max && len(have)+n <= maxFixed; n++ {
				if n%max(len(p.Zones), 1) == 0 { // else it is open which zone has one more
					next = append(next, append(slices.Clone(have), p.nodes(n)...))
				}
			}
		}
		out = next
	}
	out = slices.DeleteFunc(out, func(nodes []*corev1.Node) bool { return len(nodes) == 0 || len(nodes) > maxFixed })
	slices.SortStableFunc(out, func(a, b []*corev1.Node) int { return cmp.Compare(len(a), len(b)) })
	return out
}

// nodes are n nodes of a pool, as many in each of its zones.
func (p *NodePool) nodes(n int) []*corev1.Node {
	zones := p.Zones
	if len(zones) == 0 {
		zones = []string{""}
	}
	var out []*corev1.Node
	for _, zone := range zones {
		for k := range n / len(zones) {
			node := p.node(zone).DeepCopy()
			node.Name = fmt.Sprintf("%s-%d", p.Name, k+1)
			if zone != "" {
				node.Name = fmt.Sprintf("%s-%s-%d", p.Name, zone, k+1)
			}
			out = append(out, node)
		}
	}
	return out
}

// Runs reports whether the policy says that a release, by its ID or its path, runs in this cluster.
func (c *Cluster) Runs(names ...string) bool { return matchAny(c.Releases, names...) }

// Parks reports whether the policy says that a file is not applied.
func (p *Policy) Parks(file string) bool { return matchAny(p.Parked, file) }

func matchAny(patterns []string, names ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		g, err := glob.Compile(pattern, '/')
		return err == nil && slices.ContainsFunc(names, g.Match)
	})
}

// releasePattern says what is wrong with a pattern of releases.
func releasePattern(s string) string {
	if _, err := glob.Compile(s, '/'); err != nil {
		return quote(s) + " is not a pattern: " + err.Error()
	}
	return ""
}
