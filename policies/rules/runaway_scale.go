package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// runawayScale says that an autoscaler does not go to its maximum without a load for it:
// □¬(a sync raises spec.replicas to maxReplicas while the load justifies fewer), nor stays
// there.
//
// Intent: what is paid for is what the load asks for.
// Class: safety; the counterexample ends with the sync that reaches the maximum.
// Assumes: the load justifies the count at which the autoscaler would come to rest from
// maxReplicas were every pod ready, warm and without memory of its own. What a
// stabilization window still holds of an earlier load is justified by that load.
// Does not say: that fewer than the maximum are not too many; or anything where the
// declared load itself is what the maximum was made for.
var runawayScale = Rule{
	ID:       "runaway-scale",
	Class:    Numbers,
	Title:    "an autoscaler goes to its maximum, or stays there, with no load to justify it",
	Severity: Error,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A HorizontalPodAutoscaler raises the workload to ` + "`maxReplicas`" + ` although the load needs fewer, or keeps it
there without any load, all pods ready. What the load needs is where the same autoscaler would come to
rest, from its maximum down, if every pod were ready, warm, and used only its share of the load. A number
that a stabilization window still holds, or that Git declares, is no finding.

It rests on what the policy says pods use beyond the load: CPU at start-up (` + "`events.startupSpike`" + `), memory
when idle (` + "`events.loadChange.idleMemory`" + `). Measure both: ` + "`kubectl top pod`" + ` right after a start, and
without traffic. For a CronJob (` + "`events.jobOverrun`" + `) it means that a Job starts beside two that never end;
` + "`Forbid`" + `, ` + "`Replace`" + ` and ` + "`activeDeadlineSeconds`" + ` limit them.`,
		Bad: `Cost and database connections follow the count. On CPU it falls again once all pods are warm, and every
rollout repeats it. On memory it may stay: with r the idle footprint over the target, N pods stay N pods
up to 1/(1-r), and within the tolerance, at 0.9 and above, any number. During a rollout old and new pods
both count.`,
		Now: `- Make pods ready only when warm (` + "`startupProbe`" + `, ` + "`readinessProbe`" + `): unready pods' CPU does not count.
- Set ` + "`behavior.scaleUp.stabilizationWindowSeconds`" + ` above the start-up time.
- Give the pods a CPU limit, or a request, near what they need to start.
- On memory, keep the idle footprint below m/(m+1) of the target for a minimum of m replicas, or scale on
  CPU or on the amount of work; ` + "`maxSurge: 0`" + ` keeps a rollout from counting twice.
- Set a CronJob to ` + "`Forbid`" + ` or ` + "`Replace`" + `, and its Jobs' ` + "`activeDeadlineSeconds`" + `.`,
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
				return s.Replicas(w) <= max(before.Replicas(w), c.Rest[w][s.Version()][s.Load(w)])
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("the autoscaler of %s can go to its maximum of %s with no load to justify it: the %s load asks for %d",
					FullName(c, w), wanted(s, w), s.Load(w), c.Rest[w][s.Version()][s.Load(w)])
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

// runsAway reports whether a step is a sync that reaches the maximum of workload w's
// autoscaler while the load justifies fewer.
func runsAway(from, to state.State, w int) bool {
	m := to.Manifest(w)
	if m.HPA == nil || from.Version() != to.Version() || to.Get(to.C.Applies) != from.Get(to.C.Applies) {
		return false
	}
	most := int(m.HPA.Spec.MaxReplicas)
	if to.Replicas(w) < most || from.Replicas(w) >= most || from.Recommended(w) >= most {
		return false
	}
	if declaredByGit(to, w) {
		return false
	}
	return to.C.Rest[w][to.Version()][to.Load(w)] < most
}
