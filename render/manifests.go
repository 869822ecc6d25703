package render

import (
	"path"
)

// gatherManifests reads the files of a folder of plain manifests.
func gatherManifests(s *source, rel Release) (*job, *Failure) {
	j := &job{Release: rel, Files: map[string][]byte{}}
	files := rel.Files
	if len(files) == 0 {
		switch {
		case s.hasFile(rel.Path):
			files = []string{rel.Path}
		case s.hasDir(rel.Path):
			for _, p := range s.below(rel.Path) {
				if isManifestName(p) && s.kustomizationFile(path.Dir(p)) != p {
					files = append(files, p)
				}
			}
		default:
			return j, &Failure{
				Reason: "path " + rel.Path + " does not exist", Where: fileStart(rel.Path),
				Remedy: "correct `path` of release " + rel.ID,
			}
		}
		j.Release.Files = files
	}
	for _, p := range files {
		b, err := s.read(p)
		if err != nil {
			return j, asFailure(p, err)
		}
		j.Files[p] = b
	}
	return j, nil
}

// isManifestName says whether a file may hold manifests.
func isManifestName(p string) bool {
	switch path.Ext(p) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// manifests decodes the files of a folder.
func (j *job) manifests() output {
	var out output
	for _, p := range j.Release.Files {
		docs, f := decodeStream(p, j.Files[p])
		if f != nil {
			return output{Err: f}
		}
		for _, d := range docs {
			if gvk := gvkOf(d.Content); gvk.Kind == "" || gvk.Version == "" {
				continue // settings that lie among the manifests
			}
			out.Docs = append(out.Docs, d)
		}
	}
	return out
}
