package worker

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// read decodes plain manifests in this process, as it has done to learn that they are some: nothing is executed, the
// expansion of aliases is bounded, and so are files. Another process takes longer to start. The documents go through
// the same text as from a worker, so there is no difference.
func (p *pool) read(j *release.Recipe) release.Output {
	began, limit := time.Now(), p.clock.Left(p.box.Time)
	over := func() bool { return p.ctx.Err() != nil || time.Since(began) > limit }
	out := runUntil(j, nil, over)
	switch {
	case out.Err != nil && out.Err.Cut && p.ctx.Err() != nil:
		out.Err = stopped(j, "the run was stopped")
		return out
	case out.Err != nil && out.Err.Cut:
		out.Err = p.late(j)
		return out
	}
	frame, err := json.Marshal(out)
	if err == nil && len(frame) > maxOutputBytes {
		return release.Output{Err: stopped(j, fmt.Sprintf("it renders to more than %d MiB", maxOutputBytes>>20))}
	}
	if err == nil {
		out, _, err = decodeOutput(frame, nil)
	}
	if err != nil {
		return release.Output{Err: stopped(j, "the renderer stopped: "+err.Error())}
	}
	p.outputs.keep(j, out, frame)
	return out
}

// readManifests decodes the files of a folder, and evaluates those of Jsonnet, unless the time is over before it is
// done.
func readManifests(j *release.Recipe, over func() bool) release.Output {
	var out release.Output
	for _, p := range j.Release.Files {
		if over() {
			return release.Output{Err: j.Cut()}
		}
		var docs []document.Document
		var f *object.Failure
		if j.Release.Jsonnet != nil && jsonnet.Is(p) {
			docs, f = jsonnet.Evaluate(j, p)
		} else {
			docs, f = document.Decode(p, j.Files[p])
		}
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
			document.Parametrize(d.Content, j.Release.Parameters[p])
			out.Docs = append(out.Docs, d)
		}
	}
	if len(out.Lost) > 0 && len(out.Lost) == len(j.Release.Files) {
		return release.Output{Err: out.Lost[0].Err}
	}
	return out
}
