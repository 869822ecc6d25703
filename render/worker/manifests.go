package worker

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// readManifests decodes the files of a folder.
func readManifests(j *release.Recipe) release.Output {
	var out release.Output
	for _, p := range j.Release.Files {
		docs, f := document.Decode(p, j.Files[p])
		if i := slices.IndexFunc(j.Lost, func(l release.LostFile) bool { return l.File == p }); i >= 0 && f == nil {
			f = j.Lost[i].Err
		}
		if f != nil {
			out.Lost = append(out.Lost, release.LostFile{File: p, Err: f})
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
		return release.Output{Err: out.Lost[0].Err}
	}
	return out
}
