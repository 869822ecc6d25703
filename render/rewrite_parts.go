package render

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// A Part is one change of an object: settings of it, or an object that comes beside it.
type Part struct {
	Object *Object
	Set    []Setting
	Add    *Object // a [Object.Companion]; nil: none
}

// Companion is another object of the same release, which stands where this one does.
// Errors: what the API server's types do not take.
func (o *Object) Companion(content map[string]any) (*Object, error) {
	gvk := document.GVK(content)
	meta, _ := content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	read, err := typed.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", gvk.Kind, name, err)
	}
	id := release.ObjectID{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: o.ID.Namespace, Name: name}
	return &Object{ID: id, Release: o.Release, Content: content, Typed: read.Typed, Refused: read.Refused,
		Source: o.Source, known: o.known}, nil
}

// Beside enters an object into those of a release, in their order.
func Beside(objects []*Object, o *Object) []*Object {
	i := slices.IndexFunc(objects, func(x *Object) bool { return lessID(o.ID, x.ID) })
	if i < 0 {
		i = len(objects)
	}
	return slices.Insert(slices.Clone(objects), i, o)
}

// RewriteAll gives texts of one file with which a release renders to just these objects, as all parts together make
// them, each when it is asked for; none where several files would have to change.
func (r *Revision) RewriteAll(ctx context.Context, parts []Part, want []*Object) iter.Seq[Rewrite] {
	return func(yield func(Rewrite) bool) {
		if len(parts) > 0 {
			r.rewriteRest(ctx, parts, want, "", yield)
		}
	}
}

// rewriteRest makes the parts one after the other, in one file if any is named; false where no more is asked for.
func (r *Revision) rewriteRest(ctx context.Context, parts []Part, want []*Object, file string,
	yield func(Rewrite) bool) bool {
	p := parts[0]
	list := r.Rewrites(p.Object, p.Set)
	if p.Add != nil {
		list = r.appended(p.Object, p.Add)
	}
	for _, w := range list {
		if file != "" && w.File != file {
			continue
		}
		rel, err := r.Edited(ctx, p.Object.Release, w.File, []byte(w.Text))
		if err != nil || rel.Err != nil {
			continue
		}
		if len(parts) == 1 {
			if Same(rel.Objects, want) && !yield(w) {
				return false
			}
			continue
		}
		next := *r
		next.Releases = slices.Clone(r.Releases)
		next.Releases[slices.IndexFunc(next.Releases, func(x *Rendered) bool { return x.ID == rel.ID })] = rel
		rest := slices.Clone(parts[1:])
		for i := range rest {
			if rest[i].Object = rel.object(rest[i].Object.ID); rest[i].Object == nil {
				return true
			}
		}
		if !next.rewriteRest(ctx, rest, want, w.File, yield) {
			return false
		}
	}
	return true
}

// object is the one with an ID; nil: there is none.
func (r *Rendered) object(id release.ObjectID) *Object {
	if i := slices.IndexFunc(r.Objects, func(o *Object) bool { return o.ID == id && !o.Hook }); i >= 0 {
		return r.Objects[i]
	}
	return nil
}

// appended writes an object behind the last one of another's file, where that holds manifests as they are applied.
func (r *Revision) appended(o, add *Object) []Rewrite {
	i := slices.IndexFunc(r.Releases, func(x *Rendered) bool { return x.ID == o.Release })
	if i < 0 || r.Releases[i].recipe == nil || r.Releases[i].recipe.Chart != nil {
		return nil
	}
	j := r.Releases[i].recipe
	text := j.Files[o.Source.File]
	t, ok := readSource(j, o.Source.File)
	if !ok || o.Source.File == "" || len(o.doc.Items) > 0 || len(t.roots) == 0 {
		return nil
	}
	body := strings.TrimRight(string(text), " \t\r\n")
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	var b strings.Builder
	b.WriteString(body + end)
	if !strings.HasSuffix(body, "\n---") {
		b.WriteString("---" + end)
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if v, ok := add.Content[key]; ok {
			b.WriteString(strings.ReplaceAll(inBlock(map[string]any{key: v}, 0), "\n", end))
		}
	}
	return []Rewrite{{o.Source.File, b.String()}}
}
