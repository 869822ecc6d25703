package render

import (
	"slices"
	"strings"
)

// Loops is what a GitOps controller does to a release after it applied it: its zero value does
// nothing.
type Loops struct {
	// Heals says that what somebody else changed in the cluster is applied again.
	Heals bool
	// Ignores are objects of which another number of replicas is no difference, and Keeps says that
	// an apply for another reason leaves their number alone, too.
	Ignores []Ignores
	Keeps   bool
}

// Ignores is a kind of objects, of a name; "" and "*" are any.
type Ignores struct{ Group, Kind, Name string }

// Of reports whether an object is one of them.
func (i Ignores) Of(id ObjectID) bool {
	any := func(want, have string) bool { return want == "" || want == "*" || want == have }
	return (i.Group == "*" || i.Group == id.Group) && any(i.Kind, id.Kind) && any(i.Name, id.Name)
}

// loops reads them from the object that declares a release, of the kind that its ID begins with.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: SyncPolicyAutomated, ResourceIgnoreDifferences, and the
// sync option RespectIgnoreDifferences; kustomize-controller applies at every interval unless it is
// suspended; helm-controller, api/v2: DriftDetection.
func loops(content any, kind string) Loops {
	spec := value(content, "spec")
	var l Loops
	switch kind {
	case "argocd":
		automated := value(spec, "syncPolicy", "automated")
		l.Heals = value(automated, "selfHeal") == true && value(automated, "enabled") != false
		l.Keeps = slices.Contains(texts(value(spec, "syncPolicy", "syncOptions")), "RespectIgnoreDifferences=true")
		for _, e := range items(spec, "ignoreDifferences") {
			fields := append(texts(value(e, "jsonPointers")), texts(value(e, "jqPathExpressions"))...)
			if slices.ContainsFunc(fields, aboutReplicas) {
				l.Ignores = append(l.Ignores, Ignores{text(e, "group"), text(e, "kind"), text(e, "name")})
			}
		}
	case "flux":
		l.Heals = value(spec, "suspend") != true
	case "helmrelease":
		l.Heals = value(spec, "driftDetection", "mode") == "enabled" && value(spec, "suspend") != true
		for _, e := range items(spec, "driftDetection", "ignore") {
			if !slices.ContainsFunc(texts(value(e, "paths")), aboutReplicas) {
				continue
			}
			i := Ignores{text(e, "target", "group"), text(e, "target", "kind"), text(e, "target", "name")}
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
