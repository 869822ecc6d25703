package gitops

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gobwas/glob"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// application adds the releases of an Argo CD Application, one per source.
func (o *declaring) application() {
	name := objectName(o.content, "argocd")
	type sourced struct {
		field   string
		content map[string]any
	}
	var real []sourced
	take := func(field string, v any) {
		m, _ := v.(map[string]any)
		repo := document.Text(m, "repoURL")
		switch {
		case document.Text(m, "path") != "" || document.Text(m, "chart") != "":
			real = append(real, sourced{field, m})
		case repo != "" && document.Text(m, "ref") == "" && o.set == "" && !strings.HasPrefix(repo, "oci://"):
			o.add(release.Release{Release: object.Release{ID: "argocd:" + o.folder + ":" + name, Kind: object.Manifests,
				Path: o.by.File, Selected: "Argo CD Application " + name}}, o.failure(field, "give it a path, a chart or a ref",
				"none of path, chart and ref is text, and Argo CD refuses the Application"))
		}
	}
	for i, s := range document.Items(o.content, "spec", "sources") {
		take(fmt.Sprintf("spec.sources[%d]", i), s)
	}
	if len(document.Items(o.content, "spec", "sources")) == 0 {
		take("spec.source", document.Value(o.content, "spec", "source"))
	}
	for i, s := range real {
		id := "argocd:" + o.folder + ":" + name
		if len(real) > 1 {
			id = fmt.Sprintf("%s:%d", id, i)
		}
		r := release.Release{
			Release: object.Release{ID: id, Name: document.Text(o.content, "metadata", "name"), Namespace: document.Text(o.content, "spec", "destination", "namespace"), Selected: "Argo CD Application " + name, Cluster: cmp.Or(document.Text(o.content, "spec", "destination", "name"),
				document.Text(o.content, "spec", "destination", "server"))},
		}
		r.Remarks = slices.Clone(o.remarks)
		a := &argoSource{declaring: o, r: r, field: s.field, content: s.content, root: "."}
		a.from = object.From{}
		if a.later() {
			continue
		}
		if f, found := a.read(); found {
			a.declaring.add(a.r, f)
		}
	}
}

// argoSource is one source of an Application.
//
// Upstream: argo-cd, reposerver/repository: GenerateManifests, helmTemplate,
// getResolvedValueFiles and findManifests.
type argoSource struct {
	*declaring
	r       release.Release
	field   string // of the source, in the object
	content map[string]any
	root    string            // folder that its repository lies in
	refs    map[string]string // the same of references, by name, where that is not "."
	pending bool              // what is to be fetched is not here yet
}

// read resolves the source into its release; found is false where it is left out, with a reason.
func (a *argoSource) read() (f *object.Failure, found bool) {
	if chart := document.Text(a.content, "chart"); chart != "" {
		a.r.Kind = object.Helm
		if document.Value(a.content, "plugin") != nil {
			a.r.Kind, a.r.Path = object.Manifests, a.by.File
			return a.unreadPlugin("a plugin renders chart %s, and is not run", chart), true
		}
		dir, f := a.chartOf(&a.r, argoChart(a.content), document.Text(a.content, "repoURL"), a.field)
		if a.r.Path = dir; f == nil {
			f = a.helm()
		} else {
			a.r.Path = a.by.File
		}
		return f, true
	}
	dir, repo := fromRoot(document.Text(a.content, "path")), document.Text(a.content, "repoURL")
	switch inside := strings.HasPrefix(repo, "oci://"); {
	case inside && dir == "." && document.Value(a.content, "helm") != nil:
		a.r.Kind = object.Helm
		a.r.Path, _ = a.chartOf(&a.r, argoArtifact(a.content), repo, a.field)
		return a.helm(), true
	case inside:
		a.elsewhere("%s: %s is in a registry, not in this repository", a.r.Selected, redact.URL(repo))
		return nil, false
	case a.root != ".":
		in, inside := source.Inside(a.root, dir)
		if a.r.Path, a.r.Kind = in, object.Manifests; !inside || !a.Src.HasDir(in) {
			a.r.Path = a.root
			return a.failure(a.field+".path", "correct the path or the revision", "%s has no folder %s at %s",
				redact.URL(repo), dir, cmp.Or(document.Text(a.content, "targetRevision"), "HEAD")), true
		}
		return a.folder(in, repo)
	}
	if !a.Src.HasDir(dir) && a.Src.Twin != nil && a.Src.Twin.HasDir(dir) {
		a.r.Path, a.r.Kind = dir, object.Manifests
		return a.failure(a.field+".path", "keep the folder, or take the Application away with it",
			"the folder %s is not in this repository any more: Argo CD refuses to render it, and leaves the applied objects",
			dir), true
	}
	if !a.Src.HasDir(dir) {
		a.elsewhereIn(repo, document.Text(a.content, "targetRevision"), "%s: %s is not in this repository (%s)",
			a.r.Selected, dir, redact.URL(repo))
		return nil, false
	}
	return a.folder(dir, repo)
}

