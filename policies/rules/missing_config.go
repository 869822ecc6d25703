package rules

import "github.com/kubesettle/kubesettle/verify/state"

// MissingConfig is the ID of the rule that pods find the ConfigMaps and Secrets they need.
const MissingConfig = "missing-config"

// missingConfig says that every ConfigMap and Secret that a pod cannot start without is there, with the keys it asks for.
//
// Intent: what is merged gets to run.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: what the repository had and has no more is gone, unless the object says that it is kept.
// Does not say: anything of a Secret that the repository never had, or of what an operator may write.
var missingConfig = Rule{
	ID:       MissingConfig,
	Class:    Lifecycle,
	Title:    "a pod needs a ConfigMap or Secret, or a key of it, that is not there",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Compared are ` + "`env`, `envFrom`" + ` and mounted volumes (projected ones and ` + "`subPath`" + ` too) with what the
repository renders. ` + "`optional: true`" + ` is respected. Reported are, while the pods still refer to it,

- a ConfigMap or Secret that the change removes or renames, or a key that it takes out;
- a reference that the change renames to a ConfigMap that is not there;
- a new reference that misses one by a typo or by the hash that a generator appends;
- a key that no entry of the ConfigMap has, and a ConfigMap of which the repository says nothing: warnings.

Nothing is said of what may come from elsewhere: a Secret that the repository never had, a name that a custom
resource, a program's argument, a Role or any other file mentions, an object that is annotated to be filled
or kept. Where Git's removals are not pruned (Argo CD without ` + "`prune`" + `) it is a warning: the object stays until
somebody removes it. To check: ` + "`kubectl get configmap,secret -n NAMESPACE`" + `.`,
		Bad: `A new pod waits in ` + "`CreateContainerConfigError`" + ` or ` + "`ContainerCreating`" + ` without end: a rollout sticks at its
first pod. Where the pod template stays as it is, nothing happens at first, and every pod that is evicted or
restarted later stays down.`,
		Now: `Rename both sides in one change, by one helper or generator. To remove an object, remove the references
first, and merge the removal once that has rolled out. ` + "`optional: true`" + ` lets the pod start without it.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/configmap/",
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-pod-configmap/#restrictions",
			"https://github.com/fluxcd/kustomize-controller/issues/1180",
			"https://github.com/kubernetes/kubernetes/issues/22368",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
