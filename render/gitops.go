package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
)

// maxGitOpsDepth is how deep applications may declare applications.
const maxGitOpsDepth = 6

// declared collects the releases that GitOps objects among rendered documents declare.
type declared struct {
	found    *found
	src      *source.Source
	runner   runner
	versions versions
	have     map[string]bool // IDs that are taken
	releases []Release
	failed   map[string]*document.Failure // by release: what cannot be had
	ignored  []source.Ignored
	// waiting need objects of other releases, which may not have been rendered yet.
	waiting []func(*declared)
}

// versions are what clusters serve where an object does not say it.
type versions struct {
	KubeVersion string
	APIVersions []string
}

// declaring is one GitOps object: what it says, and where it stands.
type declaring struct {
	*declared
	content map[string]any
	by      document.Location
	folder  string                           // of the file, or of the build, that declares it
	parent  string                           // release that holds it
	place   func(p string) document.Location // where a field of it was set
	prefix  string                           // of its fields, in an object that generates it
	set     string                           // the ApplicationSet that generates it
	// cascades says that this set lets what its applications applied be deleted with them.
	cascades bool
}

// declaredBy reads the Argo CD and Flux objects of a release.
func (d *declared) declaredBy(r Release, j *job, docs []document.Document) {
	locate := newLocator(d.src, j, d.found.trialing)
	for _, doc := range docs {
		if doc.Hook {
			continue
		}
		gvk := document.GVK(doc.Content)
		read := declarers[gvk.Group+"/"+gvk.Kind]
		if read == nil {
			continue
		}
		o := &declaring{declared: d, content: doc.Content, parent: r.ID, folder: r.Path, place: locate(doc)}
		o.by = o.place("")
		if r.Kind == Manifests { // whoever else lists the file
			o.folder = path.Dir(o.by.File)
		}
		read(o)
	}
}

// declarers read the kinds that declare releases.
var declarers = map[string]func(*declaring){
	"argoproj.io/Application":                   (*declaring).application,
	"argoproj.io/ApplicationSet":                (*declaring).applicationSet,
	"kustomize.toolkit.fluxcd.io/Kustomization": (*declaring).fluxKustomization,
	"helm.toolkit.fluxcd.io/HelmRelease":        (*declaring).helmRelease,
}

func (o *declaring) add(r Release, f *document.Failure) {
	r.plain, r.folder = r.ID, o.folder
	r.ID = inParent(r.ID, o.parent)
	if o.have[r.ID] {
		o.ignore("%s: %s declares it twice; the first one counts", r.Selected, o.parent)
		return
	}
	o.have[r.ID] = true
	r.By, r.Parent, r.Delivery = o.by, o.parent, o.delivery(r.plain)
	if o.set != "" {
		r.Parent = inParent(o.set, o.parent)
	}
	if r.KubeVersion == "" {
		r.KubeVersion = o.versions.KubeVersion
	}
	if r.KubeVersion == "" {
		r.KubeVersion = typed.DefaultKubeVersion
	}
	r.APIVersions = append(slices.Clone(r.APIVersions), o.versions.APIVersions...)
	o.releases = append(o.releases, r)
	if f != nil {
		o.failed[r.ID] = f
	}
}

func (o *declaring) ignore(format string, args ...any) {
	o.ignored = append(o.ignored, source.Ignored{Path: fmt.Sprintf("%s:%d", o.by.File, o.by.StartLine), Reason: fmt.Sprintf(format, args...)})
}

// wait calls f when everything else was rendered, with the collection of that time.
func (o *declaring) wait(f func(*declaring)) {
	o.waiting = append(o.waiting, func(d *declared) {
		later := *o
		later.declared = d
		f(&later)
	})
}

// at is where a field of the object was set, "spec.path".
func (o *declaring) at(field string) document.Location { return o.place(o.prefix + field) }

// inlineAt locates values that stand as a map under a field of the object.
func (o *declaring) inlineAt(field string) func(fieldpath.Path) document.Location {
	root := fieldpath.Parse(o.prefix + field)
	return func(p fieldpath.Path) document.Location {
		at := o.place(append(append(fieldpath.Path(nil), root...), p...).String())
		at.Rung = "value"
		return at
	}
}

// failure is one about a field of the object.
func (o *declaring) failure(field, remedy, format string, args ...any) *document.Failure {
	at := o.at(field)
	return &document.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, fmt.Sprintf(format, args...)),
		Where:  at, Remedy: remedy,
	}
}

// folderFiles lists the manifests of a folder.
func (o *declaring) folderFiles(dir string, recurse bool, wanted func(string) bool) []string {
	var files []string
	for _, f := range o.src.Below(dir) {
		if !source.IsManifestName(f) || isKustomizationName(f) || !recurse && path.Dir(f) != dir || !wanted(f) {
			continue
		}
		if b, err := o.src.Read(f); err != nil || looksLikeManifest(b) {
			files = append(files, f)
		}
	}
	return files
}

// text reads a string at a path of keys.
func text(v any, keys ...string) string {
	s, _ := value(v, keys...).(string)
	return s
}

func value(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func items(v any, keys ...string) []any {
	list, _ := value(v, keys...).([]any)
	return list
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// textMap reads a map of scalars; nil where there is none.
func textMap(v any) map[string]string {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return nil
	}
	out := map[string]string{}
	for k, e := range m {
		out[k] = fmt.Sprint(e)
	}
	return out
}

// objectName is "namespace/name" of an object.
func objectName(content map[string]any, fallback string) string {
	ns := text(content, "metadata", "namespace")
	if ns == "" {
		ns = fallback
	}
	return ns + "/" + text(content, "metadata", "name")
}

// fromRoot is a path that a GitOps object gives from the repository's root.
func fromRoot(p string) string { return path.Clean(strings.TrimPrefix(p, "/")) }
