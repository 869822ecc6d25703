package rules

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// BelowFloor says that ready replicas do not fall under the floor that was declared:
// □¬(ready pods become fewer, and fewer than the floor).
//
// Intent: a change keeps serving while it happens.
// Class: safety; the counterexample ends with the step that takes the pod.
// Assumes: a ready pod serves.
// Does not say: that the floor is enough for the load; or anything while pods start for
// the first time, as nothing falls then.
var BelowFloor = BelowFloorAt(0)

// BelowFloorAt is the rule with the user's own floor, in pods; 0 derives it.
func BelowFloorAt(minReady int) Rule {
	return Rule{
		ID:       "below-floor",
		Class:    Numbers,
		Title:    "ready replicas fall under the declared floor",
		Severity: Error,
		Help:     belowFloorHelp(),
		New: func(c *state.Config, w int) Property {
			if c.Spec.Workloads[w].Kind().Ends() {
				return Property{} // the pods of Jobs become fewer on purpose
			}
			floors := [2]int{minReady, minReady}
			evicted := floors // where what takes the pod is an eviction
			if minReady == 0 {
				floors = [2]int{promised(c, w, state.Base), promised(c, w, state.Head)}
				evicted = [2]int{keptFromEvictions(c, w, state.Base), keptFromEvictions(c, w, state.Head)}
			}
			if floors[state.Base] <= 0 && floors[state.Head] <= 0 {
				return Property{}
			}
			return Property{
				BadStep: func(from, to state.State) bool {
					if minReady == 0 && (to.DownNodes() > from.DownNodes() || to.GoneNodes() > from.GoneNodes() || to.CrashesLeft() < from.CrashesLeft() || starved(from, to, w)) {
						return false // nobody promises anything of a machine that dies, or of a program
					}
					if minReady == 0 && halted(to, w) && to.Manifest(w).HPA != nil {
						return false // scaled in proportion, ready or not, which no declaration changes
					}
					if minReady == 0 && preempted(from, to) {
						return false // preemption-cascade's to judge
					}
					ready, floor := to.ReadyOf(w), floors[to.Version()]
					if ready >= floor || ready >= from.ReadyOf(w) || !to.Manifest(w).Exists() {
						return false
					}
					return ready < evicted[to.Version()] || !evicts(from, to, w)
				},
				Mended: func(before, s state.State) bool { return s.ReadyOf(w) >= min(before.ReadyOf(w), floors[s.Version()]) },
				Message: func(s state.State) string {
					return fmt.Sprintf("ready replicas of %s can fall to %d, under the floor of %d",
						FullName(s.C, w), s.ReadyOf(w), floors[s.Version()])
				},
				Fields: floorFields(c, w),
			}
		},
	}
}

// starved says whether a step has a kubelet evict pods of workload w for disk or memory
// pressure.
func starved(from, to state.State, w int) bool {
	return slices.ContainsFunc(from.C.ClassesOf[w], func(p int) bool { return failed(from, to, p) })
}

// floorFields names what the floor rests on.
func floorFields(c *state.Config, w int) []string {
	d, v := Newest(c, w)
	m := &c.Spec.Workloads[w].Manifests[v]
	out := []string{"Workload:spec.replicas"}
	if m.HPA != nil {
		out = append(out, "HorizontalPodAutoscaler:spec.minReplicas")
	}
	if d != nil {
		out = append(out, strategyFields(d)...)
	}
	if len(m.PDBs) > 0 {
		out = append(out, "PodDisruptionBudget:spec.minAvailable", "PodDisruptionBudget:spec.maxUnavailable")
	}
	return out
}

func belowFloorHelp() Help {
	return Help{
		What: `No step may leave the workload with fewer ready pods than before and fewer than its floor.

The floor is ` + "`intents.below-floor.minReady`" + ` of the policy where it is set. Otherwise it is the
lowest number that everything declared keeps to:

    desired     = HPA minReplicas, else spec.replicas; the smaller of both versions
    rollout     = desired − maxUnavailable(desired)   percentages round down; 1 where surge and
                                                      unavailable both come to 0
    disruption  = what a PodDisruptionBudget keeps of desired: minAvailable, or
                  desired − maxUnavailable            percentages round up; of several
                                                      workloads, less what the others can be
    floor       = the least of rollout and, of each budget, disruption

taken from the version that was applied last. Of a StatefulSet, maxUnavailable is 1; the update of one that
is ` + "`Parallel`" + ` takes its pod whatever lacks below it, so that a budget is worth one pod less there. Where no budget selects the pods, a step that evicts
some may leave desired − 1 ready, whatever the rollout promises: replicas are there to lose one, and
one replica without a budget is said to tolerate the gap. A PodDisruptionBudget does not bind a rolling
update, and a rollout's limits do not bind an eviction: only the lower of the two is a
promise that neither breaks on its own. ` + "`Recreate`" + ` promises 0 where the template changes.
With a floor of 0 the rule says nothing of the workload. What preemption takes is judged by ` + "`preemption-cascade`" + `, or by a ` + "`minReady`" + `. The pods that are lost with a node break no
derived floor, nor does one that crashes or that the kubelet of a node under disk or memory
pressure evicts, as nothing that is declared keeps a machine or a program
from failing; they do break a ` + "`minReady`" + `. What is taken beside them breaks both. While a bad revision waits to be mended
(` + "`events.badRevision`" + `), an autoscaler shrinks old and new ReplicaSet in proportion, ready or not: no
manifest keeps upstream from that, so it breaks a ` + "`minReady`" + ` only.`,
		Why: `For a time the service has less capacity than somebody reckoned with, even if the run ends
well: no look at the state before and after the deployment shows it. It happens when one loop
takes pods away without looking at what the other one is doing, such as an apply that resets
the replicas which an autoscaler had set.`,
		Mend: `The last steps of the interleaving name the loop that takes the pods. Let the apply not touch
` + "`spec.replicas`" + ` where an autoscaler owns it; keep ` + "`maxUnavailable`" + ` and the budget apart from
each other's share; or, where the drop is fine, say so with ` + "`minReady`" + ` in the policy.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable",
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/workloads/pods/disruptions/",
		},
	}
}
