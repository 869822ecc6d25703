package object

import (
	"path"
	"slices"
	"strings"
)

// Undecided is the object that decides on head whether a release of base is still there, where that is not known: its
// ApplicationSet makes what only the cluster knows, or fails, or the object that delivers it takes it from elsewhere;
// or one of these decides so about the release that declares this one. "": it is known.
func (c *Changes) Undecided(r *Rendered) string {
	open := map[string]bool{}
	for _, g := range c.Head.Ignored {
		open[g.Elsewhere] = g.Elsewhere != ""
	}
	for depth := 0; r != nil && depth < maxParents; depth++ {
		d := r.Delivery
		set := d.Set[strings.LastIndex(d.Set, ":")+1:]
		by := d.Tool.Kind() + " " + path.Base(d.Name)
		switch {
		case set != "" && (open["ApplicationSet "+path.Base(set)] || failsAs(c.Head, d.Set)):
			return "ApplicationSet " + path.Base(set)
		case set == "" && d.Name != "" && open[by]:
			return by
		}
		i := slices.IndexFunc(c.Base.Releases, func(b *Rendered) bool { return b.ID == r.Parent })
		if i < 0 || slices.ContainsFunc(c.Head.Releases, func(h *Rendered) bool { return h.ID == r.Parent }) {
			return ""
		}
		r = c.Base.Releases[i]
	}
	return ""
}

// maxParents bounds the releases around a release.
const maxParents = 16

// failsAs reports whether a release of some ID has no result.
func failsAs(rev *Revision, id string) bool {
	return slices.ContainsFunc(rev.Releases, func(r *Rendered) bool { return r.ID == id && r.Err != nil })
}
