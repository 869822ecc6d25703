package side

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/object"
)

// Paths narrow a run to the releases that they name and to every release that is built from those: an overlay of a
// named base, a chart that depends on a named one, an Application of a named chart. Only the gathered files of releases
// show which is built from which, so discovery looks at the whole tree.

// relevant reports whether a release is named, or built from a named one.
func (s *Side) relevant(i int) bool {
	r := s.Releases[i]
	if s.Opt.Paths.Within(r.Path) || r.Kind != object.Manifests && s.Opt.Paths.Inside(r.Path) {
		return true
	}
	if s.Recipes[i] == nil {
		return false
	}
	return slices.ContainsFunc(s.Recipes[i].Own(), s.Opt.Paths.Within)
}

// Idle reports whether a release is not to be rendered: it is neither named nor built from what
// is, and declares no other one that may be. One that cannot be read is not: it stands for no other.
func (s *Side) Idle(i int) bool {
	return len(s.Opt.Paths) > 0 && s.Failed[i] == nil && !s.relevant(i) && !s.declaring(i)
}

// Narrowed drops releases that are neither named nor built from named ones.
func (s *Side) Narrowed() {
	if len(s.Opt.Paths) == 0 {
		return
	}
	kept := s.Without()
	for i := range s.Releases {
		if s.relevant(i) {
			kept.ByID[s.Releases[i].ID] = len(kept.Releases)
			kept.Take(s, i)
		}
	}
	for _, g := range s.Ignored {
		if s.Opt.Paths.Within(g.Path) || s.Opt.Paths.Inside(g.Path) {
			kept.Ignored = append(kept.Ignored, g)
		}
	}
	*s = *kept
}

// declaring reports whether the files of a release may declare others.
func (s *Side) declaring(i int) bool {
	if s.Recipes[i] == nil || s.Failed[i] != nil {
		return false
	}
	return slices.ContainsFunc(s.Recipes[i].Own(), func(p string) bool {
		b := s.Recipes[i].Files[p]
		return gitops.Versioned(b, gitops.ArgoGroup, true) || gitops.Versioned(b, gitops.FluxGroup, false)
	})
}
