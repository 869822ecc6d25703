package rules

import "github.com/kubesettle/kubesettle/verify/state"

// applyRejected says that the API server takes the change: no immutable field differs from
// base, and every object is valid, and stands once in its release.
//
// Intent: what was merged is what runs.
// Class: an operation error; judged on the objects, without a run.
// Assumes: what base declares is what the cluster has.
// Does not say: that admission webhooks take it too, or policies in CEL that ask who sends it.
var applyRejected = Rule{
	ID:       ApplyRejected,
	Class:    Lifecycle,
	Title:    "the API server refuses the change",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `The API server, KEDA (a ScaledObject) or a ValidatingAdmissionPolicy refuses the object: a field is
invalid, or an immutable field differs, perhaps at each render (` + "`now`" + `). Helm only drops unknown
fields: a warning. Not real if the live object differs from base. Check: ` + "`kubectl apply --dry-run=server`" + `.`,
		Bad: `The apply fails halfway; no later change reaches the object.`,
		Now: `Keep the field; or rename the object; or delete it first (` + "`--cascade=orphan`" + `). For a Job: a version in its name, a hook, or ` + "`ttlSecondsAfterFinished`" + `. For a StatefulSet's disks:
resize the claims.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#label-selector-updates",
			"https://github.com/kubernetes/kubernetes/issues/50808",
			"https://github.com/kubernetes/kubernetes/issues/69041",
			"https://github.com/kubernetes/kubernetes/issues/89657",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
