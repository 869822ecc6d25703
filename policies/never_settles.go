package policies

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// neverSettles says that the control loops come to rest: ◇□(nothing of the workload
// changes), once no event happens any more.
//
// Intent: a merge must not set control loops against each other.
// Class: liveness; the counterexample is a lasso whose loop changes the workload.
// Assumes: weak fairness of every actor; demand does not change within the loop.
// Does not say: that the state it settles in is the one that was wanted.
var neverSettles = Rule{
	ID:       "never-settles",
	Class:    Convergence,
	Title:    "the control loops around a workload never come to rest",
	Severity: Error,
	Help: Help{
		What: `No fair run may change the workload's replicas or pods forever when no event is left to
happen: the run would be a loop of control-loop steps alone. The loop is shown with the step
it starts at; it closes up to the exchange of like nodes.

The rule catches every oscillation for which there is no more telling rule.`,
		Why: `Two loops that are right on their own undo each other's work. Pods are created and killed at
every turn, connections and caches are lost, node autoscalers and alerts follow suit, and
every object looks healthy whenever somebody looks.`,
		Mend: `The loop's steps name the loops that disagree and the field they disagree on. Give the field
one owner: take ` + "`spec.replicas`" + ` out of what is applied again and again, keep one autoscaler for
one metric, or make the rule that evicts agree with the rule that places.`,
		Sources: []string{
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
			"https://github.com/argoproj/argo-cd/issues/1603",
			"https://github.com/kubernetes-sigs/descheduler/issues/1695",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := newest(c, w)
		if d == nil {
			return Property{}
		}
		return Property{
			Recurs: func(from, to state.State) bool { return touches(from, to, w) },
			Message: func(s state.State) string {
				return fmt.Sprintf("%s can keep changing forever with no event left to happen: the loop starts at %s, %d ready",
					fullName(c, w), count(s.Replicas(w), "replica"), s.ReadyOf(w))
			},
			Fields: append(sizeFields(c, w), placementFields(d)...),
		}
	},
}

// touches says whether a step changed workload w. It compares sums over all nodes,
// which no exchange of like nodes changes; a pod that moves is for a moment on none.
func touches(from, to state.State, w int) bool {
	if from.Replicas(w) != to.Replicas(w) {
		return true
	}
	for _, p := range from.C.ClassesOf[w] {
		f := &from.C.Class[p]
		for _, x := range []state.Field{f.Exists, f.Size, f.Desired, f.Max, f.Pending} {
			if from.Get(x) != to.Get(x) {
				return true
			}
		}
		for ph := range state.Phases {
			if from.Count(p, ph) != to.Count(p, ph) {
				return true
			}
		}
	}
	return false
}
