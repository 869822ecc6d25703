package rules

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// belowFloor says that ready replicas do not fall under the floor that was declared:
// □¬(ready pods become fewer, and fewer than the floor).
//
// Intent: a change keeps serving while it happens.
// Class: safety; the counterexample ends with the step that takes the pod.
// Assumes: a ready pod serves.
// Does not say: that the floor is enough for the load; or anything while pods start for
// the first time, as nothing falls then.
var belowFloor = BelowFloorAt(0)

// BelowFloorAt is the rule with the user's own floor, in pods; 0 derives it.
func BelowFloorAt(minReady int) Rule {
	made := ""
	if minReady != 0 {
		made = fmt.Sprint("minReady ", minReady)
	}
	return Rule{
		Made:     made,
		ID:       BelowFloor,
		Class:    Numbers,
		Title:    "ready replicas fall under the declared floor",
		Severity: Error,
		Facets:   Short,
		Blind:    BlindToStarts | BlindToStops | BlindToPlace,
		Help:     belowFloorHelp(),
		New: func(c *state.Config, w int) Property {
			if c.Spec.Workloads[w].Kind().Ends() {
				return Property{} // the pods of Jobs become fewer on purpose
			}
			floors := [2]int{minReady, minReady}
			evicted := floors // if the pod is taken by an eviction
			if minReady == 0 {
				floors = [2]int{promised(c, w, state.Base), promised(c, w, state.Head)}
				evicted = [2]int{keptFromEvictions(c, w, state.Base), keptFromEvictions(c, w, state.Head)}
			}
			if floors[state.Base] <= 0 && floors[state.Head] <= 0 {
				return Property{}
			}
			return Property{
				BadStep: func(from, to state.State) bool {
					if minReady == 0 && (to.DownNodes() > from.DownNodes() || to.GoneNodes() > from.GoneNodes() ||
						to.CrashesLeft() < from.CrashesLeft() || starved(from, to, w)) {
						return false // a machine that dies, or a program, makes no promise
					}
					if minReady == 0 && halted(to, w) && to.Manifest(w).HPA != nil {
						return false // scaled in proportion, ready or not, which no declaration changes
					}
					if minReady == 0 && (preempted(from, to) || displaced(from, to, w)) {
						return false // preemption-cascade's to judge
					}
					ready, floor := to.ReadyOf(w), floors[to.VersionOf(w)]
					if ready >= floor || ready >= from.ReadyOf(w) || !to.Manifest(w).Exists() {
						return false
					}
					return ready < evicted[to.VersionOf(w)] || !evicts(from, to, w)
				},
				Mended: func(before, s state.State) bool {
					return s.ReadyOf(w) >= min(before.ReadyOf(w), floors[s.VersionOf(w)])
				},
				Message: func(s state.State) string {
					return fmt.Sprintf("ready replicas of %s can fall to %d, below the floor of %d",
						FullName(s.C, w), s.ReadyOf(w), floors[s.VersionOf(w)])
				},
				Fields: floorFields(c, w),
			}
		},
	}
}

// starved reports whether a step has a kubelet evict pods of workload w for disk or memory
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
		Real: `A step leaves fewer ready pods than the rollout's ` + "`maxUnavailable`" + ` or a PodDisruptionBudget allows
([the floor](https://github.com/kubesettle/kubesettle/blob/main/docs/policy.md#the-floor)), or than
` + "`minReady`" + `. Lost nodes and crashes count against ` + "`minReady`" + ` only. *Transient*: every fair run
recovers.`,
		Bad: `Less capacity than planned for a while; whether that is an outage depends on the load.`,
		Now: `Budgets do not limit rollouts, nor rollouts evictions: leave room for both. Keep ` + "`spec.replicas`" + ` out
of an autoscaled manifest. If the drop is fine, set ` + "`minReady`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable",
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/workloads/pods/disruptions/",
		},
	}
}
