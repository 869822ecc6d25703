package rules

import "github.com/kubesettle/kubesettle/verify/state"

// missingConfig says that every object that a pod cannot start without is there, with the keys it asks for, and so are
// the claims' classes, the Services of StatefulSets and the Secrets that images are pulled with.
//
// Intent: what is merged gets to run.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: what the repository had and has no more is gone, unless the object says that it is kept.
// Does not say: anything of a Secret that the repository never had, or of what an operator may write.
var missingConfig = Rule{
	ID:       MissingConfig,
	Class:    Lifecycle,
	Title:    "a pod needs an object that is not there",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Pods name a ConfigMap, Secret, key, ServiceAccount, claim or class, or a StatefulSet its Service,
that was removed in any release of the cluster, renamed or misspelt. Not real with ` + "`optional: true`" + `, or if
something else makes the object. Check: ` + "`kubectl get configmap,secret,pvc -n NAMESPACE`" + `.`,
		Bad: `New pods wait in ` + "`CreateContainerConfigError`" + `; with an unchanged template, after the next
eviction. Without ServiceAccount or class none is created; without a claim they stay pending.`,
		Now: `Rename both sides in one change. To remove an object, first remove and roll out its references.`,
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
