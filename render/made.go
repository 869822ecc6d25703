package render

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Recipe says which objects an operator makes of each of its custom resources: an object of the same namespace.
type Recipe struct {
	Group, Kind string // of the custom resource
	By          string // its operator, for notes
	Presumed    string // the operator, if it is not declared what that makes; "": it is
	// Object is the made object without its name and namespace, and Fields say where values of the custom resource go:
	// paths in Object, and those in the resource. A value that the resource lacks stays as in Object.
	Object map[string]any
	Fields map[string]string
	// Values are computed of the resource, by their paths in Object.
	Values map[string]func(resource map[string]any) (any, error)
	// When reports whether it is made at all; nil: always.
	When func(resource map[string]any) (bool, error)
	Name string // of the made object, with {name} for the resource's; "" is that name
}

// Of reports whether a custom resource is the recipe's.
func (r *Recipe) Of(id object.ID) bool { return r.Group == id.Group && r.Kind == id.Kind }

// WithMade gives the changes with what operators make of the custom resources on both sides. An object that the release
// has itself stays as it is.
func WithMade(c *object.Changes, recipes []Recipe) (*object.Changes, error) {
	if len(recipes) == 0 {
		return c, nil
	}
	head := withMade(c.Head, recipes)
	if c.Base == nil {
		return &object.Changes{Head: head, Changes: c.Changes, Files: c.Files, Lines: c.Lines}, nil
	}
	return Diff(withMade(c.Base, recipes), head)
}

func withMade(r *object.Revision, recipes []Recipe) *object.Revision {
	out := *r
	out.Releases = slices.Clone(r.Releases)
	for i, rel := range out.Releases {
		has := map[string]bool{}
		for _, o := range rel.Objects {
			has[o.ID.String()] = true
		}
		next := *rel
		next.Objects = slices.Clone(rel.Objects)
		next.Notes = slices.Clone(rel.Notes)
		for _, o := range rel.Objects {
			for k := range recipes {
				if recipe := &recipes[k]; !o.Hook && recipe.Of(o.ID) {
					made, err := recipe.make(o)
					switch {
					case err != nil:
						next.Notes = append(next.Notes, object.Say(object.MadeUnread, recipe.By, err).On(o.ID))
					case made != nil && !has[made.ID.String()]:
						has[made.ID.String()] = true
						next.Objects = append(next.Objects, made)
					}
				}
			}
		}
		if len(next.Objects) > len(rel.Objects) || len(next.Notes) > len(rel.Notes) {
			sort.SliceStable(next.Objects, func(i, j int) bool { return next.Objects[i].ID.Compare(next.Objects[j].ID) < 0 })
			out.Releases[i] = &next
		}
	}
	return &out
}

// make gives the object that is made of a custom resource, nil for none. Its fields are where the resource's are that
// they come of; all others where the resource begins.
func (r *Recipe) make(of *object.Object) (*object.Object, error) {
	if r.When != nil {
		if yes, err := r.When(of.Content); err != nil || !yes {
			return nil, err
		}
	}
	name := of.ID.Name
	if r.Name != "" {
		name = strings.ReplaceAll(r.Name, "{name}", name)
	}
	content := fieldpath.DeepCopy(r.Object).(map[string]any)
	meta, _ := content["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["name"], meta["namespace"] = name, of.ID.Namespace
	content["metadata"] = meta
	for _, to := range slices.Sorted(maps.Keys(r.Fields)) {
		from := r.Fields[to]
		if v, ok := fieldpath.Parse(from).Get(of.Content); ok && !fieldpath.Parse(to).Put(content, v) {
			return nil, fmt.Errorf("there is no %s to put a value at", to)
		}
	}
	for _, to := range slices.Sorted(maps.Keys(r.Values)) {
		v, err := r.Values[to](of.Content)
		if err != nil {
			return nil, err
		}
		if !fieldpath.Parse(to).Put(content, v) {
			return nil, fmt.Errorf("there is no %s to put a value at", to)
		}
	}
	read, err := typed.Decode(content)
	if err != nil {
		return nil, err
	}
	gvk := document.GVK(content)
	name, _ = meta["name"].(string) // a value may have said another one
	refused := read.Refused
	if r.Presumed != "" { // fields that the operator may read otherwise
		refused = nil
	}
	return &object.Object{
		ID: object.ID{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind,
			Namespace: of.ID.Namespace, Name: name},
		Release: of.Release, Content: content, Typed: read.Typed, Refused: refused, Source: of.Source,
		Known: of.Known, Maker: of, Presumed: r.Presumed,
		Origin: &release.Origin{Find: func(path string) object.Location {
			for _, to := range slices.Sorted(maps.Keys(r.Fields)) {
				if at, ok := strings.CutPrefix(path, to); ok && (at == "" || at[0] == '.' || at[0] == '[') ||
					strings.HasPrefix(to, path+".") {
					if _, has := fieldpath.Parse(r.Fields[to]).Get(of.Content); has {
						return of.Locate(r.Fields[to])
					}
				}
			}
			return of.Source
		}},
	}, nil
}
