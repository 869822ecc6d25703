package gitops

import (
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// delivery reads it from the object that declares a release.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: SyncPolicy, Application.CascadedDeletion;
// applicationset/controllers: generateApplications adds the finalizer unless preserveResourcesOnDeletion.
// kustomize-controller, api/v1: KustomizationSpec and GetDeletionPolicy; internal/controller: checkHealth (wait goes
// before healthChecks). helm-controller, api/v2: HelmReleaseSpec.
func (o *declaring) delivery(id string) object.Delivery {
	spec := document.Value(o.content, "spec")
	kind, _, _ := strings.Cut(id, ":")
	d := object.Delivery{Loops: loops(o.content, kind), At: o.by, From: o.from}
	switch kind {
	case "argocd":
		options := document.Texts(document.Value(spec, "syncPolicy", "syncOptions"))
		d.Tool, d.Name, d.Waits = object.ArgoCD, objectName(o.content, "argocd"), true
		d.Prunes = document.Value(spec, "syncPolicy", "automated", "prune") == true
		automated, _ := document.Value(spec, "syncPolicy", "automated").(map[string]any)
		d.Automated = automated != nil && automated["enabled"] != false
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
		d.Tool, d.Name, d.ServerSide = object.Flux, objectName(o.content, "flux-system"), true
		d.Prunes = document.Value(spec, "prune") == true
		d.Waits = document.Value(spec, "wait") == true || len(document.Items(spec, "healthChecks")) > 0
		d.All, d.Forces = document.Value(spec, "wait") == true, document.Value(spec, "force") == true
		if !d.All {
			d.Health = healthChecks(spec)
		}
		policy := document.Text(spec, "deletionPolicy")
		d.Cascades = policy == "Delete" || policy == "WaitForTermination" || d.Prunes && policy != "Orphan"
	case "helmrelease":
		d.Tool, d.Name = object.FluxHelmRelease, objectName(o.content, "default")
		d.Prunes, d.Cascades = true, true
		d.Waits = document.Value(spec, "upgrade", "disableWait") != true &&
			document.Value(spec, "install", "disableWait") != true
		d.Install, d.Upgrade = attempt(spec, "install"), attempt(spec, "upgrade")
		d.Adopts = document.Value(spec, "upgrade", "disableTakeOwnership") != true
	}
	d.Suspended = kind != "argocd" && document.Value(spec, "suspend") == true
	for _, e := range document.Items(spec, "dependsOn") {
		ns := document.Text(e, "namespace")
		if ns == "" {
			ns, _, _ = strings.Cut(d.Name, "/")
		}
		name := ns + "/" + document.Text(e, "name")
		d.DependsOn = append(d.DependsOn, name)
		if document.Text(e, "readyExpr") != "" {
			d.Judged = append(d.Judged, name)
		}
	}
	return d
}

// healthChecks are the objects that a Kustomization waits for.
func healthChecks(spec any) []object.Health {
	var out []object.Health
	for i, e := range document.Items(spec, "healthChecks") {
		group, _, grouped := strings.Cut(document.Text(e, "apiVersion"), "/")
		if !grouped {
			group = ""
		}
		out = append(out, object.Health{Group: group, Kind: document.Text(e, "kind"), Name: document.Text(e, "name"),
			Namespace: document.Text(e, "namespace"), Index: i})
	}
	return out
}

// attempt reads how a HelmRelease is installed or upgraded.
//
// Upstream: helm-controller v1.5, api/v2: GetTimeout, InstallRemediation, UpgradeRemediation (MustRemediateLastFailure,
// GetStrategy), GetRetry; internal/reconcile: (*AtomicRelease).actionForState, which asks for a retry first.
// That a flag of the controller makes retrying the default is in no manifest.
func attempt(spec any, action string) object.Attempt {
	own := document.Value(spec, action)
	a := object.Attempt{Patience: 5 * time.Minute}
	for _, at := range []any{own, spec} {
		if d, err := time.ParseDuration(document.Text(at, "timeout")); err == nil && d > 0 {
			a.Patience = d
			break
		}
	}
	if document.Value(own, "disableWait") == true {
		a.Patience = 0
	}
	r := document.Value(own, "remediation")
	if document.Text(own, "strategy", "name") == "RetryOnFailure" {
		a.Unused, a.Retries = r != nil, -1
		return a
	}
	if a.Undo = object.Uninstall; action == "upgrade" {
		if a.Undo = object.Rollback; document.Text(r, "strategy") == string(object.Uninstall) {
			a.Undo = object.Uninstall
		}
	}
	switch n := document.Value(r, "retries").(type) {
	case int64:
		a.Retries = int(n)
	case float64:
		a.Retries = int(n)
	case int:
		a.Retries = n
	}
	last, set := document.Value(r, "remediateLastFailure").(bool)
	a.Last = last || !set && action == "upgrade" && a.Retries > 0
	return a
}
