package gitops

import (
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// gitRepository is what the GitRepository of a Flux object says.
type gitRepository struct {
	url, revision string
	fixed         bool   // at a tag or a commit
	open          bool   // put together of several
	ignore        string // patterns of files that are left out
	field         string // that names the revision, or else the url
	object        placed
}

// gitRepository finds the GitRepository that an object takes its content from.
//
// Upstream: source-controller, api/v1: GitRepositoryRef. A commit goes before a name, a name before a range, a range
// before a tag, and a tag before a branch, which is master by default.
func (o *declaring) gitRepository(ref any) (g gitRepository, ok bool) {
	if kind := document.Text(ref, "kind"); kind != "GitRepository" {
		return g, false
	}
	p, ok := o.Found.lookup("GitRepository", o.refNamespace(ref), document.Text(ref, "name"))
	if !ok {
		return g, false
	}
	spec := p.doc.Content["spec"]
	g = gitRepository{url: document.Text(spec, "url"), revision: "refs/heads/master", field: "spec.url", object: p,
		ignore: document.Text(spec, "ignore")}
	for _, field := range []string{"branch", "tag", "semver", "name", "commit"} { // the last one that is set counts
		v := document.Text(spec, "ref", field)
		if v == "" {
			continue
		}
		g.revision, g.field = v, "spec.ref."+field
		g.fixed = field != "branch" && (field != "name" || strings.HasPrefix(v, "refs/tags/"))
		switch field {
		case "branch":
			g.revision = "refs/heads/" + v
		case "semver":
			g.revision = fetch.Versions + v
		}
	}
	g.open = len(document.Items(spec, "include")) > 0 || document.Value(spec, "recurseSubmodules") == true
	return g, true
}

// followed is the address, if what it names can be read from there.
func (g gitRepository) followed() string {
	if g.open {
		return ""
	}
	return g.url
}

// remoteGit is the revision that a GitRepository names, if it is to be fetched.
func (o *declaring) remoteGit(ref any, here bool) (g release.Git, ignore string, ok bool) {
	from, ok := o.gitRepository(ref)
	if !ok || from.open {
		return g, "", false
	}
	if g, ok = o.remote(from.url, from.revision, here && !from.fixed); ok {
		g.At = o.Found.at(from.object, from.field)
	}
	return g, from.ignore, ok
}

// fluxFromGit adds a Kustomization of a folder that is fetched from its GitRepository.
func (o *declaring) fluxFromGit(r release.Release, g release.Git, ignore, dir string) {
	r.Git, r.Path = []release.Git{g}, g.Folder
	in, inside := source.Inside(g.Folder, dir)
	if inside {
		r.Path = in
	}
	ref := document.Value(o.content, "spec", "sourceRef")
	r.ChartSource = o.sourceName(ref)
	o.from = object.FromGit(g.Repository, g.Revision)
	o.from.At, o.from.RevisionAt = o.at("spec.sourceRef"), g.At
	if document.Value(o.content, "spec", "decryption") != nil {
		r.Remarks = append(r.Remarks, object.Say(object.ValuesEncrypted))
	}
	f := o.fluxOverlay(&r)
	if f == nil {
		f = o.fluxVariables(&r)
	}
	if f != nil {
		o.add(r, f)
		return
	}
	full := r
	r.Settle = func(s *source.Source, as release.Release) (release.Release, []object.Note, *object.Failure) {
		_, notes, f := mount(s, as.Git)
		if f != nil {
			return as, nil, f
		}
		out := full
		if !inside || !s.HasDir(out.Path) {
			return as, nil, o.failure("spec.path", "correct the path or the revision", "%s has no folder %s at %s",
				redact.URL(g.Repository), dir, g.Revision)
		}
		if kustomize.FileOf(s, out.Path) == "" {
			if out.Files = taken(s, g.Folder, ignore, FluxResources(s, out.Path)); len(out.Files) == 0 {
				f = o.failure("spec.path", "correct the path or the revision", "%s of %s holds no manifests at %s", dir,
					redact.URL(g.Repository), g.Revision)
			}
		}
		if out.Overlay != nil && document.Value(o.content, "spec", "ignoreMissingComponents") == true {
			own := *out.Overlay
			own.Components = presentComponents(s, out.Path, own.Components)
			out.Overlay = &own
		}
		out.DeclaredLike(as)
		o.versions(&out)
		out.Delivery.From.Read = true
		return out, notes, f
	}
	o.add(r, nil)
}

// taken are the files and folders of a fetched repository that its GitRepository does not leave out, by its patterns or
// those of the repository.
//
// Upstream: fluxcd/pkg, sourceignore: LoadIgnorePatterns and ReadPatterns.
func taken(s *source.Source, root, ignore string, list []string) []string {
	var patterns []gitignore.Pattern
	read := func(text string, domain []string) {
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				patterns = append(patterns, gitignore.ParsePattern(line, domain))
			}
		}
	}
	for _, f := range s.Below(root) {
		if path.Base(f) == ".sourceignore" {
			if b, err := s.Read(f); err == nil {
				read(string(b), segments(root, path.Dir(f)))
			}
		}
	}
	read(ignore, nil)
	match := gitignore.NewMatcher(patterns)
	return slices.DeleteFunc(list, func(f string) bool { return match.Match(segments(root, f), s.HasDir(f)) })
}

// segments are the parts of a path below a folder.
func segments(root, p string) []string {
	if p == root {
		return nil
	}
	return strings.Split(strings.TrimPrefix(p, root+"/"), "/")
}

// presentComponents are the components of a folder that are there.
func presentComponents(s *source.Source, dir string, list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(c string) bool {
		p, in := source.Inside(dir, c)
		return !in || !s.HasDir(p)
	})
}

// chartFromGit is the folder of a HelmRelease's chart that is fetched from its GitRepository.
func (o *declaring) chartFromGit(r *release.Release, g release.Git, ref any, chart string) string {
	r.Git, r.ChartSource = []release.Git{g}, o.sourceName(ref)
	r.Files = o.specFiles()
	dir, inside := source.Inside(g.Folder, fromRoot(chart))
	if !inside {
		dir = g.Folder
	}
	return dir
}

// settleChart lets a HelmRelease's chart be fetched from its GitRepository when it is rendered.
func (o *declaring) settleChart(r *release.Release, spec any) {
	full, g := *r, r.Git[0]
	r.Settle = func(s *source.Source, as release.Release) (release.Release, []object.Note, *object.Failure) {
		_, notes, f := mount(s, as.Git)
		if f != nil {
			return as, nil, f
		}
		out := full
		if chart := fromRoot(document.Text(spec, "chart")); !s.HasFile(path.Join(out.Path, "Chart.yaml")) {
			return as, nil, o.failure("spec.chart.spec.chart", "correct the path or the revision", "%s has no chart %s at %s",
				redact.URL(g.Repository), chart, g.Revision)
		}
		out.Values = nil
		if own := path.Join(out.Path, "values.yaml"); s.HasFile(own) {
			out.Values = []string{own}
		}
		alone := o.apart(s)
		out.OwnValues = nil
		f = alone.fluxValuesFiles(&out, spec)
		out.DeclaredLike(as)
		o.versions(&out)
		return out, notes, f
	}
}
