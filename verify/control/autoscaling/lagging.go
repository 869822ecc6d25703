package autoscaling

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// sees are the pods that it counts, of both versions.
func (h *HPA) sees(c *state.Config) []int {
	out := slices.Clone(c.ClassesOf[h.Workload])
	for i := range h.reach {
		out = slices.Concat(out, h.reach[i].beside, h.reach[i].contested)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
