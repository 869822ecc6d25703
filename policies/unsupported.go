package policies

import (
	"fmt"
	"slices"
)

// Unsupported names keys that the file sets and this version reads but does not model, each with the assumption in its
// place, such as "events.spotReclaim (line 12): no node pool is spot", in the order of the file format. Keys at their
// default are not named.
func (p *Policy) Unsupported() []string {
	var out []string
	say := func(on bool, at, assumed string) {
		if line := p.lines[at]; on && line != 0 {
			out = append(out, fmt.Sprintf("%s (line %d): %s", at, line, assumed))
		}
	}
	for i, pool := range p.Cluster.Pools {
		say(pool.Autoscaled && !p.Controllers.ClusterAutoscaler && pool.Karpenter == nil,
			fmt.Sprintf("cluster.nodePools[%d].autoscaled", i),
			"without controllers.clusterAutoscaler no node comes or goes; each number of nodes within count is tried by itself")
	}
	c, e := p.Controllers, p.Events
	autoscaled := slices.ContainsFunc(p.Cluster.Pools, func(pool NodePool) bool { return pool.Autoscaled })
	say(c.ClusterAutoscaler && !autoscaled, "controllers.clusterAutoscaler",
		"no node pool is autoscaled, so that it has nothing to do")
	spot := slices.ContainsFunc(p.Cluster.Pools, func(pool NodePool) bool { return pool.Spot }) ||
		slices.ContainsFunc(p.Cluster.Nodes, isSpot)
	say(e.Spot != nil && !spot, "events.spotReclaim",
		"no node pool is spot, and no node has a provider's label for it: none is reclaimed")
	return slices.Clip(out)
}