// folder reads a folder that is there, by the kind of its content.
func (a *argoSource) folder(dir, repo string) (f *object.Failure, found bool) {
	a.r.Path, a.from = dir, object.FromGit(repo, document.Text(a.content, "targetRevision"))
	a.from.At, a.from.RevisionAt = a.at(a.field+".repoURL"), a.at(a.field+".targetRevision")
	f = a.overrides(dir)
	switch {
	case f != nil:
		a.r.Kind = object.Manifests
	case a.kinds() > 1:
		a.r.Kind = object.Manifests
		f = a.failure(a.field, "keep one of `helm`, `kustomize`, `directory` and `plugin`",
			"several kinds of sources in one, which Argo CD refuses")
	case document.Value(a.content, "plugin") != nil:
		f = a.plugin(dir)
	case a.is("helm", a.Src.HasFile(path.Join(dir, "Chart.yaml"))):
		a.r.Kind = object.Helm
		f = a.helm()
	case a.is("kustomize", kustomize.FileOf(a.Src, dir) != ""):
		a.r.Kind = object.Kustomize
		f = a.kustomize()
	default:
		a.r.Kind = object.Manifests
		if f = a.directory(); f == nil && len(a.r.Files) == 0 {
			if dir == "." { // which every repository has
				a.elsewhere("%s: the root of this repository holds no manifests (%s)", a.r.Selected, redact.URL(repo))
				return nil, false
			}
			a.ignore("%s: %s holds no manifests", a.r.Selected, dir)
			return nil, false
		}
	}
	return f, true
}

// kinds counts the kinds that the options of the source name. Upstream: ApplicationSource.ExplicitType.
func (a *argoSource) kinds() int {
	n := 0
	for _, k := range []string{"helm", "kustomize", "directory", "plugin"} {
		if m, ok := document.Value(a.content, k).(map[string]any); ok && len(m) > 0 {
			n++
		}
	}
	return n
}

// is reports whether the source is of a kind: named by its options, or else found.
func (a *argoSource) is(kind string, found bool) bool {
	for _, k := range []string{"helm", "kustomize", "directory"} {
		if document.Value(a.content, k) != nil {
			return k == kind && found
		}
	}
	return found
}

// overrides merges the files that Argo CD reads parameters from.
func (a *argoSource) overrides(dir string) *object.Failure {
	app := document.Text(a.declaring.content, "metadata", "name")
	for _, name := range []string{".argocd-source.yaml", ".argocd-source-" + app + ".yaml"} {
		b, err := a.Src.Read(path.Join(dir, name))
		if err != nil {
			continue
		}
		file := path.Join(dir, name)
		v, err := document.DecodeYAML(b)
		m, ok := v.(map[string]any)
		if err != nil || !ok && v != nil {
			return &object.Failure{Reason: file + ": it is no YAML map", Where: object.FileStart(file),
				Remedy: "correct the file, from which Argo CD takes parameters"}
		}
		a.content, _ = document.MergePatch(fieldpath.DeepCopy(a.content), m).(map[string]any)
		a.r.Remarks = append(a.r.Remarks, object.Say(object.SourceChanged,
			strings.TrimPrefix(file, source.FetchedRoot+"/")))
	}
	return nil
}

// directory lists the manifests of a folder that the options let through.
func (a *argoSource) directory() *object.Failure {
	options := document.Value(a.content, "directory")
	if f := a.others(a.field+".directory", options, argoDirectory); f != nil {
		return f
	}
	match := func(field string, otherwise bool) (func(string) bool, *object.Failure) {
		pattern := document.Text(options, field)
		if pattern == "" {
			return func(string) bool { return otherwise }, nil
		}
		g, err := glob.Compile(pattern)
		if err != nil {
			return nil, a.failure(a.field+".directory."+field, "correct the pattern", "%s: %v", field, err)
		}
		return g.Match, nil
	}
	include, f := match("include", true)
	if f != nil {
		return f
	}
	exclude, f := match("exclude", false)
	if f != nil {
		return f
	}
	recurse := document.Value(options, "recurse") == true
	wanted := func(p string) bool {
		rel := strings.TrimPrefix(p, a.r.Path+"/")
		return include(rel) && !exclude(rel)
	}
	a.r.Files = a.folderFiles(a.r.Path, recurse, wanted)
	if slices.ContainsFunc(a.r.Files, jsonnet.Is) {
		return a.jsonnet(document.Value(options, "jsonnet"))
	}
	return nil
}

// jsonnet takes what the programs of a folder are evaluated with. Upstream: makeJsonnetVm, whose importer asks the last
// library first, and the folder itself last.
func (a *argoSource) jsonnet(options any) *object.Failure {
	field := a.field + ".directory.jsonnet"
	if f := a.others(field, options, argoJsonnet); f != nil {
		return f
	}
	a.r.Jsonnet = &release.Jsonnet{Folders: []string{a.r.Path}}
	for i, lib := range document.Texts(document.Value(options, "libs")) {
		p, in := source.Inside(a.root, strings.TrimPrefix(lib, "/"))
		if !in {
			return a.failure(fmt.Sprintf("%s.libs[%d]", field, i), "name a folder of the repository",
				"the library %s is outside the repository", lib)
		}
		a.r.Jsonnet.Folders = slices.Insert(a.r.Jsonnet.Folders, 0, p)
	}
	take := func(to *[]release.Variable, from string) {
		for _, v := range document.Items(options, from) {
			*to = append(*to, release.Variable{Name: document.Text(v, "name"), Value: a.env(document.Text(v, "value")),
				Code: document.Value(v, "code") == true})
		}
	}
	take(&a.r.Jsonnet.Ext, "extVars")
	take(&a.r.Jsonnet.TopLevel, "tlas")
	return nil
}
