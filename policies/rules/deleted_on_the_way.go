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
		Real: `- An object moves between releases of Argo CD or Flux, and the first one prunes it. Namespaces, volumes, workloads,
  definitions and releases are reported, as an error where data goes with it.
- An ApplicationSet is renamed: its generated Applications are deleted, and everything with them.
- A CustomResourceDefinition is removed while its resources are declared: they go with it.
- Custom resources are removed together with the controller of their finalizers: a warning, or an error if the
  manifest has finalizers.

No finding: what is kept (` + "`prune: disabled`" + `, ` + "`Prune=false`" + `, ` + "`resource-policy: keep`" + `,
` + "`preserveResourcesOnDeletion`" + `), a release without ` + "`prune`" + `, definitions in ` + "`crds/`" + `, resources in a later sync wave than
their controller.`,
		Bad: `Pods restart, load balancers get new addresses, volumes are lost for good. What waits for a finalizer stays in
` + "`Terminating`" + `, with its namespace.`,
		Now: `Set ` + "`kustomize.toolkit.fluxcd.io/prune: disabled`" + ` (Argo CD: ` + "`Prune=false`" + `), merge, move the object, remove the
annotation. Rename an ApplicationSet only with ` + "`preserveResourcesOnDeletion: true`" + `. Remove custom resources first, then
their controller.`,
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
