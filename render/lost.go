package render

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// lose takes a file out of a release and gives the release that fails in its place.
func (r *made) lose(s *source.Source, l release.LostFile) {
	file := s.Real(l.File)
	rel := release.Release{
		Release: object.Release{
			ID:   r.ID + ":" + strings.TrimPrefix(l.File, r.Path+"/"),
			Kind: object.Manifests, Path: l.File, Namespace: r.Namespace,
			Selected: "a file of " + r.ID + " that fails alone",
			By:       r.By, Parent: r.Parent},
		Files: []string{l.File}, KubeVersion: r.KubeVersion,
	}
	f := *l.Err
	f.Where.File = s.Real(f.Where.File)
	own := &release.Recipe{Release: rel, Files: map[string][]byte{l.File: r.recipe.Files[l.File]}}
	r.lost = append(r.lost, &object.Rendered{Release: rel.Release, Err: &f,
		Reads: own.Reads(), Origin: &made{Release: rel, recipe: own}})
	if r.lostFiles == nil {
		r.lostFiles = map[string]bool{}
	}
	r.lostFiles[file] = true
}
