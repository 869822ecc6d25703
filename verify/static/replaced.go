package static

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/render/object"
)

// replaced reports whether an apply deletes an object and creates it again, or does not find
// it any more, so that no field of it is immutable.
func replaced(o *object.Object) bool { return absent(o) || forcesItself(o) }

// replacing reports whether the apply of an object does so with what is there of it. That it will be deleted when it
// has finished says nothing of a Job of an earlier version.
func replacing(o *object.Object) bool { return createdEachTime(o) || forcesItself(o) }

// forcesItself reports whether an object asks the tool to replace the live object: the earlier applied version does not
// ask it of the next apply.
//
// Read from: the documentation of Argo CD (the sync option Force=true: kubectl apply --force, which replaces what
// cannot be patched) and of Flux (kustomize-controller: the annotations force, and ssa with IfNotPresent or Ignore).
func forcesItself(o *object.Object) bool {
	for _, option := range strings.Split(annotation(o, "argocd.argoproj.io/sync-options"), ",") {
		if strings.TrimSpace(option) == "Force=true" {
			return true
		}
	}
	on, how := annotation(o, "kustomize.toolkit.fluxcd.io/force"), annotation(o, "kustomize.toolkit.fluxcd.io/ssa")
	return strings.EqualFold(on, "enabled") || strings.EqualFold(on, "true") || how == "IfNotPresent" || how == "Ignore"
}

// absent reports whether the next apply does not find an object any more.
//
// Read from: the documentation of Argo CD (resource hooks) and of Jobs (ttlSecondsAfterFinished).
func absent(o *object.Object) bool {
	job, ok := o.Typed.(*batchv1.Job)
	return createdEachTime(o) || ok && job.Spec.TTLSecondsAfterFinished != nil
}

// createdEachTime reports whether each apply creates an object, whatever is there.
func createdEachTime(o *object.Object) bool {
	meta, _ := o.Content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if name == "" || o.IsVolatile("metadata.name") || o.IsVolatile("metadata.namespace") {
		return true // generateName, or a name of the time or of chance: each apply creates another one
	}
	return annotation(o, "argocd.argoproj.io/hook") != ""
}
