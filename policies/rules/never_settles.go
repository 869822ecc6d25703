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
	ID:       "never-settles",
	Class:    Convergence,
	Title:    "the control loops around a workload never come to rest, or rest short of what is declared",
	Severity: Error,
	Help: Help{
		What: `No fair run may change the workload's replicas or pods forever when no event is left to
happen: the run would be a loop of control-loop steps alone. The loop is shown with the step
it starts at; it closes up to the exchange of like nodes.

The rule catches every oscillation for which there is no more telling rule.

Nor may a workload rest, all its pods ready, at fewer replicas than the load asks for, because its
HorizontalPodAutoscaler cannot act as declared:

- a metric with a utilization target misses a request, of any container of any pod that the
  autoscaler counts (upstream: FailedGetResourceMetric);
- another autoscaler selects pods that it selects, so that both only keep to their bounds (AmbiguousSelector);
- its target's selector matches pods of another workload, which it counts as its own; pods that a
  Service gives a share of the load count as serving it;
- ` + "`spec.replicas`" + ` is 0, which switches it off (ScalingDisabled), although the manifest no longer
  says so.

What the load asks for is the least number at which the same autoscaler would add none, were there
its own pods only, with all their requests.`,
		Why: `Two loops that are right on their own undo each other's work. Pods are created and killed at
every turn, connections and caches are lost, node autoscalers and alerts follow suit, and
every object looks healthy whenever somebody looks.

An autoscaler that has stopped looks healthy, too: the few pods there are run, and only a condition
of the HorizontalPodAutoscaler tells that the next rush will find no more of them.`,
		Mend: `The loop's steps name the loops that disagree and the field they disagree on. Give the field
one owner: take ` + "`spec.replicas`" + ` out of what is applied again and again, keep one autoscaler for
one metric, or make the rule that evicts agree with the rule that places.

For an autoscaler that cannot act: give every container a request, sidecars included, or use a
` + "`ContainerResource`" + ` metric or an ` + "`AverageValue`" + `; keep one autoscaler for one workload; give
each workload a selector of its own; leave ` + "`spec.replicas`" + ` out.`,
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

// touches says whether a step changed workload w. It compares sums over all nodes,
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
		if from.Bad(p) { // its pods may go round until somebody mends it
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
