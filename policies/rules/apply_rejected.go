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
		What: `Every object of the change is validated as the API server validates it (Kubernetes v1.36):
as one that is created where base does not have it, as an update of base's object otherwise.
It is a finding

- where an immutable field differs from base: the selector of a Deployment or DaemonSet, all of a
  StatefulSet's spec but its seven mutable fields, the template of a Job, the address of a Service,
  most of a PersistentVolumeClaim, a ConfigMap or Secret that is ` + "`immutable`" + `, the role of a binding,
  the value of a PriorityClass, the parameters of a StorageClass;
- where an object is invalid: ` + "`maxSurge`" + ` and ` + "`maxUnavailable`" + ` both 0, a
  ` + "`progressDeadlineSeconds`" + ` not above ` + "`minReadySeconds`" + `, a selector that does not match
  its own template, a request above its limit, a mount of a volume that is not there, and so on;
- where a template gives an immutable field another value at every render (` + "`now`" + `, a random
  function): the first apply passes, and every further one is refused.

Objects that are replaced and not updated have no immutable fields: Helm and Argo CD hooks, those
with the sync option ` + "`Force=true`" + ` or Flux's annotation ` + "`force: enabled`" + `, those with
` + "`generateName`" + `, and Jobs with ` + "`ttlSecondsAfterFinished`" + `. No cluster is needed for this rule, and
no search.`,
		Why: `Old and new manifest are both fine by themselves, so that linters and schema checks pass. The
apply fails half way: other objects of the release are already upgraded, a GitOps controller
retries for ever, and nothing of what was merged reaches this object until somebody deletes it.`,
		Mend: `Keep the field as it was: selectors hold no version or chart label. Where it has to change,
delete the object first and let its pods live on (` + "`kubectl delete --cascade=orphan`" + `), or give
it another name. To grow the disks of a StatefulSet, resize its claims, delete it with
` + "`--cascade=orphan`" + ` and apply again. Give a Job a name that holds its version, make it a hook that is
deleted before it is created, or let ` + "`ttlSecondsAfterFinished`" + ` remove it.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#label-selector-updates",
			"https://github.com/kubernetes/kubernetes/issues/50808",
			"https://github.com/kubernetes/kubernetes/issues/69041",
			"https://github.com/kubernetes/kubernetes/issues/89657",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
