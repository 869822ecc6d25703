package policies

import (
	"fmt"
	"slices"

	"github.com/gobwas/glob"
	corev1 "k8s.io/api/core/v1"
)

// maxFixed is the largest cluster of which each node is told apart by what others take there: it is
// searched at its own size, and nodes that differ cannot be exchanged.
const maxFixed = 12

// Fixed lists the nodes of a cluster whose nodes and their capacity are all declared; false where
// their number is open, their capacity is not known, or they are more than 12.
func (c *Cluster) Fixed() ([]*corev1.Node, bool) {
	if c.Assumed || c.Snapshot != nil {
		return nil, false
	}
	var out []*corev1.Node
	for _, n := range c.Nodes {
		own := n.DeepCopy()
		if own.Labels == nil {
			own.Labels = map[string]string{}
		}
		out = append(out, own)
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		if p.Min != p.Max || p.Autoscaled || p.Spot || p.Elastic || p.Node != "" || p.Karpenter != nil || p.Max > maxFixed {
			return nil, false
		}
		zones := p.Zones
		if len(zones) == 0 {
			zones = []string{""}
		}
		if p.Max%len(zones) != 0 {
			return nil, false // which zone has one more is open
		}
		for _, zone := range zones {
			for k := range p.Max / len(zones) {
				n := p.node(zone).DeepCopy()
				n.Name = fmt.Sprintf("%s-%d", p.Name, k+1)
				if zone != "" {
					n.Name = fmt.Sprintf("%s-%s-%d", p.Name, zone, k+1)
				}
				out = append(out, n)
			}
		}
	}
	return out, len(out) > 0 && len(out) <= maxFixed
}

// Runs reports whether the policy says that a release, by its ID or its path, runs in this cluster.
func (c *Cluster) Runs(names ...string) bool {
	return slices.ContainsFunc(c.Releases, func(pattern string) bool {
		g, err := glob.Compile(pattern, '/')
		return err == nil && slices.ContainsFunc(names, g.Match)
	})
}

// releasePattern says what is wrong with a pattern of releases.
func releasePattern(s string) string {
	if _, err := glob.Compile(s, '/'); err != nil {
		return quote(s) + " is no pattern: " + err.Error()
	}
	return ""
}
