package render

import (
	"context"
	"iter"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/rewrite"
	"github.com/kubesettle/kubesettle/render/side"
)

// RewriteAll gives texts of one file, see [object.Revision.RewriteAll].
func (h *renderer) RewriteAll(ctx context.Context, r *object.Revision, parts []object.Part, want []*object.Object,
) iter.Seq[object.Rewrite] {
	return func(yield func(object.Rewrite) bool) {
		if len(parts) > 0 {
			h.rewriteRest(ctx, r, parts, want, "", yield)
		}
	}
}

// rewriteRest makes the parts one after the other, in one file if any is named; false where no more is asked for.
func (h *renderer) rewriteRest(ctx context.Context, r *object.Revision, parts []object.Part,
	want []*object.Object, file string,
	yield func(object.Rewrite) bool) bool {
	p := parts[0]
	list := h.Rewrites(r, p.Object, p.Set)
	if p.Add != nil {
		if list = nil; recipeOf(r, p.Object) != nil {
			list = rewrite.Append(recipeOf(r, p.Object), p.Object, p.Add)
		}
	}
	for _, w := range list {
		if file != "" && w.File != file {
			continue
		}
		rel, err := h.Edited(ctx, r, p.Object.Release, w.File, []byte(w.Text))
		if err != nil || rel.Err != nil {
			continue
		}
		if len(parts) == 1 {
			if object.Same(rel.Objects, want) && !yield(w) {
				return false
			}
			continue
		}
		next := *r
		next.Releases = slices.Clone(r.Releases)
		next.Releases[slices.IndexFunc(next.Releases, func(x *object.Rendered) bool { return x.ID == rel.ID })] = rel
		rest := slices.Clone(parts[1:])
		for i := range rest {
			if rest[i].Object = releaseObject(rel, rest[i].Object.ID); rest[i].Object == nil {
				return true
			}
		}
		if !h.rewriteRest(ctx, &next, rest, want, w.File, yield) {
			return false
		}
	}
	return true
}

// releaseObject is the one with an ID; nil: there is none.
func releaseObject(r *object.Rendered, id object.ID) *object.Object {
	if i := slices.IndexFunc(r.Objects, func(o *object.Object) bool { return o.ID == id && !o.Hook }); i >= 0 {
		return r.Objects[i]
	}
	return nil
}

// Rewrites gives texts of files, see [object.Revision.Rewrites].
func (h *renderer) Rewrites(r *object.Revision, o *object.Object, settings []object.Setting) []object.Rewrite {
	j := recipeOf(r, o)
	if j == nil {
		return nil
	}
	return rewrite.Fields(j, o, settings)
}

// recipeOf is the recipe of an object's release; nil: there is none.
func recipeOf(r *object.Revision, o *object.Object) *release.Recipe {
	i := slices.IndexFunc(r.Releases, func(x *object.Rendered) bool { return x.ID == o.Release })
	if i < 0 {
		return nil
	}
	return side.MadeOf(r.Releases[i]).Recipe
}
