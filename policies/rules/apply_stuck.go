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
		Real: `Argo CD applies phases and sync waves and waits for health, Helm runs hooks before anything else, Flux waits for
` + "`dependsOn`" + `. Reported:

- pods of an early step need a ConfigMap, Secret, ServiceAccount, claim or Namespace of a later one;
- a custom resource comes before its definition: an earlier wave, or beside it in a chart's templates;
- ` + "`dependsOn`" + ` names a removed or renamed release, or a circle;
- an Argo CD hook's Job is deleted within a minute of its end (` + "`ttlSecondsAfterFinished`" + `): a warning.

Where base has the object, only a fresh install is stuck: a warning.`,
		Bad: `The hook never ends, and neither this nor any later change is applied. Helm gives up after its timeout
(` + "`pending-upgrade`" + `), an Argo CD sync has none.`,
		Now: `Make what the hook needs a hook of lower weight, or an earlier wave; definitions into ` + "`crds/`" + ` or a release of their own.
` + "`activeDeadlineSeconds`" + ` and a hook-delete-policy instead of a TTL.`,
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
