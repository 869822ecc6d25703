package rules

import (
	"fmt"

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
	Help: Help{
		What: `No fair run may add nodes for pending pods of the workload forever when no event is left to
happen: a loop in which a node autoscaler removes a node that it takes for superfluous, the
pods of that node fit nowhere, and a new node comes for them.

The rule says something only where the policy has the cluster autoscaler run
(` + "`controllers.clusterAutoscaler`" + `, on pools that are ` + "`autoscaled`" + `), or Karpenter (a NodePool among the
manifests, or ` + "`controllers.karpenter`" + `, on the pool of its name).`,
		Why: `The autoscaler simulates where the pods of a node would go, and the scheduler decides where they
do go. Where the two differ, every turn drains a node and kills its pods, pays for a machine that
starts and stops, and pulls every image again. Each turn takes ten minutes and more, so that the
cluster looks healthy whenever somebody looks.

The autoscaler reckons by the scheduler's filters, all pods of the node at once; the scheduler places
one after the other, by scores: what fits together can come to stand so that the last one does not fit.
Karpenter takes what a pod prefers as required, when it makes nodes and when it looks whether one can
go; the scheduler takes it as a score among many, and puts a pod where Karpenter would not.
Whatever moves the pods back once the new node is there closes the loop, such as a descheduler that
enforces preferences. An autoscaler or a GitOps controller that takes replicas away and gives them
back does the same to the nodes under them.`,
		Mend: `- Where replicas go up and down in the same loop, end that first: it is the cause.
- Require what the descheduler enforces, or let it leave preferences alone
  (` + "`nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]`" + `).
- Keep a node where the loop begins: a larger minimum of its pool, or the annotation
  ` + "`cluster-autoscaler.kubernetes.io/scale-down-disabled`" + `.
- Leave room for the largest pod on the nodes that stay.
- ` + "`nodeTaintsPolicy: Honor`" + ` on hard topology spread constraints: autoscalers of before mid-2026 take no
  account of it that a node which is being removed still counts as an empty domain.`,
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
					FullName(c, w), Count(s.PresentNodes(), "node"), wanted(s, w))
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// hasPending says whether a pod of workload w has no node.
func hasPending(s state.State, w int) bool {
	for _, p := range s.C.ClassesOf[w] {
		if s.Pending(p) > 0 {
			return true
		}
	}
	return false
}
