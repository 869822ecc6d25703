package rules

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// preemptionCascade says that preemption leaves a workload the ready replicas that it was
// promised: □¬(a preemption takes ready pods, and fewer than the floor are left).
//
// Intent: what one team calls urgent does not take down what another one runs.
// Class: safety; the counterexample ends with the preemption.
// Assumes: only preemption nominates pods to nodes, so a step that does is one; Kueue's is noted in the state.
// Does not say: anything of pods that are preempted again and again (see eviction-loop),
// or that wait forever for another node (see unschedulable).
var preemptionCascade = Rule{
	ID:       PreemptionCascade,
	Class:    Lifecycle,
	Title:    "pods of higher priority take a workload below its floor",
	Severity: Error,
	Facets:   Displaced,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `The scheduler deletes pods for others of higher priority, below the number that their
PodDisruptionBudgets keep or, without budget and PriorityClass, that an eviction may leave. Needs declared capacity.
Not real if the cluster is larger. Kueue ignores budgets.`,
		Bad: `Serving replicas are gone; if full, one surge pod is enough.`,
		Now: `- ` + "`preemptionPolicy: Never`" + `: first in the queue, preempts no pod.
- A class for pods that must stay up.
- Leave room; ` + "`maxSurge: 0`" + ` helps, an autoscaled pool comes too late.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
			"https://grafana.com/blog/2019/07/24/how-a-production-outage-was-caused-using-kubernetes-pod-priorities/",
			"https://github.com/kubernetes/kubernetes/issues/91492",
			"https://kueue.sigs.k8s.io/docs/concepts/preemption/",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		floors := [2]int{withstood(c, w, state.Base), withstood(c, w, state.Head)}
		queued := mayBeDisplaced(c, w)
		if queued { // a pod that waits in a queue was promised the budget's number
			floors = [2]int{budgeted(c, w, state.Base), budgeted(c, w, state.Head)}
		}
		if d == nil || !queued && !mayBePreempted(c) || floors[state.Base] <= 0 && floors[state.Head] <= 0 {
			return Property{}
		}
		return Property{
			BadStep: func(from, to state.State) bool {
				ready := to.ReadyOf(w)
				return ready < from.ReadyOf(w) && ready < floors[to.VersionOf(w)] && (preempted(from, to) || displaced(from, to, w))
			},
			Mended: func(before, s state.State) bool {
				return s.ReadyOf(w) >= min(before.ReadyOf(w), floors[s.VersionOf(w)])
			},
			Message: func(s state.State) string {
				if queued {
					return fmt.Sprintf("preemption by Kueue, which asks no PodDisruptionBudget, can leave %s with %s, below the floor of %d",
						FullName(c, w), english.Plural(s.ReadyOf(w), "ready replica", ""), floors[s.VersionOf(w)])
				}
				return fmt.Sprintf("preemption by pods of higher priority can leave %s with %s, below the floor of %d",
					FullName(c, w), english.Plural(s.ReadyOf(w), "ready replica", ""), floors[s.VersionOf(w)])
			},
			Fields: append([]string{"Workload:spec.template.spec.priorityClassName"}, floorFields(c, w)...),
		}
	},
}

// withstood is the number of ready pods of workload w that no preemption may take while
// version v is applied; 0 is none.
func withstood(c *state.Config, w int, v state.Version) int {
	m := &c.Spec.Workloads[w].Manifests[v]
	if !m.Exists() {
		return 0
	}
	floor := 0
	if m.Pod().PriorityClassName == "" {
		floor = keptFromEvictions(c, w, v)
	}
	return max(floor, budgeted(c, w, v))
}

// budgeted is the number of ready pods of workload w that its PodDisruptionBudgets keep while version v is applied; 0
// is none.
func budgeted(c *state.Config, w int, v state.Version) int {
	m, floor := &c.Spec.Workloads[w].Manifests[v], 0
	if m.Exists() {
		for _, pdb := range m.PDBs {
			floor = max(floor, healthy(pdb, scaled(m)))
		}
	}
	return floor
}

// mayBeDisplaced reports whether Kueue may preempt pods of workload w in this problem.
func mayBeDisplaced(c *state.Config, w int) bool {
	return slices.ContainsFunc(c.ClassesOf[w], func(p int) bool { return c.Class[p].Displaced.Laid() })
}

// displaced reports whether a step is Kueue preempting pods of workload w.
func displaced(from, to state.State, w int) bool {
	return slices.ContainsFunc(from.C.ClassesOf[w], func(p int) bool { return to.DisplacedOf(p) > from.DisplacedOf(p) })
}

// mayBePreempted reports whether any pod may preempt another in this problem.
func mayBePreempted(c *state.Config) bool {
	for p := range c.Pods {
		if c.Preempts(p) {
			return true
		}
	}
	return false
}

// preempted reports whether a step is a preemption: it nominates one more pod to a node.
func preempted(from, to state.State) bool {
	for p := range to.C.Pods {
		if to.C.Preempts(p) && to.NominatedOf(p) > from.NominatedOf(p) {
			return true
		}
	}
	return false
}
