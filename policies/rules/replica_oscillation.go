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
	ID:       ReplicaOscillation,
	Class:    Oscillation,
	Title:    "the number of replicas goes up and down forever",
	Severity: Error,
	Facets:   Swings,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: "`spec.replicas`" + ` changes forever with no event left: GitOps self-heal sets Git's number, an
autoscaler the load's; or an autoscaler's target is too coarse for any number. Check:
` + "`kubectl get deploy -w`" + `. Not real if your controller ignores the field: declare
` + "`controllers.gitops.ignoreDifferences`" + `.`,
		Bad: `Every turn creates and kills pods; half the time there are too few. Nothing reports an error.`,
		Now: `- One owner: no ` + "`spec.replicas`" + ` beside an autoscaler (hand it over first, see ` + "`replicas-reset`" + `).
- Argo CD: ignore ` + "`/spec/replicas`" + ` **and** set ` + "`RespectIgnoreDifferences=true`" + `.`,
		Sources: []string{
			"https://github.com/argoproj/argo-cd/issues/1603",
			"https://github.com/argoproj/argo-cd/issues/5105",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/#leaving-room-for-imperativeness",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || !c.Spec.Workloads[w].Autoscaled() && !c.Scales(w) {
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
	return append(out, "HorizontalPodAutoscaler:spec.metrics", "HorizontalPodAutoscaler:spec.maxReplicas",
		"HorizontalPodAutoscaler:spec.minReplicas")
}
