package render

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
)

// mostOthers bounds the releases that are rendered to find the effect of an edit on those that share its file.
const mostOthers = 8

// EditedOthers reports the effect of an edit on other releases, see [object.Revision.EditedOthers].
func (h *renderer) EditedOthers(ctx context.Context, r *object.Revision, id, file string, text []byte,
) (changed []object.Other, open []string) {
	rendered := 0
	for _, one := range r.Releases {
		recipe := side.MadeOf(one).Recipe
		if one.ID == id || recipe == nil || one.Tried() {
			continue
		}
		was, reads := recipe.Files[file]
		if !reads || string(was) == string(text) {
			continue
		}
		// A declaration is no part of the rendered files, and the list of files is incomplete for a release that failed
		// or was not fetched.
		if rendered == mostOthers || one.Err != nil || recipe.Later || recipe.Declares[file] || ctx.Err() != nil {
			open = append(open, one.ID)
			continue
		}
		rendered++
		other, ok := h.other(ctx, r, one, file, text)
		switch {
		case !ok:
			open = append(open, one.ID)
		case declaredIn(r, id, file) && other.Is.Err == nil && object.Same(notDeclaring(other.Was), notDeclaring(other.Is)):
			// it holds the declaration that is edited
		case other.Is.Err != nil || !object.Same(other.Was.Objects, other.Is.Objects):
			changed = append(changed, other)
		}
	}
	return changed, open
}

// other renders a release with an edit, and as it is where it was not rendered; false where that fails.
func (h *renderer) other(ctx context.Context, r *object.Revision, one *object.Rendered, file string, text []byte,
) (object.Other, bool) {
	was := *one
	was.Objects = slices.DeleteFunc(slices.Clone(one.Objects), func(o *object.Object) bool { return o.Maker != nil })
	if one.Untouched {
		again, err := h.again(ctx, r, one, file, side.MadeOf(one).Recipe.Files[file])
		if err != nil || again.Err != nil {
			return object.Other{}, false
		}
		was = *again
	}
	is, err := h.again(ctx, r, one, file, text)
	return object.Other{Was: &was, Is: is}, err == nil
}

// declaredIn reports whether a file declares a release.
func declaredIn(r *object.Revision, id, file string) bool {
	return slices.ContainsFunc(r.Releases, func(x *object.Rendered) bool {
		recipe := side.MadeOf(x).Recipe
		return x.ID == id && recipe != nil && recipe.Declares[file]
	})
}

// notDeclaring are the objects of a release that declare no release.
func notDeclaring(r *object.Rendered) []*object.Object {
	return slices.DeleteFunc(slices.Clone(r.Objects), func(o *object.Object) bool {
		return o.ID.Group == "argoproj.io" || o.ID.Group == "helm.toolkit.fluxcd.io"
	})
}
