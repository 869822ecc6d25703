package rules

import "github.com/kubesettle/kubesettle/verify/state"

// ApplyRejected is the ID of the rule that the API server takes what is applied.
const ApplyRejected = "apply-rejected"

// applyRejected says that the API server takes the change: no immutable field differs from
// base, and every object is valid.
//
// Intent: what was merged is what runs.
// Class: an operation error; judged on the objects, without a run.
// Assumes: what base declares is what the cluster has.
// Does not say: that admission webhooks and policies take it too.
var applyRejected = Rule{
	ID:       ApplyRejected,
	Class:    Lifecycle,
	Title:    "the API server refuses the change",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `Almost always: each object is validated as v1.36 does it, as a creation, or as an update of base's.

- An immutable field differs: a Deployment's or DaemonSet's selector, most of a StatefulSet's or
  PersistentVolumeClaim's spec, a Job's template, a Service's address, an ` + "`immutable`" + ` ConfigMap or Secret, the role of
  a binding, a PriorityClass's value, a StorageClass's parameters.
- It differs at every render (` + "`now`" + `, a random function): only the first apply passes.
- An object is invalid.

No finding: objects that are replaced (hooks, ` + "`Force=true`" + `, ` + "`force: enabled`" + `, ` + "`generateName`" + `,
` + "`ttlSecondsAfterFinished`" + `). A warning: a Job that nothing is known to keep. Not real if the live object differs from
base. Check: ` + "`kubectl apply --dry-run=server`" + `.`,
		Bad: `The apply fails halfway, a GitOps controller retries forever, and no later change reaches the object.`,
		Now: `Keep the field; no version in selectors. Or rename the object, or delete it first and keep its pods
(` + "`kubectl delete --cascade=orphan`" + `). A StatefulSet's disks: resize the claims, delete with ` + "`--cascade=orphan`" + `, apply. A
Job: version in the name, a hook, or ` + "`ttlSecondsAfterFinished`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#label-selector-updates",
			"https://github.com/kubernetes/kubernetes/issues/50808",
			"https://github.com/kubernetes/kubernetes/issues/69041",
			"https://github.com/kubernetes/kubernetes/issues/89657",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
