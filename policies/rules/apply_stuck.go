package rules

import "github.com/kubesettle/kubesettle/verify/state"

// applyStuck says that what the tool applies in steps has, in each step, all that this step waits for, and that it
// waits long enough.
//
// Intent: a merge is applied to its end.
// Class: convergence; judged on the objects, without a run.
// Assumes: the order that the tool documents; that what base has is in the cluster.
// Does not say: that a Job which starts succeeds.
var applyStuck = Rule{
	ID:       ApplyStuck,
	Class:    Convergence,
	Title:    "a step of the apply waits for an object of a later step, or not long enough",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Argo CD's waves, Helm's hooks, or Flux's ` + "`dependsOn`" + ` and health checks wait for an object
that comes later or is removed; a hook's Job is deleted before it is seen; or probes outlast Helm's
` + "`timeout`" + `. A warning if only a fresh install is stuck, or nothing is undone.`,
		Bad: `No later change is applied. Helm times out or rolls back; Argo CD waits.`,
		Now: `- Put objects that the hook needs into an earlier hook or wave, definitions into ` + "`crds/`" + `.
- A hook-delete-policy instead of a TTL.
- A longer ` + "`timeout`" + `.`,
		Sources: []string{
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
			"https://helm.sh/docs/topics/charts_hooks/",
			"https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies",
			"https://github.com/kubernetes-sigs/secrets-store-csi-driver/issues/967",
			"https://github.com/helm/helm/issues/7447",
			"https://github.com/argoproj/argo-cd/issues/4979",
			"https://fluxcd.io/flux/components/helm/helmreleases/#configuring-failure-handling",
			"https://github.com/fluxcd/flux2/issues/5916",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
