package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/source"
)

// gatherManifests reads the files of a folder of plain manifests.
func gatherManifests(s *source.Source, rel Release) (*job, *document.Failure) {
	j := &job{Release: rel, Files: map[string][]byte{}}
	files := rel.Files
	if len(files) == 0 {
		switch {
		case s.HasFile(rel.Path):
			files = []string{rel.Path}
		case s.HasDir(rel.Path):
			for _, p := range s.Below(rel.Path) {
				if source.IsManifestName(p) && kustomizationFile(s, path.Dir(p)) != p {
					files = append(files, p)
				}
			}
		default:
			return j, &document.Failure{
				Reason: "path " + rel.Path + " does not exist", Where: document.FileStart(rel.Path),
				Remedy: "correct `path` of release " + rel.ID,
			}
		}
		j.Release.Files = files
	}
	for _, p := range files {
		b, err := s.Read(p)
		if err != nil {
			return j, document.AsFailure(p, err)
		}
		j.Files[p] = b
		if f := unreadable(s, p); f != nil {
			j.Lost = append(j.Lost, lostFile{p, f})
		}
	}
	return j, nil
}

// lostFile is a file of plain manifests that fails alone: the others of its folder have
// nothing to do with it.
type lostFile struct {
	File string
	Err  *document.Failure
}

// manifests decodes the files of a folder.
func (j *job) manifests() output {
	var out output
	for _, p := range j.Release.Files {
		docs, f := document.Decode(p, j.Files[p])
		if i := slices.IndexFunc(j.Lost, func(l lostFile) bool { return l.File == p }); i >= 0 && f == nil {
			f = j.Lost[i].Err
		}
		if f != nil {
			out.Lost = append(out.Lost, lostFile{p, f})
			continue
		}
		for _, d := range docs {
			if gvk := document.GVK(d.Content); gvk.Kind == "" || gvk.Version == "" {
				continue // settings that lie among the manifests
			}
			out.Docs = append(out.Docs, d)
		}
	}
	if len(out.Lost) > 0 && len(out.Lost) == len(j.Release.Files) {
		return output{Err: out.Lost[0].Err}
	}
	return out
}

// lose takes a file out of a release and gives the release that fails in its place.
func (r *Rendered) lose(s *source.Source, l lostFile) {
	file := s.Real(l.File)
	rel := Release{
		ID: r.ID + ":" + strings.TrimPrefix(l.File, r.Path+"/"), Kind: Manifests, Path: l.File, Files: []string{l.File},
		KubeVersion: r.KubeVersion, Namespace: r.Namespace, Selected: "a file of " + r.ID + " that fails alone", By: r.By, Parent: r.Parent,
	}
	f := *l.Err
	f.Where.File = s.Real(f.Where.File)
	own := &job{Release: rel, Files: map[string][]byte{l.File: r.job.Files[l.File]}}
	r.lost = append(r.lost, &Rendered{Release: rel, Err: &f, Reads: own.reads(), job: own})
	if r.lostFiles == nil {
		r.lostFiles = map[string]bool{}
	}
	r.lostFiles[file] = true
}
