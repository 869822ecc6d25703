package worker

import (
	"fmt"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
)

// runHere renders a recipe in this process; its documents are shared with known.
func runHere(j *release.Recipe, known *document.Known) release.Output {
	return runUntil(j, known, func() bool { return false })
}

// runUntil is [runHere]; plain manifests are left where the time is over.
func runUntil(j *release.Recipe, known *document.Known, over func() bool) (out release.Output) {
	defer func() {
		if r := recover(); r != nil { // a library's bug on hostile input is this release's failure
			out = release.Output{Err: &object.Failure{
				Reason: fmt.Sprintf("%s: the renderer failed: %v", j.Release.Path, r),
				Where:  object.FileStart(j.Release.Path), Remedy: "report this with the files it happens on",
			}}
		}
		out.Notes = append(append([]object.Note(nil), j.Notes...), out.Notes...)
		if out.Err != nil {
			out.Err.Reason = redact.Hide(out.Err.Reason, j.Release.Hidden)
		}
	}()
	switch j.Release.Kind {
	case object.Helm:
		return renderChart(j, known)
	case object.Kustomize:
		return buildKustomization(j)
	case release.Templates:
		return fillTemplate(j.Template)
	default:
		return readManifests(j, over)
	}
}

// renderChart renders a chart and builds the post-renderers' overlays over what it gave.
func renderChart(j *release.Recipe, known *document.Known) release.Output {
	if len(j.Release.PostRender) > 0 {
		known = nil // they change decoded documents
	}
	out := helm.Render(j.Chart, j.Files, known)
	for i := range j.Release.PostRender {
		if out.Err != nil {
			break
		}
		var err error
		if out.Docs, err = kustomize.PostRender(&j.Release.PostRender[i], out.Docs); err != nil {
			out.Err = kustomize.Failure(j, err)
			out.Err.Where, out.Err.Remedy = j.Release.By, "correct `postRenderers` of the HelmRelease"
		}
	}
	return out
}

// buildKustomization builds a kustomization and applies Flux's changes to the output.
func buildKustomization(j *release.Recipe) release.Output {
	out := kustomize.Build(j)
	if out.Err != nil {
		return out
	}
	if s := j.Release.Substitute; s != nil {
		var used []object.Hole
		used, out.Err = kustomize.Substitute(s, out.Docs)
		out.Holes = append(out.Holes, used...)
	}
	kustomize.Label(j.Release.Overlay, out.Docs)
	return out
}
