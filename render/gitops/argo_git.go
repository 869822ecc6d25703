package gitops

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// later adds a source of which something is to be fetched from a git repository; false: nothing is.
func (a *argoSource) later() bool {
	if document.Value(a.content, "plugin") != nil || !a.Src.CanFetch() {
		return false
	}
	here := *a
	back := a.gitRoots()
	if len(a.r.Git) == 0 {
		return false
	}
	fresh := *a
	a.r.Settle = func(s *source.Source, r release.Release) (release.Release, []object.Note, *object.Failure) {
		moves, notes, f := mount(s, r.Git)
		from := fresh
		switch {
		case back && (f != nil || moves):
			from, notes = here, nil
		case f != nil:
			return r, nil, f
		}
		from = *from.on(s)
		f, found := from.read()
		if !found {
			f = fresh.failure(fresh.field, "correct the path or the revision", "%s holds no manifests", fresh.named)
		}
		from.r.DeclaredLike(r)
		fresh.versions(&from.r)
		from.r.Delivery.From.Read, from.r.Delivery.From.Guessed = from.root != ".", fresh.root != from.root && !moves
		if from.root == "." && from.refs == nil {
			from.r.Git = nil
		}
		return from.r, notes, f
	}
	a.outline(here, back)
	a.declaring.add(a.r, nil)
	return true
}

// outline fills in what is known before anything is fetched: the kind by its options, files of this tree, and the
// release as this tree has it if that counts where nothing can be fetched.
func (a *argoSource) outline(here argoSource, back bool) {
	if back {
		tree := here.on(a.Src)
		if f, found := tree.read(); found && f == nil {
			a.r.Here = &tree.r
		}
	}
	a.from = object.From{}
	if repo := document.Text(a.content, "repoURL"); document.Text(a.content, "chart") == "" {
		a.from = object.FromGit(repo, document.Text(a.content, "targetRevision"))
		a.from.At, a.from.RevisionAt = a.at(a.field+".repoURL"), a.at(a.field+".targetRevision")
	}
	a.r.Kind = object.Manifests
	if document.Value(a.content, "kustomize") != nil {
		a.r.Kind = object.Kustomize
	}
	at, inside := source.Inside(a.root, fromRoot(document.Text(a.content, "path")))
	if !inside {
		at = a.root
	}
	known := a.on(a.Src)
	known.pending = true
	switch chart := document.Text(a.content, "chart") != ""; {
	case chart:
		known.read() // no failure: it is read again
	case document.Value(a.content, "helm") != nil:
		known.r.Path = at
		known.helm() // as above
	default:
		a.r.Path = at
		return
	}
	known.r.Kind = object.Helm
	a.r = known.r
}

// gitRoots finds where the source and the files of its references lie, and notes what is to be fetched. back says that
// this tree may have them, and counts where they cannot be fetched.
func (a *argoSource) gitRoots() (back bool) {
	take := func(m any, field string, stays bool) string {
		revision := document.Text(m, "targetRevision")
		g, ok := a.remote(document.Text(m, "repoURL"), revision, stays && !fixedRevision.MatchString(revision))
		if !ok {
			return "."
		}
		g.At = a.at(field + ".repoURL")
		if revision != "" {
			g.At = a.at(field + ".targetRevision")
		}
		if !slices.ContainsFunc(a.r.Git, func(have release.Git) bool { return have.Folder == g.Folder }) {
			a.r.Git = append(a.r.Git, g)
		}
		return g.Folder
	}
	if p := document.Text(a.content, "path"); p != "" && document.Text(a.content, "chart") == "" {
		here := a.onEither((*source.Source).HasDir, fromRoot(p))
		if fromRoot(p) == "." { // which every repository has
			_, here = a.on(a.Src).read()
			if twin := a.Src.Twin; !here && twin != nil {
				_, here = a.on(twin).read()
			}
		}
		a.root = take(a.content, a.field, here)
		back = here && a.root != "." && a.git == ""
	}
	for i, s := range document.Items(a.declaring.content, "spec", "sources") {
		ref := document.Text(s, "ref")
		files := a.filesOf(ref)
		if ref == "" || len(files) == 0 {
			continue
		}
		top := func(p string) bool {
			first, _, _ := strings.Cut(p, "/")
			return a.onEither((*source.Source).HasDir, first)
		}
		root := take(s, fmt.Sprintf("spec.sources[%d]", i), slices.ContainsFunc(files, a.hasMatch))
		if root == "." {
			continue
		}
		if a.refs == nil {
			a.refs = map[string]string{}
		}
		a.refs[ref] = root
		back = back || a.git == "" && slices.ContainsFunc(files, top)
	}
	return back
}

// on is the source as a tree has it.
func (a *argoSource) on(s *source.Source) *argoSource {
	there := *a
	there.declaring, there.r.Remarks = a.apart(s), slices.Clip(a.r.Remarks)
	return &there
}

// onEither reports whether a path is there on this side or the other one.
func (o *declaring) onEither(has func(*source.Source, string) bool, p string) bool {
	return has(o.Src, p) || o.Src.Twin != nil && has(o.Src.Twin, p)
}

// hasMatch reports whether either side has a file, or one that fits a pattern.
func (a *argoSource) hasMatch(p string) bool {
	return a.onEither((*source.Source).HasFile, p) || strings.ContainsAny(p, "*?[") &&
		slices.ContainsFunc(a.Src.Files, func(f string) bool { return source.Match(p, f) })
}

// filesOf are the files that a source takes by a reference, from the root of what that names.
func (a *argoSource) filesOf(ref string) []string {
	var out []string
	add := func(v string) {
		if rest, ok := strings.CutPrefix(a.env(v), "$"+ref+"/"); ok {
			out = append(out, path.Clean(rest))
		}
	}
	for _, v := range document.Texts(document.Value(a.content, "helm", "valueFiles")) {
		add(v)
	}
	for _, e := range document.Items(a.content, "helm", "fileParameters") {
		add(document.Text(e, "path"))
	}
	return out
}
