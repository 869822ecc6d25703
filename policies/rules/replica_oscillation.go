package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// replicaOscillation says that the number of replicas settles: ◇□(spec.replicas
// unchanged), once no event happens any more.
//
// Intent: the number of replicas has one owner, who knows what it wants.
// Class: liveness; the counterexample is a lasso whose loop writes spec.replicas.
// Assumes: weak fairness of every actor; demand does not change within the loop.
// Does not say: that the number it settles at is enough, or not too many (see
// runaway-scale).
var replicaOscillation = Rule{
	ID:       "replica-oscillation",
	Class:    Oscillation,
	Title:    "the number of replicas goes up and down forever",
	Severity: Error,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A fair run changes the workload's live ` + "`spec.replicas`" + ` forever with no event left: the load stays as it is
and nothing more is applied. The steps from the loop's start on repeat. A number that rests in every fair
run is no finding.

Two writers disagree: a GitOps controller with self-heal sets what Git declares, an autoscaler what the
load needs. (Or one autoscaler rejects each of two numbers, because its target is so low that whole
percents are too coarse.) It is real if your controller resets the field; declare under
` + "`controllers.gitops`" + ` what Argo CD's ` + "`ignoreDifferences`" + ` with ` + "`RespectIgnoreDifferences=true`" + ` leaves alone.
In a running cluster ` + "`kubectl get deploy -w`" + ` shows it.`,
		Bad: `Every turn creates and kills pods, with their connections and caches; nodes follow. Half of the time the
workload is too small for its load. Nothing reports an error, and it pauses whenever the autoscaler wants
the number in Git, as at night.`,
		Now: `Give the number one owner.

- Remove ` + "`spec.replicas`" + ` from the manifest if an autoscaler targets the workload; hand the field over
  first, as ` + "`replicas-reset`" + ` says.
- Until then, Argo CD: ` + "`ignoreDifferences`" + ` on ` + "`/spec/replicas`" + ` **and** the sync option
  ` + "`RespectIgnoreDifferences=true`" + `.
- One autoscaler per workload: Kubernetes stops two with overlapping selectors.`,
		Sources: []string{
			"https://github.com/argoproj/argo-cd/issues/1603",
			"https://github.com/argoproj/argo-cd/issues/5105",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/#leaving-room-for-imperativeness",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || !c.Spec.Workloads[w].Autoscaled() {
			return Property{} // nothing changes the number but the apply, once
		}
		return Property{
			Recurs: func(from, to state.State) bool { return from.Replicas(w) != to.Replicas(w) },
			Message: func(s state.State) string {
				return fmt.Sprintf("the replicas of %s can go up and down forever with no event left to happen: the loop starts at %s, %d ready",
					FullName(c, w), wanted(s, w), s.ReadyOf(w))
			},
			Fields: ownerFields(c, w),
		}
	},
}

// ownerFields names what writes the number of a workload's replicas, the declared number
// first.
func ownerFields(c *state.Config, w int) []string {
	_, v := Newest(c, w)
	var out []string
	if c.Spec.Workloads[w].Manifests[v].DeclaresReplicas {
		out = append(out, "Workload:spec.replicas")
	}
	return append(out, "HorizontalPodAutoscaler:spec.metrics", "HorizontalPodAutoscaler:spec.maxReplicas", "HorizontalPodAutoscaler:spec.minReplicas")
}
