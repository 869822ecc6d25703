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

// gather collects the files that a release needs from a tree.
func gather(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
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
