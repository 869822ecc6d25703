package rules

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// crashLoop says that placement does not kill forever: ◇□(no node goes down under the
// workload's pods), once no event happens any more, and □◇(no node refuses its pods).
//
// Intent: where pods are put, they can run.
// Class: liveness; the counterexample is a lasso in whose loop a node goes down and takes
// ready pods of the workload with it. For pods that name their node it is a run that ends,
// or goes on forever, with a pod that its node refuses: what fails and what is created in
// its place are one state.
// Assumes: weak fairness of every actor; a node that restarts by itself went down under
// its pods.
// Does not say: that a program does not crash of itself: no placement is to blame for it.
var crashLoop = Rule{
	ID:       "crash-loop",
	Class:    Oscillation,
	Title:    "placement kills a node or pods again and again",
	Severity: Error,
	Help: Help{
		What: `No fair run may do one of the two forever when no event is left to happen:

- bring a node down under ready pods of the workload: pods that use more CPU than they request come
  to stand on one node, the node goes down, comes back, and the same pods, or others in their place,
  do it again. The rule says something only where the policy says that nodes do go down
  (` + "`events.nodePanic`" + `), that pods use more than they request while they start up
  (` + "`events.startupSpike`" + `), and how much CPU nodes have. Pods that keep to their requests bring no
  node down;
- have pods refused by the node that ` + "`spec.nodeName`" + ` names, for want of room or of a host port, or
  because it is short of disk or memory (` + "`events.diskPressure`, `events.memoryPressure`" + `). No
  scheduler asked whether they fit; the kubelet does, the pod fails, and the ReplicaSet creates the
  next one at once.`,
		Why: `The scheduler counts requests, and a machine feels use. A few pods whose request is a fraction of what
they need fit a node on paper; started together they take all of it, the kubelet and the kernel
included, and everything else on the node goes down with them. When the node is back its pods start
together once more, and where they were replaced meanwhile it is the next node's turn.

Nobody sees a scheduling failure: every pod was placed, and every node reports room. Pods that a node
refuses stay behind as failed objects, several a second, until the API server and etcd feel it.`,
		Mend: `- Request what the pods need to start, or cap them with a CPU limit that a full node can bear.
- Keep them apart: a hard topology spread over ` + "`kubernetes.io/hostname`" + `, or required anti-affinity;
  do not pull them together by pod affinity or ` + "`MostAllocated`" + `.
- Leave a share of every node to the system (` + "`kubeReserved`" + `, ` + "`systemReserved`" + `).
- Say ` + "`nodeSelector`" + ` in place of ` + "`nodeName`" + `: a pod that does not fit waits, and is not killed;
  with more than one node to choose from it goes elsewhere.`,
		Sources: []string{
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
			"https://updates.moonlightwork.com/outage-post-mortem-87370",
			"https://github.com/kubernetes/kubernetes/issues/38806",
			"https://github.com/kubernetes/kubernetes/issues/134712",
			"https://github.com/kubernetes/kubernetes/issues/94245",
			"https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || !c.Panics() && !bound(c, w) {
			return Property{}
		}
		out := Property{
			Recurs: func(from, to state.State) bool {
				return to.PanickedNodes() > from.PanickedNodes() && to.ReadyOf(w) < from.ReadyOf(w)
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("nodes can go down under the pods of %s again and again with no event left to happen: the loop starts at %s, %d ready",
					FullName(c, w), wanted(s, w), s.ReadyOf(w))
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
		if bound(c, w) {
			out.Recurs, out.Persists = nil, func(s state.State) bool { return refused(s, w) > 0 }
			out.Fields = append([]string{"Workload:spec.template.spec.nodeName"}, out.Fields...)
			out.Message = func(s state.State) string {
				return fmt.Sprintf("%s of %s can be refused by the node and created again forever: %d of %s %s",
					Count(refused(s, w), "pod"), FullName(c, w), s.ReadyOf(w), wanted(s, w), runs(s.ReadyOf(w)))
			}
		}
		return out
	},
}

// bound says whether pods of workload w name their node, and skip the scheduler.
func bound(c *state.Config, w int) bool {
	return slices.ContainsFunc(c.ClassesOf[w], func(p int) bool { return c.Pods[p].Template.Spec.NodeName != "" })
}

// refused is the number of pods of workload w that the node which they name refuses.
func refused(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		if s.C.Pods[p].Template.Spec.NodeName != "" {
			total += s.Pending(p)
		}
	}
	return total
}
