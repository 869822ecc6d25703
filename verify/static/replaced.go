package static

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/render/object"
)

// replaced reports whether an apply deletes an object and creates it again, or does not find
// it any more, so that no field of it is immutable.
func replaced(tool object.Tool, o *object.Object) bool {
	return absent(tool, o) || forcesItself(tool, o)
}

// replacing reports whether the apply of an object does so with what is there of it. That it will be deleted when it
// has finished says nothing of a Job of an earlier version.
func replacing(tool object.Tool, o *object.Object) bool {
	return createdEachTime(tool, o) || forcesItself(tool, o)
}

// asksForForce reports whether an object asks the tool that applies it, or the one that may, to delete the live object
// where it cannot be changed in place, and what says so. Another tool's annotation is none.
//
// Read from: the documentation of Argo CD (the sync option Force=true: kubectl apply --force, which replaces what
// cannot be patched) and of Flux (kustomize-controller: the annotation force).
func asksForForce(tool object.Tool, o *object.Object) (at string, yes bool) {
	if tool == "" || tool == object.ArgoCD {
		for _, option := range strings.Split(annotation(o, "argocd.argoproj.io/sync-options"), ",") {
			if strings.TrimSpace(option) == "Force=true" {
				return "the sync option Force=true of Argo CD", true
			}
		}
	}
	on := annotation(o, "kustomize.toolkit.fluxcd.io/force")
	return "the annotation force of Flux", (tool == "" || tool == object.Flux) &&
		(strings.EqualFold(on, "enabled") || strings.EqualFold(on, "true"))
}

// madeAgain reports whether each change of an object has Argo CD delete and create it.
//
// Upstream: gitops-engine, pkg/sync: (*syncContext).applyObject, kubectl replace --force.
func madeAgain(tool object.Tool, o *object.Object) bool {
	_, forced := asksForForce(tool, o)
	options := strings.ReplaceAll(annotation(o, "argocd.argoproj.io/sync-options"), " ", "")
	return forced && tool != object.Flux && slices.Contains(strings.Split(options, ","), "Replace=true")
}

// forcesItself reports whether the apply of an object changes nothing of the live one in place: the tool deletes it, or
// leaves it alone. The earlier applied version does not ask it of the next apply.
func forcesItself(tool object.Tool, o *object.Object) bool {
	if _, yes := asksForForce(tool, o); yes {
		return true
	}
	how := annotation(o, "kustomize.toolkit.fluxcd.io/ssa")
	return (tool == "" || tool == object.Flux) && (how == "IfNotPresent" || how == "Ignore")
}

// absent reports whether the next apply does not find an object any more.
//
// Read from: the documentation of Argo CD (resource hooks) and of Jobs (ttlSecondsAfterFinished).
func absent(tool object.Tool, o *object.Object) bool {
	job, ok := o.Typed.(*batchv1.Job)
	return createdEachTime(tool, o) || ok && job.Spec.TTLSecondsAfterFinished != nil
}

// createdEachTime reports whether each apply creates an object, whatever is there. Argo CD's hooks are such
// for it alone.
func createdEachTime(tool object.Tool, o *object.Object) bool {
	meta, _ := o.Content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if name == "" || o.IsVolatile("metadata.name") || o.IsVolatile("metadata.namespace") {
		return true // generateName, or a name of the time or of chance: each apply creates another one
	}
	return (tool == "" || tool == object.ArgoCD) && annotation(o, "argocd.argoproj.io/hook") != ""
}
