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
	Title:    "a workload is deployed no longer, though its manifest stays",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `A release of base has the workload and none of head does, and its manifest is still there: it is not listed any
longer, its condition or Application is gone, a kind is misspelt, it is moved out of sight, or is a hook. Not real if
something else deploys it.`,
		Bad: `Whoever prunes deletes the workload. Nothing of it is checked any longer.`,
		Now: `List it again. If it is to go, delete its manifest as well.`,
		Sources: []string{
			"https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automatic-pruning",
			"https://fluxcd.io/flux/components/kustomize/kustomizations/#prune",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
