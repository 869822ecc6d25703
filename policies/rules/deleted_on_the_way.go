package rules

import "github.com/kubesettle/kubesettle/verify/state"

// deletedOnTheWay says that nothing is deleted that head declares, and that what is deleted can go.
//
// Intent: moving a file moves nothing in the cluster.
// Class: convergence; judged on the objects, without a run.
// Assumes: that the GitOps objects of the repository are those of the cluster.
// Does not say: which of two releases is reconciled first, unless one waits for the other.
var deletedOnTheWay = Rule{
	ID:       DeletedOnTheWay,
	Class:    Convergence,
	Title:    "the change deletes an object that it declares, or one that can no longer be deleted",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `An object moves between releases and one prunes it; an ApplicationSet is renamed; a
CustomResourceDefinition or Namespace is removed with its objects; Flux's ` + "`force`" + ` recreates it; or
resources are removed together with the controller of their finalizers. Not real if pruning is off:
` + "`prune: disabled`" + `, ` + "`Prune=false`" + `, ` + "`resource-policy: keep`" + `.`,
		Bad: `Pods restart, addresses change, volumes are lost; finalizers hang in ` + "`Terminating`" + `.`,
		Now: `Forbid pruning of the object, merge, move it, allow it again. ApplicationSet:
` + "`preserveResourcesOnDeletion: true`" + `. Remove custom resources first, then their controller.`,
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
