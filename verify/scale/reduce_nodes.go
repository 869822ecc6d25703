package scale

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// nodeGroup is node classes whose sizes are bounded together: those of a pool, or those
// of one size that belong to none, such as the zones of a cluster of real nodes.
type nodeGroup struct {
	classes     []int
	least, most int // nodes of the group
}

// parts is by how much a number of nodes of the group must remain divisible: by the
// number of its classes, where it is.
func (g nodeGroup) parts(n int) int {
	if n%len(g.classes) == 0 {
		return len(g.classes)
	}
	return 1
}

func nodeGroups(classes []state.NodeClass) []nodeGroup {
	var out []nodeGroup
	for i, c := range classes {
		same := func(g nodeGroup) bool {
			o := classes[g.classes[0]]
			return o.Pool == c.Pool && (c.Pool != "" || o.Min == c.Min && o.Max == c.Max)
		}
		k := slices.IndexFunc(out, same)
		if k < 0 {
			k = len(out)
			out = append(out, nodeGroup{least: c.PoolMin, most: c.PoolMax})
		}
		out[k].classes = append(out[k].classes, i)
		if c.Pool == "" {
			out[k].least += c.Min
			out[k].most += c.Max
		}
	}
	return out
}

// reduceNodes gives the classes with as many nodes as counts gives their groups, each with an even part, as pools and
// clusters balance their zones.
func reduceNodes(classes []state.NodeClass, counts Counts) []state.NodeClass {
	out := slices.Clone(classes)
	for _, g := range nodeGroups(classes) {
		least, most, n := counts.Of(g.least), counts.Of(g.most), len(g.classes)
		for _, i := range g.classes {
			out[i].Min, out[i].Max = least/n, (most+n-1)/n
			if out[i].Pool != "" {
				out[i].PoolMin, out[i].PoolMax = least, most
			}
		}
	}
	return out
}
