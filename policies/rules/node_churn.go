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
	ID:       "node-churn",
	Class:    Oscillation,
	Title:    "nodes are added and removed forever",
	Severity: Error,
	Blind:    BlindToStarts | BlindToStops,
	Help: Help{
		Real: `A fair run adds nodes for pending pods of the workload forever with no event left: a node autoscaler
removes a node as superfluous, its pods fit nowhere, and a new node comes for them.

The rule applies if the policy has the cluster autoscaler (` + "`controllers.clusterAutoscaler`" + `, on ` + "`autoscaled`" + `
pools) or Karpenter (a NodePool among the manifests, or ` + "`controllers.karpenter`" + `). They simulate where pods
would go; the scheduler decides otherwise. The cluster autoscaler uses the scheduler's filters for all
pods of the node at once; Karpenter takes preferences as requirements. It is real if those pools'
allocatable resources and minimum counts are as declared.`,
		Bad: `Every turn, ten minutes or more, drains a node, kills its pods, pays for a machine that starts and stops,
and pulls every image again. The cluster looks healthy whenever somebody looks.`,
		Now: `- If replicas oscillate in the same loop, end that first: it is the cause.
- Require what the descheduler enforces, or let it ignore preferences
  (` + "`nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]`" + `).
- Keep a node where the loop starts: a larger minimum of its pool, or the annotation
  ` + "`cluster-autoscaler.kubernetes.io/scale-down-disabled`" + `.
- Leave room for the largest pod on the nodes that stay.
- ` + "`nodeTaintsPolicy: Honor`" + ` on hard topology spread constraints: autoscalers from before mid-2026 overlook
  that a node under removal still counts as an empty domain.`,
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
