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
	Help: Help{
		What: `No sync of a HorizontalPodAutoscaler may raise the workload to ` + "`maxReplicas`" + ` while the load
asks for fewer, nor may the workload rest there, all its pods ready, once there is no load at all.

What the load asks for is where the same autoscaler would come to rest, from its maximum down, if
every pod were ready, had warmed up, and used nothing but its share of the load. A number that a
stabilization window still holds from a higher load is no finding, nor is one that a GitOps
controller sets because Git declares it.

Of a CronJob it speaks where the policy lets Jobs overrun (` + "`events.jobOverrun`" + `): no Job may start beside two
others that never end. ` + "`concurrencyPolicy: Forbid`" + ` and ` + "`Replace`" + ` keep to one; with
` + "`activeDeadlineSeconds`" + ` there are as many as fit into the deadline, which is no finding.

Beside the load, pods use what the policy says of them: the CPU of a start-up
(` + "`events.startupSpike`" + `), and the memory that stays without load (` + "`events.loadChange.idleMemory`" + `).
Without either the rule rarely has something to say.`,
		Why: `The autoscaler takes for load what is none. A pod that has just become ready compiles, fills
caches or loads a model; its use counts in full, so one rollout or one more pod looks like a rush,
which brings more pods, which start up too. Memory does not fall when pods are added: an idle
footprint near the target keeps every pod there, and while a rollout runs old and new pods both
count, so that the number is raised although every pod is below target. For the same reason a rush
is not forgotten: with r the idle footprint over the target, N pods stay N pods up to 1/(1-r), and at
0.9 and above, within the tolerance, any number of them do.

The bill and the database's connections follow. On CPU the number falls again once all is warm,
and every rollout does it again; on memory it may stay.`,
		Mend: `- Let a pod become ready when it has warmed up (a ` + "`startupProbe`" + ` or ` + "`readinessProbe`" + ` that
  says so): the CPU of a pod that is not ready does not count.
- Let the autoscaler wait: ` + "`behavior.scaleUp.stabilizationWindowSeconds`" + ` above the time of a
  start-up takes the least recommendation of that time.
- Give the pods a CPU limit near what they need to start, or a request nearer to it.
- Let a CronJob ` + "`Forbid`" + ` or ` + "`Replace`" + ` what still runs, and its Jobs have an ` + "`activeDeadlineSeconds`" + `.
- On memory, put the request so that the idle footprint stays well below the target, at half of it
  for a minimum of one replica and at m/(m+1) for one of m, or scale on CPU
  or on a measure of the work; ` + "`maxSurge: 0`" + ` keeps a rollout from counting twice.`,
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

// runsAway says whether a step is a sync that reaches the maximum of workload w's
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
