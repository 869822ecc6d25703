package slice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Shapes marks the node classes that can be exchanged: their nodes are equal except for
// labels whose values no manifest names and no other class shares, such as the zone of
// a pool's nodes. A pod that spreads over zones sees three of them, not which is which.
func (sl *Slice) Shapes(classes []state.NodeClass) {
	shared := map[string]int{}
	for _, c := range classes {
		for k, v := range c.Node.Labels {
			shared[k+"="+v]++
		}
	}
	for i, c := range classes {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %d %q %d %d %t %t %t %t\n", c.Min, c.Max, c.Pool, c.PoolMin, c.PoolMax, c.Elastic, c.Autoscaled,
			c.Spot, c.Node.Spec.Unschedulable)
		if c.Karpenter != nil {
			fmt.Fprintf(&b, "%q\n", c.Karpenter.NodePool)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Node.Labels)) {
			v := c.Node.Labels[k]
			switch {
			case k == corev1.LabelHostname: // every node has its own
			case sl.Values[k] || shared[k+"="+v] > 1:
				fmt.Fprintf(&b, "%q=%q\n", k, v)
			default:
				fmt.Fprintf(&b, "%q\n", k)
			}
		}
		for _, t := range c.Node.Spec.Taints {
			fmt.Fprintf(&b, "%q=%q:%q\n", t.Key, t.Value, t.Effect)
		}
		for _, image := range c.Node.Status.Images {
			fmt.Fprintf(&b, "%q of %d\n", image.Names, image.SizeBytes)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Node.Status.Allocatable)) {
			q := c.Node.Status.Allocatable[k]
			fmt.Fprintf(&b, "%q:%s\n", k, q.String())
		}
		b.WriteString(c.Beside.Key())
		if sl.Values[policies.NodeName] { // a node is called by its name
			fmt.Fprintf(&b, "%d\n", i)
		}
		classes[i].Shape = b.String()
	}
}
