package rules

import "github.com/kubesettle/kubesettle/verify/state"

// MissingConfig is the ID of the rule that pods find the ConfigMaps, Secrets and ServiceAccounts they need.
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
	Title:    "a pod needs a ConfigMap, Secret or ServiceAccount that is not there",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: "`env`" + `, ` + "`envFrom`" + ` and mounted volumes are compared with what the repository renders. While the pods still refer to it:

- the change removes or renames a ConfigMap or Secret, or takes out a key;
- it removes the ServiceAccount that they run as, or names another one that is not there while the old one stays: warnings;
- it renames a reference to a ConfigMap that is not there;
- a new reference misses one by a typo or a generated hash;
- an unknown key, or a ConfigMap of which the repository says nothing: warnings.

No finding: ` + "`optional: true`" + `, and what may come from elsewhere (a Secret that the repository never had, a name that
another file mentions, an annotation that fills or keeps the object). Without pruning: a warning. Check:
` + "`kubectl get configmap,secret -n NAMESPACE`" + `.`,
		Bad: `A new pod waits in ` + "`CreateContainerConfigError`" + ` or ` + "`ContainerCreating`" + ` without end. With an unchanged template it shows
only when pods are evicted or restarted. Without its ServiceAccount no pod is created at all.`,
		Now: `Rename both sides in one change. To remove an object, remove the references first, and merge the removal once that has
rolled out. ` + "`optional: true`" + ` lets the pod start without it.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/configmap/",
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-pod-configmap/#restrictions",
			"https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/",
			"https://github.com/fluxcd/kustomize-controller/issues/1180",
			"https://github.com/kubernetes/kubernetes/issues/22368",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
