package gitops

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// loops reads them from the object that declares a release, of the kind that its ID begins with.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: SyncPolicyAutomated, ResourceIgnoreDifferences, and the
// sync option RespectIgnoreDifferences; kustomize-controller applies at every interval unless it is
// suspended; helm-controller, api/v2: DriftDetection.
func loops(content any, kind string) object.Loops {
	spec := document.Value(content, "spec")
	var l object.Loops
	switch kind {
	case "argocd":
		automated := document.Value(spec, "syncPolicy", "automated")
		l.Heals = document.Value(automated, "selfHeal") == true && document.Value(automated, "enabled") != false
		l.Keeps = slices.Contains(document.Texts(document.Value(spec, "syncPolicy", "syncOptions")),
			"RespectIgnoreDifferences=true")
		for _, e := range document.Items(spec, "ignoreDifferences") {
			fields := append(document.Texts(document.Value(e, "jsonPointers")),
				document.Texts(document.Value(e, "jqPathExpressions"))...)
			if slices.ContainsFunc(fields, aboutReplicas) {
				l.Ignores = append(l.Ignores,
					object.Ignores{Group: document.Text(e, "group"), Kind: document.Text(e, "kind"), Name: document.Text(e, "name")})
			}
		}
	case "flux":
		l.Heals = document.Value(spec, "suspend") != true
	case "helmrelease":
		l.Heals = document.Value(spec, "driftDetection", "mode") == "enabled" && document.Value(spec, "suspend") != true
		for _, e := range document.Items(spec, "driftDetection", "ignore") {
			if !slices.ContainsFunc(document.Texts(document.Value(e, "paths")), aboutReplicas) {
				continue
			}
			i := object.Ignores{
				Group: document.Text(e, "target", "group"), Kind: document.Text(e, "target", "kind"),
				Name: document.Text(e, "target", "name"),
			}
			if i.Group == "" {
				i.Group = "*"
			}
			l.Ignores = append(l.Ignores, i)
		}
	}
	return l
}

// aboutReplicas reports whether a pointer or path is that of spec.replicas, or holds it.
func aboutReplicas(path string) bool {
	path = strings.Trim(strings.NewReplacer(".", "/", `"`, "", "[", "/", "]", "").Replace(path), "/ ")
	return path == "spec/replicas" || path == "spec" || path == ""
}
