package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// replicasReset says that an apply does not take away replicas that an autoscaler
// asked for: □¬(an apply lowers spec.replicas of a workload with an HPA).
//
// Intent: one field has one owner.
// Class: safety; the counterexample ends with the apply.
// Assumes: the merge semantics that the policy names (apply).
// Does not say: that ready pods are lost by it (see below-floor).
var replicasReset = Rule{
	ID:       ReplicasReset,
	Class:    Numbers,
	Title:    "an apply drops replicas another loop owned",
	Severity: Error,
	Facets:   TakenBack,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `The apply lowers ` + "`spec.replicas`" + ` of an autoscaled workload: the manifest declares a number, or has
just dropped it, which resets it to 1. Check: ` + "`kubectl apply view-last-applied`" + ` has ` + "`replicas`" + `, the
manifest has not. Not real with server-side apply: set ` + "`apply: server-side`" + `.`,
		Bad: `Replicas drop at deployment, under full load, until the autoscaler makes up for it.`,
		Now: `Leave ` + "`spec.replicas`" + ` to the autoscaler, handing the field over first:
` + "`kubectl apply edit-last-applied`" + `, then the manifest. Argo CD: ignore the difference **and** set
` + "`RespectIgnoreDifferences=true`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling",
			"https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#how-apply-calculates-differences-and-merges-changes",
			"https://github.com/argoproj/argo-cd/issues/5105",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		m := c.Spec.Workloads[w].Manifests
		if !m[state.Base].Exists() || !m[state.Head].Exists() || !c.Spec.Workloads[w].Autoscaled() {
			return Property{}
		}
		return Property{
			BadStep: func(from, to state.State) bool {
				applied := to.Get(c.Applies) < from.Get(c.Applies) ||
					from.VersionOf(w) != to.VersionOf(w) && to.VersionOf(w) == state.Head
				return applied && resets(from, to, w)
			},
			Mended:  func(before, s state.State) bool { return !resets(before, s, w) },
			Message: func(s state.State) string { return resetMessage(s, w) },
			Fields: []string{
				"Workload:spec.replicas",
				"HorizontalPodAutoscaler:spec.minReplicas",
				"HorizontalPodAutoscaler:spec.maxReplicas",
			},
		}
	},
}

// resets reports whether an apply took replicas of w that an autoscaler owns.
func resets(from, to state.State, w int) bool {
	was, is := from.Manifest(w), to.Manifest(w)
	if is.HPA == nil || was.HPA == nil && is.DeclaresReplicas {
		return false
	}
	return to.Replicas(w) < min(from.Replicas(w), int(is.HPA.Spec.MaxReplicas))
}

func resetMessage(s state.State, w int) string {
	apply := "applying the change"
	if s.C.Spec.Events.Next {
		apply = "the next apply"
	}
	text := fmt.Sprintf("%s resets %s to %s although a HorizontalPodAutoscaler owns the number", apply,
		FullName(s.C, w), wanted(s, w))
	if m := s.Manifest(w); m.HPA != nil && s.Replicas(w) < MinReplicas(m.HPA) {
		text += fmt.Sprintf(" and has a minimum of %d", MinReplicas(m.HPA))
	}
	return text
}
