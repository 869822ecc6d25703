package rules

import "github.com/kubesettle/kubesettle/verify/state"

// ApplyStuck is the ID of the rule that no step of an apply waits for a later one.
const ApplyStuck = "apply-stuck"

// applyStuck says that what the tool applies in steps has, in each step, all that this step waits for.
//
// Intent: a merge is applied to its end.
// Class: convergence; judged on the objects, without a run.
// Assumes: the order that the tool documents; that what base has is in the cluster.
// Does not say: that a Job which starts succeeds.
var applyStuck = Rule{
	ID:       ApplyStuck,
	Class:    Convergence,
	Title:    "a step of the apply waits for what only a later step brings",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Argo CD's waves, Helm's hooks or Flux's ` + "`dependsOn`" + ` wait for an object, definition or release that
only a later step brings, or a hook's Job goes before it is seen (` + "`ttlSecondsAfterFinished`" + `). A
warning where only a fresh install is stuck.`,
		Bad: `Neither this nor any later change is applied. Helm times out; an Argo CD sync does not.`,
		Now: `Make what the hook needs a hook of lower weight, or an earlier wave. Definitions: into ` + "`crds/`" + `.
Instead of a TTL: a hook-delete-policy.`,
		Sources: []string{
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
			"https://helm.sh/docs/topics/charts_hooks/",
			"https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies",
			"https://github.com/kubernetes-sigs/secrets-store-csi-driver/issues/967",
			"https://github.com/helm/helm/issues/7447",
			"https://github.com/argoproj/argo-cd/issues/4979",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
