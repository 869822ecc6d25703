package rules

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// runawayScale says that an autoscaler does not go to its maximum without a load for it:
// □¬(a sync raises spec.replicas to maxReplicas, or beyond twice what the load justifies,
// while that is fewer), nor stays there.
//
// Intent: what is paid for is what the load asks for.
// Class: safety; the counterexample ends with the sync that reaches so many.
// Assumes: the load justifies the count at which the autoscaler would come to rest from
// maxReplicas were every pod ready, warm and without memory of its own, and did no behavior
// hold it up. What a stabilization window still holds of an earlier load is justified by that
// load, if there was one.
// Does not say: that twice what the load asks for is too many; or anything where the
// declared load itself is what the maximum was made for.
var runawayScale = Rule{
	ID:       RunawayScale,
	Class:    Numbers,
	Title:    "an autoscaler goes to its maximum, or stays there, with no load to justify it",
	Severity: Error,
	Facets:   Surplus,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `An autoscaler goes to ` + "`maxReplicas`" + `, or stays there, though it would settle lower with every pod
ready and warm. It rests on the declared ` + "`events.startupSpike`" + ` and ` + "`events.loadChange.idleMemory`" + `:
measure both with ` + "`kubectl top pod`" + `. Or a CronJob starts Job beside Job.`,
		Bad: `Cost and database connections follow; on memory it may never fall.`,
		Now: `- Ready only when warm (` + "`startupProbe`" + `), or ` + "`behavior.scaleUp.stabilizationWindowSeconds`" + ` above the
  start-up time.
- Memory: idle use below m/(m+1) of the target for m minimum replicas, or another metric.
- CronJob: ` + "`Forbid`" + `, ` + "`activeDeadlineSeconds`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details",
			"https://github.com/digitalocean/clusterlint/issues/95",
			"https://github.com/kubernetes/kubernetes/issues/72775",
			"https://github.com/kubernetes/kubernetes/issues/78761",
			"https://github.com/kubernetes/kubernetes/issues/90461",
			"https://github.com/kubernetes/kubernetes/issues/95762",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		if c.Spec.Workloads[w].Kind() == state.CronJob {
			return pilesUp(c, w)
		}
		if !c.Spec.Workloads[w].Autoscaled() {
			return Property{}
		}
		return Property{
			BadStep: func(from, to state.State) bool { return runsAway(from, to, w) },
			Mended: func(before, s state.State) bool {
				return s.Replicas(w) <= max(before.Replicas(w), c.Rest[w][s.VersionOf(w)][s.Load(w)])
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("the autoscaler of %s can go to %s with no load to justify it: the %s load asks for %d",
					FullName(c, w), ofMost(s, w), s.Load(w), c.Rest[w][s.VersionOf(w)][s.Load(w)])
			},
			Fields: []string{
				"HorizontalPodAutoscaler:spec.maxReplicas",
				"HorizontalPodAutoscaler:spec.metrics",
				"HorizontalPodAutoscaler:spec.behavior",
			},
		}
	},
	Also: staysHigh,
}

// runsAway reports whether a step is a sync of workload w's autoscaler that goes far beyond what the load justifies.
func runsAway(from, to state.State, w int) bool {
	m := to.Manifest(w)
	if m.HPA == nil || from.VersionOf(w) != to.VersionOf(w) || to.Get(to.C.Applies) != from.Get(to.C.Applies) {
		return false
	}
	rest, most := to.C.Rest[w][to.VersionOf(w)][to.Load(w)], int(m.HPA.Spec.MaxReplicas)
	n := to.Replicas(w)
	if n <= from.Replicas(w) || !far(n, rest, most) || far(from.Replicas(w), rest, most) || declaredByGit(to, w) {
		return false
	}
	return from.Recommended(w) < n || !heldBefore(from, w, n)
}

// far reports whether replicas are the maximum, or more than twice what a load justifies, and more than that.
func far(n, rest, most int) bool { return n > rest && (n >= most || n > 2*rest) }

// heldBefore reports whether a stabilization window can hold so many replicas from before: of an earlier load that
// justifies them, or of what ran before an apply reset it.
func heldBefore(s state.State, w, n int) bool {
	events, git := &s.C.Spec.Events, s.C.Spec.GitOps
	if s.Get(s.C.Applies) < max(events.Apply, 0) || git != nil && git.SelfHeal {
		return true
	}
	changed := s.Get(s.C.Workload[w].Loads) < max(events.LoadChange, 0)
	return changed && slices.Max(s.C.Rest[w][s.VersionOf(w)][:]) >= n
}
