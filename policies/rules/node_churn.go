package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// nodeChurn says that nodes are not added for a workload forever: ◇□(no node comes for a
// pod of the workload), once no event happens any more.
//
// Intent: what sizes the cluster and what places in it agree on where pods fit.
// Class: liveness; the counterexample is a lasso in whose loop a node comes while a pod
// of the workload has none. As a topology is finite, a node also goes in it.
// Assumes: weak fairness of every actor; a step after which more nodes are there than
// before is an addition.
// Does not say: that the nodes are well used, or that the cost is right.
var nodeChurn = Rule{
	ID:       NodeChurn,
	Class:    Oscillation,
	Title:    "nodes are added and removed forever",
	Severity: Error,
	Facets:   NodesComeAndGo,
	Blind:    BlindToStarts | BlindToStops,
	Help: Help{
		Real: `A node autoscaler removes a node whose pods then fit nowhere, adds one, and so on forever. Real if
the pools' allocatable resources and minimum counts are as declared.`,
		Bad: `Every turn drains a node, kills its pods and pays for a machine. Between turns the cluster looks
healthy.`,
		Now: `- If replicas oscillate too, end that first.
- Require what the descheduler enforces.
- Keep a node: a larger minimum, or ` + "`cluster-autoscaler.kubernetes.io/scale-down-disabled`" + `.
- Leave room for the largest pod.
- Hard spread: ` + "`nodeTaintsPolicy: Honor`" + `.`,
		Sources: []string{
			"https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md",
			"https://github.com/kubernetes/autoscaler/issues/581",
			"https://github.com/kubernetes/autoscaler/pull/9288",
			"https://github.com/kubernetes-sigs/descheduler/issues/1713",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || !c.Autoscales() {
			return Property{}
		}
		return Property{
			Recurs: func(from, to state.State) bool {
				return to.GoneNodes() < from.GoneNodes() && hasPending(from, w)
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("nodes can be added for pods of %s and removed again forever with no event left to happen: the loop starts at %s, %s",
					FullName(c, w), english.Plural(s.PresentNodes(), "node", ""), wanted(s, w))
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// hasPending reports whether a pod of workload w has no node.
func hasPending(s state.State, w int) bool {
	for _, p := range s.C.ClassesOf[w] {
		if s.Pending(p) > 0 {
			return true
		}
	}
	return false
}
