package state

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Beside is the use of each node of a class by pods outside the problem. These pods neither come nor go.
type Beside struct {
	Pods []BesidePods // by rising priority
	// Mark tells nodes apart that take the same: where the slice's own pods run.
	Mark string
}

// BesidePods are pods of one priority together.
type BesidePods struct {
	Priority int32
	Count    int
	Requests corev1.ResourceList
	// Scored is what the scheduler's scores count of CPU, in millicores, and memory, in bytes.
	Scored [2]int64
	Ports  []corev1.ContainerPort // of the node
}

// EveryPriority is below all that a pod can have.
const EveryPriority = math.MinInt32

// Key is equal for equal loads.
func (b *Beside) Key() string {
	if b == nil {
		return ""
	}
	var out strings.Builder
	for _, p := range b.Pods {
		fmt.Fprintf(&out, "%d: %d %v", p.Priority, p.Count, p.Scored)
		for _, name := range slices.Sorted(maps.Keys(p.Requests)) {
			q := p.Requests[name]
			fmt.Fprintf(&out, " %q=%s", name, q.AsDec())
		}
		for _, port := range p.Ports {
			fmt.Fprintf(&out, " %s:%d/%s", port.HostIP, port.HostPort, port.Protocol)
		}
		out.WriteByte(';')
	}
	return out.String() + b.Mark
}

// Free is the part of the node's allocatable resources that pods of a priority or a higher one leave.
func (c *NodeClass) Free(priority int32) corev1.ResourceList {
	if c.Beside == nil {
		return c.Node.Status.Allocatable
	}
	out := c.Node.Status.Allocatable.DeepCopy()
	for _, p := range c.Beside.Pods {
		if p.Priority < priority {
			continue
		}
		taken := p.Requests.DeepCopy()
		if taken == nil {
			taken = corev1.ResourceList{}
		}
		taken[corev1.ResourcePods] = *resource.NewQuantity(int64(p.Count), resource.DecimalSI)
		for name, q := range taken {
			if have, ok := out[name]; ok {
				if have.Sub(q); have.Sign() < 0 {
					have = *resource.NewQuantity(0, have.Format)
				}
				out[name] = have
			}
		}
	}
	return out
}
