package render

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// lose takes a file out of a release and gives the release that fails in its place.
func (r *Rendered) lose(s *source.Source, l release.LostFile) {
	file := s.Real(l.File)
	rel := release.Release{
		ID: r.ID + ":" + strings.TrimPrefix(l.File, r.Path+"/"), Kind: release.Manifests, Path: l.File,
		Files:       []string{l.File},
		KubeVersion: r.KubeVersion, Namespace: r.Namespace, Selected: "a file of " + r.ID + " that fails alone",
		By: r.By, Parent: r.Parent,
	}
	f := *l.Err
	f.Where.File = s.Real(f.Where.File)
	own := &release.Recipe{Release: rel, Files: map[string][]byte{l.File: r.recipe.Files[l.File]}}
	r.lost = append(r.lost, &Rendered{Release: rel, Err: &f, Reads: own.Reads(), recipe: own})
	if r.lostFiles == nil {
		r.lostFiles = map[string]bool{}
	}
	r.lostFiles[file] = true
}
