package side

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"

	"slices"

	"github.com/kubesettle/kubesettle/render/locate"
)

// lose takes a file out of a release and gives the release that fails in its place.
func (r *Made) lose(s *source.Source, l release.LostFile) {
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
	own := &release.Recipe{Release: rel, Files: map[string][]byte{l.File: r.Recipe.Files[l.File]}}
	if r.Recipe.Release.Jsonnet != nil && jsonnet.Is(l.File) {
		own.Files = r.Recipe.Files // it may import any of them
	}
	r.Lost = append(r.Lost, &object.Rendered{Release: rel.Release, Err: &f,
		Reads: own.Reads(), Origin: &Made{Release: rel, Recipe: own}})
	if r.LostFiles == nil {
		r.LostFiles = map[string]bool{}
	}
	r.LostFiles[file] = true
}

// Made records how a release was rendered.
type Made struct {
	release.Release
	Recipe *release.Recipe // nil: it was not rendered
	Partly bool            // not all that it is made of was read
	// lost are the files of plain manifests that fail alone, as separate releases.
	Lost      []*object.Rendered
	LostFiles map[string]bool
}

func MadeOf(r *object.Rendered) *Made {
	if one, ok := r.Origin.(*Made); ok {
		return one
	}
	return &Made{Release: release.Release{Release: r.Release}}
}

func (s *Side) Rendered(i int, known Scopes) *object.Rendered {
	out := s.Outputs[i]
	m := &Made{Release: s.Releases[i], Recipe: s.Recipes[i], Partly: s.Failed[i] != nil}
	if source.MountOf(m.Path) != "" { // nothing points out of the repository
		m.Path = m.By.File
		m.Values = slices.DeleteFunc(slices.Clone(m.Values), func(p string) bool { return source.MountOf(p) != "" })
	}
	r := &object.Rendered{Release: m.Release.Release, Err: out.Err, Untouched: out.Untouched, Origin: m}
	r.Delivery.Fills = m.Substitute.Unknown()
	r.Notes = append(append(r.Notes, m.Remarks...), out.Notes...)
	if s.Recipes[i] != nil {
		r.Reads, r.Whole = s.Recipes[i].Own(), !s.Recipes[i].Unread
		r.Fetched = fetchedBy(s.Src, s.Recipes[i])
		if r.Err == nil {
			for _, h := range slices.Concat(m.Unknown, s.Recipes[i].Holes, out.Holes) {
				f := s.Recipes[i].PlacedFailure(h.Failure())
				h.Reason, h.Where = f.Reason, f.Where
				h.Where.File = s.Src.Real(h.Where.File)
				r.Holes = append(r.Holes, h)
				if h.Part() {
					r.Notes = append(r.Notes, object.Say(object.PartUnknown, h.Reason))
				}
			}
		}
	}
	if r.Err != nil {
		r.Err = s.Recipes[i].PlacedFailure(r.Err)
		r.Err.Where.File = s.Src.Real(r.Err.Where.File)
		return r
	}
	b := &builder{rel: m.Release, scopes: known, locate: locate.New(s.Src, s.Recipes[i], s.Opt.trialing())}
	if discover.IsBare(m.Release) || discover.IsSet(m.Release) && m.Switched != "" {
		b.lacks = func(at object.Location) string { return helm.Undeclared(m.Recipe, at) }
	}
	for _, l := range out.Lost {
		m.lose(s.Src, l)
	}
	for _, d := range out.Docs {
		f := b.add(d)
		if f == nil || m.LostFiles[s.Src.Real(d.File)] {
			continue
		}
		if r.Kind != object.Manifests || len(m.Lost)+1 >= len(s.Recipes[i].Release.Files) {
			r.Err, m.Lost = s.Recipes[i].PlacedFailure(f), nil
			return r
		}
		m.lose(s.Src, release.LostFile{File: d.File, Err: f})
	}
	b.objects = slices.DeleteFunc(b.objects, func(o *object.Object) bool { return m.LostFiles[o.Source.File] })
	r.Objects = b.finish()
	r.Notes = append(r.Notes, b.notes...)
	return r
}

// fetchedBy lists what a recipe took from other hosts, in the order of their folders.
func fetchedBy(s *source.Source, j *release.Recipe) []object.Fetched {
	return s.FetchedAt(j.FetchedNames())
}
