package autoscaling

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Sees implements [actor.Lagging]: the pods that it counts, of both versions.
func (h *HPA) Sees(c *state.Config) []int {
	out := slices.Clone(c.ClassesOf[h.Workload])
	for i := range h.reach {
		out = slices.Concat(out, h.reach[i].beside, h.reach[i].contested)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Expects implements [actor.Lagging]: it writes no pods, and asks for the scale that it wrote.
func (*HPA) Expects() bool { return false }
