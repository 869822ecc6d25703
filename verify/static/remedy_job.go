package static

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// jobAnew are the ways to get another template to a Job, which cannot change: its own name for each template, or
// that who applies it deletes the old Job and creates it again.
//
// Read from: the documentation of Argo CD (sync options Force=true,Replace=true: kubectl replace --force), of Flux
// (kustomize-controller: the annotation force) and of Helm (chart hooks, before-hook-creation).
func (x *Applied) jobAnew(job *batchv1.Job) []Remedy {
	if len(validation.Create(job)) > 0 || len(x.Head.Refused) > 0 {
		return nil // it is refused under any name
	}
	var out []Remedy
	if x.Base != nil && !x.again {
		name := nextName(job.Name)
		out = append(out, Remedy{
			Say:    "give the Job a new name with its new template, such as " + name,
			Cost:   "the old Job is left, or removed where the tool prunes",
			Object: x.Head, Set: []object.Setting{{Path: "metadata.name", Value: name}},
		})
	}
	switch x.tool {
	case object.ArgoCD:
		options := "Force=true,Replace=true"
		if had := annotation(x.Head, syncOptions); had != "" {
			options = had + "," + options
		}
		out = append(out, x.replacing("Argo CD", syncOptions, options))
	case object.Flux:
		out = append(out, x.replacing("Flux", "kustomize.toolkit.fluxcd.io/force", "enabled"))
	}
	return append(out, byHand(x.jobByHand(job))...)
}

// syncOptions is the annotation with Argo CD's options for one object.
const syncOptions = "argocd.argoproj.io/sync-options"

// replacing has a tool delete the old Job and create the new one.
func (x *Applied) replacing(tool, key, value string) Remedy {
	return Remedy{
		Say:    fmt.Sprintf("annotate the Job with %s: %s, so that %s deletes the old one and creates it again", key, value, tool),
		Cost:   "a Job that still runs is stopped",
		Object: x.Head, Set: []object.Setting{{Path: "metadata.annotations", Value: map[string]any{key: value}}},
	}
}

// jobByHand says what a person can do, with the words of who applies the Job.
func (x *Applied) jobByHand(job *batchv1.Job) string {
	var anew string
	switch {
	case x.tool == object.ArgoCD:
		anew = "make the Job a hook of Argo CD (argocd.argoproj.io/hook: Sync)"
	case x.chart:
		anew = "make the Job a Helm hook (helm.sh/hook: pre-install,pre-upgrade), which is created again each time"
	}
	if x.again || len(nextRender(x.tool, x.Head)) > 0 {
		first := "take what differs from render to render out of the Job's template"
		if anew != "" {
			return first + ", or " + anew
		}
		return first
	}
	first := "delete the Job before the apply (kubectl delete job " + job.Name
	if job.Namespace != "" {
		first += " -n " + job.Namespace
	}
	if anew != "" {
		return first + "), or " + anew
	}
	return first + ")"
}

// nextName is a name with the next number: migrate, migrate-2, migrate-3.
func nextName(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		var n int
		if _, err := fmt.Sscanf(name[i+1:], "%d", &n); err == nil && fmt.Sprint(n) == name[i+1:] {
			return fmt.Sprintf("%s-%d", name[:i], n+1)
		}
	}
	return name + "-2"
}
