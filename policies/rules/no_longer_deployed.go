package rules

import "github.com/kubesettle/kubesettle/verify/state"

// noLongerDeployed says that what a change takes out of the releases goes from the repository as well.
//
// Intent: nothing is undeployed by accident.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: that what no release of the repository has is not deployed from elsewhere.
// Does not say: anything of a workload whose manifest goes with it, or is renamed.
var noLongerDeployed = Rule{
	ID:       NoLongerDeployed,
	Class:    Lifecycle,
	Title:    "a workload is no longer deployed, though its manifest stays",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `A release of base has the workload and none of head does, although its manifest stays: it
is no longer listed, its condition or Application is gone, its kind is misspelt, or it became a hook. Or Helm leaves
an object out, as it does not know the type of its hook. Not real if something else deploys it.`,
		Bad: `Pruning deletes the workload, and it is no longer checked.`,
		Now: `List it again. If it should go, delete its manifest as well.`,
		Sources: []string{
			"https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automatic-pruning",
			"https://fluxcd.io/flux/components/kustomize/kustomizations/#prune",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
