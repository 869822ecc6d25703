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
		Real: `The tool is read from the repository: Argo CD applies phases (` + "`PreSync`, `Sync`, `PostSync`" + `; Helm's hooks count)
and in each the sync waves, and waits for health between two; Helm runs ` + "`pre-install` and `pre-upgrade`" + ` hooks by
weight, each to its end, before anything else; a Flux Kustomization with ` + "`dependsOn`" + ` waits until the others are
ready. Reported are

- pods of an early step that need a ConfigMap, Secret, ServiceAccount, PersistentVolumeClaim or Namespace that is not
  in the cluster and comes in a later one;
- a custom resource before its definition: in an earlier wave, or beside it in a chart's templates (Helm asks the API
  server for every kind before it applies anything);
- a ` + "`dependsOn`" + ` of a release that the change removes or renames, and a circle of them;
- an Argo CD hook whose Job is deleted within a minute of its end (` + "`ttlSecondsAfterFinished`" + `): the sync waits for
  a Job that is gone if nobody looked in time. A warning.

Where base has the object, only a fresh install is stuck: a warning.`,
		Bad: `The hook's pod waits in ` + "`CreateContainerConfigError`" + ` or is never created, the sync or upgrade waits for it, and
nothing of this and of any later change is applied. Helm gives up after its timeout (` + "`pending-upgrade`" + `); an Argo CD
sync has none.`,
		Now: `Make what the hook needs a hook with a lower weight, or an object of an earlier wave; put definitions into the
chart's ` + "`crds/`" + ` folder or a release of their own. Give a hook ` + "`activeDeadlineSeconds`" + ` and a hook-delete-policy in
place of a TTL.`,
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
