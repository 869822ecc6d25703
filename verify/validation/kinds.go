package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agext/levenshtein"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

// served are Kubernetes' own kinds, by group, with their versions, sorted. Every kind of the group extensions is in
// another one, too.
var served = sync.OnceValue(func() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if !strings.HasPrefix(t.PkgPath(), "k8s.io/api/") || strings.HasSuffix(gvk.Kind, "List") ||
			gvk.Group == "extensions" {
			continue
		}
		if out[gvk.Group] == nil {
			out[gvk.Group] = map[string][]string{}
		}
		out[gvk.Group][gvk.Kind] = append(out[gvk.Group][gvk.Kind], gvk.Version)
	}
	for _, kinds := range out {
		for _, versions := range kinds {
			slices.Sort(versions)
		}
	}
	return out
})

// aVersion is an apiVersion as it is written, with no placeholder in it.
var aVersion = regexp.MustCompile(`^([a-z][a-z0-9.-]*/)?v[0-9]+([a-z]+[0-9]+)?$`)

// onceInCore are kinds that OpenShift 3 served in the version v1 without a group.
var onceInCore = []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

// Meant is the intended kind of an object that no API server has: a kind of Kubernetes' own with another spelling, in
// another group, or in a version that its group never had; false if it may be somebody else's kind. No definition
// brings a kind to a group of Kubernetes' own, or to a group without a dot.
//
// Upstream: apiextensions-apiserver v0.36.3, pkg/apis/apiextensions/validation: validateCustomResourceDefinitionSpec
// (a group is "a domain with at least one dot").
func Meant(content map[string]any) (schema.GroupVersionKind, bool) {
	version, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	if lower := strings.ToLower(version); lower != version && aVersion.MatchString(lower) { // no group has capital letters
		if meant, ok := Meant(map[string]any{"apiVersion": lower, "kind": kind}); ok {
			return meant, true
		}
		return schema.FromAPIVersionAndKind(lower, kind), kind != ""
	}
	gv, err := schema.ParseGroupVersion(version)
	var none schema.GroupVersionKind
	if err != nil || kind == "" || !aVersion.MatchString(version) || scheme.Scheme.Recognizes(gv.WithKind(kind)) {
		return none, false
	}
	kinds, own := served()[gv.Group]
	if own {
		if k := nearest(kind, kinds); k != "" && (k != kind || !strings.Contains(gv.Group, ".")) {
			return inGroup(gv, k), true
		}
	}
	if !own && strings.Contains(gv.Group, ".") || gv.Group == "" && slices.Contains(onceInCore, kind) {
		return none, false
	}
	for _, group := range slices.Sorted(maps.Keys(served())) {
		if _, ok := served()[group][kind]; ok && group != gv.Group {
			return inGroup(schema.GroupVersion{Group: group, Version: gv.Version}, kind), true
		}
	}
	return none, false
}

// inGroup is a kind in a version of its group: in the one that is given, if that has it, or else in the stable one.
func inGroup(gv schema.GroupVersion, kind string) schema.GroupVersionKind {
	versions := served()[gv.Group][kind]
	switch {
	case slices.Contains(versions, gv.Version):
	case slices.Contains(versions, "v1"):
		gv.Version = "v1"
	default:
		gv.Version = versions[len(versions)-1]
	}
	return gv.WithKind(kind)
}

// nearest is the one kind of some that a name is spelt almost like, in another case, or with at most two other letters,
// each of five; "": there is none, or several.
func nearest(name string, kinds map[string][]string) string {
	found := ""
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		if strings.EqualFold(k, name) {
			return k
		}
		if levenshtein.Distance(strings.ToLower(k), strings.ToLower(name), nil) <= min(len(k)/5, 2) {
			if found != "" {
				return ""
			}
			found = k
		}
	}
	return found
}

// noSuchKind is the API server's message for a kind that it does not have.
//
// Upstream: apimachinery v0.36.3, pkg/api/meta: (*NoKindMatchError).Error.
func noSuchKind(content map[string]any) field.ErrorList {
	meant, ok := Meant(content)
	if !ok {
		return nil
	}
	path, hint := "kind", "the kind is "+meant.Kind
	if kind, _ := content["kind"].(string); kind == meant.Kind {
		path, hint = "apiVersion", fmt.Sprintf("a %s is of %s", kind, meant.GroupVersion())
	}
	return field.ErrorList{{Type: field.ErrorTypeNotSupported, Field: path,
		Detail: fmt.Sprintf("no matches for kind %q in version %q: %s", content["kind"], content["apiVersion"], hint)}}
}
