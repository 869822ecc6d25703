package static

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var servedVersions = Analyzer{Name: "custom-versions", Rule: rules.ApplyRejected, Run: unservedCustom,
	Doc: "a custom resource in a version that its definition does not serve"}

// unservedCustom says which custom resources are written in a version that their definition, which the repository has,
// does not serve: the API server knows no such kind. What base had in such a version is no news.
//
// Upstream: apiextensions-apiserver v0.36.3, pkg/apiserver: (*crdHandler).ServeHTTP (HasServedCRDVersion).
func unservedCustom(p *Pass) []Remark {
	now := p.definitions(state.Head)
	if len(now) == 0 {
		return nil
	}
	was := p.definitions(state.Base)
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		def := lastOf(now[groupKind(o)])
		version := writtenAs(o).Version
		if o.Hook || o.Typed != nil || def == nil || len(servedBy(def)) == 0 || slices.Contains(servedBy(def), version) {
			continue
		}
		if b := base.counterpart(o); b != nil && writtenAs(b).Version == version {
			if old := lastOf(was[groupKind(b)]); old != nil && !slices.Contains(servedBy(old), version) {
				continue
			}
		}
		r := Remark{Object: o, paths: []string{"apiVersion"}, causes: []cause{{def, []string{"spec.versions"}}},
			Conditional: def.Release != o.Release,
			text: fmt.Sprintf("%s is written in %s, which %s does not serve (%s): the API server knows no such kind", o.ID,
				writtenAs(o).GroupVersion(), def.ID, listed(servedBy(def)))}
		if list := servedBy(def); len(list) == 1 {
			v := schema.GroupVersion{Group: o.ID.Group, Version: list[0]}.String()
			r.remedies = []Remedy{{Say: "set apiVersion: " + v + ", if the fields are the same there", Object: o,
				Set: []object.Setting{{Path: "apiVersion", Value: v}}}}
		} else {
			r.remedies = byHand("write it in a version that is served")
		}
		out = append(out, r)
	}
	return out
}

func groupKind(o *object.Object) schema.GroupKind {
	return schema.GroupKind{Group: o.ID.Group, Kind: o.ID.Kind}
}

// definitions are the CustomResourceDefinitions of a side by the kind that they define.
func (f *facts) definitions(v state.Version) map[schema.GroupKind][]*object.Object {
	if f.defined[v] == nil {
		f.defined[v] = definedKinds(f.where().objects[v])
	}
	return f.defined[v]
}

// lastOf is the last definition of a kind; nil: there is none.
func lastOf(list []*object.Object) *object.Object {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// servedBy are the versions that a definition serves.
func servedBy(def *object.Object) []string {
	list, _ := slice.ValueAt(def.Content, "spec", "versions").([]any)
	var out []string
	for _, x := range list {
		m, _ := x.(map[string]any)
		name, _ := m["name"].(string)
		if served, _ := m["served"].(bool); served && name != "" {
			out = append(out, name)
		}
	}
	return out
}
