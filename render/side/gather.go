package side

import (
	"path"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// gather collects the files that a release needs from a tree, and what it takes from git repositories.
func gather(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
	if rel.Settle == nil {
		return gatherKind(s, rel)
	}
	if s.Dry {
		return unsettled(s, rel), nil
	}
	settled, notes, f := rel.Settle(s, rel)
	var j *release.Recipe
	if f != nil {
		j = unsettled(s, rel)
		j.Later, j.Settled = false, true
	} else {
		settled.Settle, settled.Here = nil, nil
		j, f = gatherKind(s, settled)
		j.Notes = append(j.Notes, notes...)
	}
	for _, g := range j.Release.Git {
		j.FetchedAt(g.Folder, g.At)
	}
	return j, f
}

// unsettled is the recipe of a release before it is known what it takes from git repositories: it has the files of this
// one that it is made of, and those that make it if nothing can be had.
func unsettled(s *source.Source, rel release.Release) *release.Recipe {
	j := &release.Recipe{Release: rel, Files: map[string][]byte{}, Later: true}
	for _, p := range rel.Files {
		b, _ := s.Read(p) // nil where it cannot be read
		j.Beside(p, b)
	}
	helm.OwnFiles(s, j)
	if rel.Here != nil {
		here, _ := gatherKind(s, *rel.Here)
		for p, b := range here.Files {
			j.Files[p] = b
		}
	}
	return j
}

// gatherKind collects the files of a release that is known.
func gatherKind(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
	switch rel.Kind {
	case object.Helm:
		return helm.Gather(s, rel)
	case object.Kustomize:
		return kustomize.Gather(s, rel)
	default:
		return gatherManifests(s, rel)
	}
}

// gatherManifests reads the files of a folder of plain manifests.
func gatherManifests(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
	j := &release.Recipe{Release: rel, Files: map[string][]byte{}}
	files := rel.Files
	if len(files) == 0 {
		switch {
		case s.HasFile(rel.Path):
			files = []string{rel.Path}
		case s.HasDir(rel.Path):
			for _, p := range s.Below(rel.Path) {
				if source.IsManifestName(p) && kustomize.FileOf(s, path.Dir(p)) != p {
					files = append(files, p)
				}
			}
		default:
			return j, &object.Failure{
				Reason: "path " + rel.Path + " does not exist", Where: object.FileStart(rel.Path),
				Remedy: "correct `path` of release " + rel.ID,
			}
		}
		j.Release.Files = files
	}
	for _, p := range files {
		b, err := s.Read(p)
		if err != nil { // what else lies in the folder has nothing to do with it
			j.Files[p] = s.StandIn(p, err)
			j.Lost = append(j.Lost, release.LostFile{File: p, Err: source.AsFailure(p, err)})
			continue
		}
		j.Files[p] = b
		if f := discover.Unreadable(s, p); f != nil && !jsonnet.Is(p) {
			j.Lost = append(j.Lost, release.LostFile{File: p, Err: f})
		}
	}
	if rel.Jsonnet == nil {
		return j, nil
	}
	return j, jsonnet.Gather(s, j)
}
