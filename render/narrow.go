package render

import (
	"path"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// Paths narrow a run to what they name and to every release that is built from it: an overlay
// of a named base, a chart that depends on a named one, an Application of a named chart. Who
// is built from what is known when the releases' files are gathered, so that discovery looks
// at the whole tree.

// relevant reports whether a release is named, or built from what is named.
func (s *side) relevant(i int) bool {
	r := s.releases[i]
	if s.opt.within(r.Path) || r.Kind != object.Manifests && s.opt.inside(r.Path) {
		return true
	}
	if s.recipes[i] == nil {
		return false
	}
	return slices.ContainsFunc(s.recipes[i].Own(), s.opt.within)
}

// within reports whether a path lies in a named one.
func (o Options) within(p string) bool {
	return slices.ContainsFunc(o.Paths, func(want string) bool { return source.Under(p, path.Clean(want)) })
}

// inside reports whether a folder holds a named path: naming a file of a chart names the chart.
func (o Options) inside(dir string) bool {
	return slices.ContainsFunc(o.Paths, func(want string) bool { return source.Under(path.Clean(want), dir) })
}

// narrow keeps the named ones of a folder's files, and all where none is.
func (o Options) narrow(files []string) []string {
	var named []string
	for _, f := range files {
		if o.within(f) {
			named = append(named, f)
		}
	}
	if len(named) == 0 {
		return files
	}
	return named
}

// idle reports whether a release is not to be rendered: it is neither named nor built from what
// is, and declares no other one that may be. One that cannot be read is not: it stands for no other.
func (s *side) idle(i int) bool {
	return len(s.opt.Paths) > 0 && s.failed[i] == nil && !s.relevant(i) && !s.declaring(i)
}

// narrowed drops what is neither named nor built from what is.
func (s *side) narrowed() {
	if len(s.opt.Paths) == 0 {
		return
	}
	kept := s.without()
	for i := range s.releases {
		if s.relevant(i) {
			kept.byID[s.releases[i].ID] = len(kept.releases)
			kept.take(s, i)
		}
	}
	for _, g := range s.ignored {
		if s.opt.within(g.Path) || s.opt.inside(g.Path) {
			kept.ignored = append(kept.ignored, g)
		}
	}
	*s = *kept
}

// declaring reports whether the files of a release may declare others.
func (s *side) declaring(i int) bool {
	if s.recipes[i] == nil || s.failed[i] != nil {
		return false
	}
	return slices.ContainsFunc(s.recipes[i].Own(), func(p string) bool {
		b := s.recipes[i].Files[p]
		return versioned(b, declaringGroup, true) || versioned(b, fluxGroup, false)
	})
}
