package rules

import "github.com/kubesettle/kubesettle/verify/state"

// DeletedOnTheWay is the ID of the rule that what both revisions have is not deleted between them.
const DeletedOnTheWay = "deleted-on-the-way"

// deletedOnTheWay says that nothing is deleted that head declares, and that what is deleted can go.
//
// Intent: moving a file moves nothing in the cluster.
// Class: convergence; judged on the objects, without a run.
// Assumes: that the GitOps objects of the repository are those of the cluster.
// Does not say: which of two releases is reconciled first, unless one waits for the other.
var deletedOnTheWay = Rule{
	ID:       DeletedOnTheWay,
	Class:    Convergence,
	Title:    "the change deletes what it declares, or what can no longer be deleted",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Reported are

- an object that leaves one release of Argo CD or Flux and comes with another, while the first one prunes: whichever is
  reconciled first decides whether it is deleted in between (always with a HelmRelease). Namespaces, volumes, workloads,
  definitions and releases themselves are told; an error where data goes with it;
- a generated Application whose ApplicationSet is renamed: its owner is deleted, and everything with it;
- a CustomResourceDefinition that the change removes while resources of its kind are declared: they go with it;
- custom resources removed in one go with the controller that has to remove their finalizers: a warning, or an error if
  the manifest has finalizers.

Not reported: what is annotated to be kept (` + "`prune: disabled`, `Prune=false`, `resource-policy: keep`" + `), a release
without ` + "`prune`" + `, an ApplicationSet with ` + "`preserveResourcesOnDeletion`" + `, definitions from a chart's ` + "`crds/`" + ` folder,
which Helm never deletes, and custom resources in a later sync wave than their controller, which Argo CD deletes first.`,
		Bad: `Pods are deleted and started again, load balancers get new addresses, and volumes are lost for good. What waits for
a finalizer that nobody removes stays in ` + "`Terminating`" + ` with its namespace.`,
		Now: `Set ` + "`kustomize.toolkit.fluxcd.io/prune: disabled`" + ` (Argo CD: ` + "`Prune=false`" + `) on the object and merge that first, then
move it, then take the annotation away. Rename an ApplicationSet only with ` + "`preserveResourcesOnDeletion: true`" + `. Remove
custom resources first, wait until they are gone, and then their controller.`,
		Sources: []string{
			"https://github.com/fluxcd/kustomize-controller/issues/338",
			"https://fluxcd.io/flux/components/kustomize/kustomizations/#prune",
			"https://github.com/argoproj/argo-cd/issues/9227",
			"https://github.com/argoproj/argo-cd/issues/9296",
			"https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Application-Deletion/",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
