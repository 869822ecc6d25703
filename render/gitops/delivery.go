package gitops

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// delivery reads it from the object that declares a release.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: SyncPolicy, Application.CascadedDeletion;
// applicationset/controllers: generateApplications adds the finalizer unless preserveResourcesOnDeletion.
// kustomize-controller, api/v1: KustomizationSpec and GetDeletionPolicy. helm-controller, api/v2: HelmReleaseSpec.
func (o *declaring) delivery(id string) release.Delivery {
	spec := document.Value(o.content, "spec")
	kind, _, _ := strings.Cut(id, ":")
	d := release.Delivery{Loops: loops(o.content, kind), At: o.by}
	switch kind {
	case "argocd":
		options := document.Texts(document.Value(spec, "syncPolicy", "syncOptions"))
		d.Tool, d.Name, d.Waits = release.ArgoCD, objectName(o.content, "argocd"), true
		d.Prunes = document.Value(spec, "syncPolicy", "automated", "prune") == true
		d.Last = slices.Contains(options, "PruneLast=true")
		d.Replaces = slices.Contains(options, "Replace=true")
		d.ServerSide = slices.Contains(options, "ServerSideApply=true") && !d.Replaces
		d.Cascades = slices.ContainsFunc(document.Texts(document.Value(o.content, "metadata", "finalizers")),
			func(f string) bool {
				return strings.HasPrefix(f, "resources-finalizer.argocd.argoproj.io")
			})
		if o.set != "" {
			d.Set, d.Cascades = o.set, o.cascades
		}
	case "flux":
		d.Tool, d.Name, d.ServerSide = release.Flux, objectName(o.content, "flux-system"), true
		d.Prunes = document.Value(spec, "prune") == true
		d.Waits = document.Value(spec, "wait") == true || len(document.Items(spec, "healthChecks")) > 0
		policy := document.Text(spec, "deletionPolicy")
		d.Cascades = policy == "Delete" || policy == "WaitForTermination" || d.Prunes && policy != "Orphan"
	case "helmrelease":
		d.Tool, d.Name = release.FluxHelmRelease, objectName(o.content, "default")
		d.Prunes, d.Cascades = true, true
		d.Waits = document.Value(spec, "upgrade", "disableWait") != true &&
			document.Value(spec, "install", "disableWait") != true
	}
	for _, e := range document.Items(spec, "dependsOn") {
		ns := document.Text(e, "namespace")
		if ns == "" {
			ns, _, _ = strings.Cut(d.Name, "/")
		}
		d.DependsOn = append(d.DependsOn, ns+"/"+document.Text(e, "name"))
	}
	return d
}
