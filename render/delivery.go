package render

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
)

// Tool is what applies a release.
type Tool string

const (
	ArgoCD          Tool = "Argo CD"
	Flux            Tool = "Flux"      // a Kustomization
	FluxHelmRelease Tool = "Flux Helm" // a HelmRelease
)

// Delivery is how a release gets into the cluster, as the GitOps object that declares it says. Its zero value is that of
// a release that no such object declares: nothing is known.
type Delivery struct {
	Tool Tool
	Name string // of the object, "namespace/name"
	// Prunes says that what Git no longer has is deleted, and Last that this waits until all else is healthy.
	Prunes, Last bool
	// ServerSide says that it applies by field ownership, and Replaces that it puts each object in the place of the live one.
	ServerSide, Replaces bool
	// Cascades says that everything it applied is deleted with the object itself.
	Cascades bool
	// Waits says that it is not ready before what it applied is, and DependsOn which others, "namespace/name" of the same
	// kind, have to be ready before it starts.
	Waits     bool
	DependsOn []string
	// Loops is what it does to the release afterwards, and At where it says so.
	Loops Loops
	At    document.Location
	// Set is the ApplicationSet that generates the object, "namespace/name"; "": none does.
	Set string
}

// delivery reads it from the object that declares a release.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: SyncPolicy, Application.CascadedDeletion; applicationset/controllers:
// generateApplications adds the finalizer unless preserveResourcesOnDeletion. kustomize-controller, api/v1:
// KustomizationSpec and GetDeletionPolicy. helm-controller, api/v2: HelmReleaseSpec.
func (o *declaring) delivery(id string) Delivery {
	spec := value(o.content, "spec")
	kind, _, _ := strings.Cut(id, ":")
	d := Delivery{Loops: loops(o.content, kind), At: o.by}
	switch kind {
	case "argocd":
		options := texts(value(spec, "syncPolicy", "syncOptions"))
		d.Tool, d.Name, d.Waits = ArgoCD, objectName(o.content, "argocd"), true
		d.Prunes = value(spec, "syncPolicy", "automated", "prune") == true
		d.Last = slices.Contains(options, "PruneLast=true")
		d.Replaces = slices.Contains(options, "Replace=true")
		d.ServerSide = slices.Contains(options, "ServerSideApply=true") && !d.Replaces
		d.Cascades = slices.ContainsFunc(texts(value(o.content, "metadata", "finalizers")), func(f string) bool {
			return strings.HasPrefix(f, "resources-finalizer.argocd.argoproj.io")
		})
		if o.set != "" {
			d.Set, d.Cascades = o.set, o.cascades
		}
	case "flux":
		d.Tool, d.Name, d.ServerSide = Flux, objectName(o.content, "flux-system"), true
		d.Prunes = value(spec, "prune") == true
		d.Waits = value(spec, "wait") == true || len(items(spec, "healthChecks")) > 0
		policy := text(spec, "deletionPolicy")
		d.Cascades = policy == "Delete" || policy == "WaitForTermination" || d.Prunes && policy != "Orphan"
	case "helmrelease":
		d.Tool, d.Name = FluxHelmRelease, objectName(o.content, "default")
		d.Prunes, d.Cascades = true, true
		d.Waits = value(spec, "upgrade", "disableWait") != true && value(spec, "install", "disableWait") != true
	}
	for _, e := range items(spec, "dependsOn") {
		ns := text(e, "namespace")
		if ns == "" {
			ns, _, _ = strings.Cut(d.Name, "/")
		}
		d.DependsOn = append(d.DependsOn, ns+"/"+text(e, "name"))
	}
	return d
}
