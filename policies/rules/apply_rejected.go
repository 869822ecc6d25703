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
		Real: `Almost always: every object of the change is validated as the API server of Kubernetes v1.36 does it, as a
creation if base lacks it, else as an update of base's. No cluster and no search is needed. Reported are

- an immutable field that differs from base: the selector of a Deployment or DaemonSet, all but seven
  fields of a StatefulSet's spec, the template of a Job, the address of a Service, most of a
  PersistentVolumeClaim, an ` + "`immutable`" + ` ConfigMap or Secret, the role of a binding, the value of a
  PriorityClass, the parameters of a StorageClass;
- an invalid object: ` + "`maxSurge`" + ` and ` + "`maxUnavailable`" + ` both 0, a selector that does not match its own
  template, a request above its limit, a mount of a missing volume, and so on;
- an immutable field with another value at every render (` + "`now`" + `, a random function): only the first apply
  passes.

Not real if the live object differs from base, or is deleted first. Replaced objects have no immutable
fields: Helm and Argo CD hooks, ` + "`Force=true`" + `, Flux's ` + "`force: enabled`" + `, ` + "`generateName`" + `, Jobs with
` + "`ttlSecondsAfterFinished`" + `. A Job that no chart, Argo CD or Flux is known to keep is a warning: it may have
run and be gone. ` + "`kubectl apply --dry-run=server`" + ` shows the same error.`,
		Bad: `The apply fails halfway: other objects of the release are already upgraded, a GitOps controller retries
forever, and no merged change reaches this object until somebody deletes it. What runs keeps running.`,
		Now: `Keep the field as it was; selectors hold no version or chart label. If it has to change, rename the object,
or delete it first and keep its pods (` + "`kubectl delete --cascade=orphan`" + `). To grow a StatefulSet's disks,
resize its claims, delete it with ` + "`--cascade=orphan`" + ` and apply again. Put the version in a Job's name, make
it a hook that is deleted before it is created, or let ` + "`ttlSecondsAfterFinished`" + ` remove it.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#label-selector-updates",
			"https://github.com/kubernetes/kubernetes/issues/50808",
			"https://github.com/kubernetes/kubernetes/issues/69041",
			"https://github.com/kubernetes/kubernetes/issues/89657",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
