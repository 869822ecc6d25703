package render

import (
	"context"
	"slices"
)

// mostOthers bounds the releases that are rendered to tell what an edit makes of those that share its file.
const mostOthers = 8

// Other is a release as it is and as an edit of another one's file makes it.
type Other struct{ Was, Is *Rendered }

// EditedOthers tells what another text of a file makes of the releases beside one that read it,
// too, such as those of a chart's values or of an overlay's base: changed are those whose objects
// differ then, or that fail; open names those of which it is not known, as they were not rendered.
// A release that no change reaches is rendered for it. Both are sorted by ID.
func (r *Revision) EditedOthers(ctx context.Context, id, file string, text []byte) (changed []Other, open []string) {
	rendered := 0
	for _, one := range r.Releases {
		if one.ID == id || one.recipe == nil {
			continue
		}
		was, reads := one.recipe.Files[file]
		if !reads || string(was) == string(text) {
			continue
		}
		// A declaration is no part of what is rendered, and a failed release or one that was not fetched has not all of it.
		if rendered == mostOthers || one.Err != nil || one.recipe.Later || one.recipe.Declares[file] || ctx.Err() != nil {
			open = append(open, one.ID)
			continue
		}
		rendered++
		other, ok := r.other(ctx, one, file, text)
		switch {
		case !ok:
			open = append(open, one.ID)
		case r.declares(id, file) && other.Is.Err == nil && Same(notDeclaring(other.Was), notDeclaring(other.Is)):
			// it holds the declaration that is edited
		case other.Is.Err != nil || !Same(other.Was.Objects, other.Is.Objects):
			changed = append(changed, other)
		}
	}
	return changed, open
}

// other renders a release with an edit, and as it is where it was not rendered; false where that fails.
func (r *Revision) other(ctx context.Context, one *Rendered, file string, text []byte) (Other, bool) {
	was := *one
	was.Objects = slices.DeleteFunc(slices.Clone(one.Objects), func(o *Object) bool { return o.Maker != nil })
	if one.Untouched {
		again, err := r.again(ctx, one, file, one.recipe.Files[file])
		if err != nil || again.Err != nil {
			return Other{}, false
		}
		was = *again
	}
	is, err := r.again(ctx, one, file, text)
	return Other{&was, is}, err == nil
}

// declares reports whether a file declares a release.
func (r *Revision) declares(id, file string) bool {
	return slices.ContainsFunc(r.Releases, func(x *Rendered) bool {
		return x.ID == id && x.recipe != nil && x.recipe.Declares[file]
	})
}

// notDeclaring are the objects of a release that declare no release.
func notDeclaring(r *Rendered) []*Object {
	return slices.DeleteFunc(slices.Clone(r.Objects), func(o *Object) bool {
		return o.ID.Group == "argoproj.io" || o.ID.Group == "helm.toolkit.fluxcd.io"
	})
}
