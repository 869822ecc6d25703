package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// neverSettles says that the control loops come to rest: ◇□(nothing of the workload
// changes), once no event happens any more; and that an autoscaler does not rest where the
// load asks for more pods than it leaves.
//
// Intent: a merge must not set control loops against each other.
// Class: liveness; the counterexample is a lasso whose loop changes the workload.
// Assumes: weak fairness of every actor; demand does not change within the loop.
// Does not say: of anything but an autoscaler's number that the state it settles in is the
// one that was wanted.
var neverSettles = Rule{
	ID:       NeverSettles,
	Class:    Convergence,
	Title:    "the control loops around a workload never come to rest, or rest short of the declared state",
	Severity: Error,
	Facets:   Restless,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `Replicas or pods change forever and no other rule covers it. Or an autoscaler cannot act, as
` + "`kubectl describe hpa`" + ` shows: a container without a request (` + "`FailedGetResourceMetric`" + `), two
autoscalers or another workload's pods under one selector (` + "`AmbiguousSelector`" + `), ` + "`spec.replicas: 0`" + `
(` + "`ScalingDisabled`" + `).`,
		Bad: `A loop kills pods at every turn. A stopped autoscaler looks healthy until the next rush.`,
		Now: `Give the contested field one owner. Autoscalers: a request for every container, sidecars included;
one distinct selector per workload; no ` + "`spec.replicas`" + `.`,
		Sources: []string{
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
			"https://github.com/argoproj/argo-cd/issues/1603",
			"https://github.com/kubernetes-sigs/descheduler/issues/1695",
			"https://github.com/kubernetes/kubernetes/issues/79365",
			"https://github.com/kubernetes/kubernetes/pull/112011",
			"https://github.com/kubernetes/kubernetes/issues/124307",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil {
			return Property{}
		}
		return Property{
			Recurs: func(from, to state.State) bool { return touches(from, to, w) },
			Message: func(s state.State) string {
				return fmt.Sprintf("%s can keep changing forever with no event left to happen: the loop starts at %s, %d ready",
					FullName(c, w), wanted(s, w), s.ReadyOf(w))
			},
			Fields: append(sizeFields(c, w), PlacementFields(d)...),
		}
	},
	Also: restsShort,
}

// touches reports whether a step changed workload w. It compares sums over all nodes,
// which no exchange of like nodes changes; a pod that moves is for a moment on none.
func touches(from, to state.State, w int) bool {
	if from.Replicas(w) != to.Replicas(w) {
		return true
	}
	for _, p := range from.C.ClassesOf[w] {
		f := &from.C.Class[p]
		for _, x := range []state.Field{f.Exists, f.Size, f.Desired, f.Max} {
			if from.Get(x) != to.Get(x) {
				return true
			}
		}
		if from.Bad(p) || from.C.Class[p].Evicted.Laid() { // they may go round until it is mended, or are unschedulable's
			continue
		}
		if from.Get(f.Pending) != to.Get(f.Pending) {
			return true
		}
		for ph := range state.Phases {
			if from.Count(p, ph) != to.Count(p, ph) {
				return true
			}
		}
	}
	return false
}
