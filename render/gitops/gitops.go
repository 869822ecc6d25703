package gitops

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/render/worker"
)

// maxDepth is how deep applications may declare applications, and MaxPasses in how many passes all
// are found: those that need objects of others wait for them, each perhaps at every depth.
const (
	maxDepth  = 6
	MaxPasses = 4 * maxDepth
)

// Declared collects the releases that GitOps objects among rendered documents declare.
type Declared struct {
	Found    *Found
	Src      *source.Source
	Runner   worker.Runner
	Versions Versions
	Have     map[string]bool // IDs that are taken
	Release  func(id string) (release.Release, bool)
	Releases []release.Release
	Failed   map[string]*object.Failure // by release: what cannot be had
	Ignored  []object.Ignored
	// Waiting need objects of other releases, which may not have been rendered yet.
	Waiting []func(*Declared)
}

// Versions are what clusters serve where an object does not say it.
type Versions struct {
	KubeVersion string
	APIVersions []string
}

// declaring is one GitOps object, with the place where it stands.
type declaring struct {
	*Declared
	content map[string]any
	by      object.Location
	folder  string                         // of the file, or of the build, that declares it
	parent  string                         // release that holds it
	place   func(p string) object.Location // where a field of it was set
	prefix  string                         // of its fields, in an object that generates it
	set     string                         // the ApplicationSet that generates it
	named   string                         // kind and name, of the ApplicationSet where one generates it
	// cascades says that this set lets what its applications applied be deleted with them.
	cascades bool
	remarks  []object.Note // on the releases that it declares
	from     object.From   // where the release comes from that is added next
	git      string        // the repository whose content declares it; "": this one
}

// Read reads the Argo CD and Flux objects of a release.
func (d *Declared) Read(r release.Release, j *release.Recipe, docs []document.Document) {
	locate := locate.New(d.Src, j, d.Found.trialing)
	for _, doc := range docs {
		if doc.Hook {
			continue
		}
		gvk := document.GVK(doc.Content)
		read := declarers[gvk.Group+"/"+gvk.Kind]
		if read == nil {
			continue
		}
		o := &declaring{Declared: d, content: doc.Content, parent: r.ID, folder: r.Path, place: locate(doc),
			named: gvk.Kind + " " + document.Text(doc.Content, "metadata", "name")}
		o.by = o.place("")
		o.git = gitOf(r)
		if r.Kind == object.Manifests || source.MountOf(r.Path) != "" { // whoever else lists the file
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

func (o *declaring) add(r release.Release, f *object.Failure) {
	r.PlainID, r.IDFolder = r.ID, o.folder
	r.ID = release.InParent(r.ID, o.parent)
	if i := slices.IndexFunc(o.Releases, func(have release.Release) bool { return have.ID == r.ID }); i >= 0 &&
		(o.Releases[i].Path != r.Path || !reflect.DeepEqual(o.Releases[i].Inline, r.Inline) ||
			!maps.Equal(o.Releases[i].Set, r.Set)) {
		r.ID += "#2" // whichever is applied last counts
	}
	if o.Have[r.ID] {
		o.ignore("%s: %s declares it twice; the first one counts", r.Selected, o.parent)
		return
	}
	o.Have[r.ID] = true
	r.By, r.Parent, r.Delivery = o.by, o.parent, o.delivery(r.PlainID)
	if o.set == "" { // a generator may ask what else stands in its file
		r.Declaration, _ = json.Marshal(o.content) // nil where YAML cannot be JSON: then all of the file counts
	} else {
		r.Parent = release.InParent(o.set, o.parent)
	}
	if len(r.Git) > 0 {
		options := o.options()
		if r.Options = helm.Digest(options); r.Declaration != nil {
			r.Declaration = []byte(options)
		}
	}
	o.versions(&r)
	r.Within = o.parent
	switch depth, itself := o.above(r); {
	case itself: // as Flux's own Kustomization, of the folder that it stands in
		return
	case depth >= maxDepth:
		o.elsewhere("%s: applications declare applications deeper than %d", r.Selected, maxDepth)
		return
	}
	o.Releases = append(o.Releases, r)
	if f != nil {
		o.Failed[r.ID] = f
	}
}

// versions fills in what the cluster serves, where the object does not say it.
func (o *declaring) versions(r *release.Release) {
	if r.KubeVersion == "" {
		r.KubeVersion = o.Versions.KubeVersion
	}
	if r.KubeVersion == "" {
		r.KubeVersion = typed.DefaultKubeVersion
	}
	r.APIVersions = append(slices.Clone(r.APIVersions), o.Versions.APIVersions...)
}

// above counts the declared releases in which a new one is declared, and reports whether one of
// them is the same: what it renders holds the object that declares it.
func (o *declaring) above(r release.Release) (depth int, itself bool) {
	settings := ""
	for id := r.Within; ; depth++ {
		a, ok := o.Release(id)
		if !ok || a.PlainID == "" {
			return depth, false
		}
		if a.DeclaredAs() == r.DeclaredAs() {
			if settings == "" {
				settings = r.Settings()
			}
			if settings == a.Settings() || r.Options != "" && r.Options == a.Options {
				return depth, true
			}
		}
		id = a.Within
	}
}

// partial reports whether the object has none of some fields of its spec, of which its API requires one: the API server
// refuses such an object, so that it delivers nothing. It is a patch of a whole one, or filled in by a script.
func (o *declaring) partial(oneOf ...string) bool {
	for _, field := range oneOf {
		if document.Value(o.content, "spec", field) != nil {
			return false
		}
	}
	o.elsewhere("%s: it has no spec.%s, which its API requires, and delivers nothing: a patch, perhaps",
		o.named, strings.Join(oneOf, " or spec."))
	return true
}

func (o *declaring) ignore(format string, args ...any) {
	o.Ignored = append(o.Ignored,
		object.Ignored{Path: fmt.Sprintf("%s:%d", o.by.File, o.by.StartLine), Reason: fmt.Sprintf(format, args...)})
}

// elsewhere leaves out what the object delivers from outside the repository.
func (o *declaring) elsewhere(format string, args ...any) {
	o.ignore(format, args...)
	o.Ignored[len(o.Ignored)-1].Elsewhere = o.named
}

// wait calls f when everything else was rendered, with the collection of that time.
func (o *declaring) wait(f func(*declaring)) {
	o.Waiting = append(o.Waiting, func(d *Declared) {
		later := *o
		later.Declared = d
		f(&later)
	})
}

// at is where a field of the object was set, "spec.path".
func (o *declaring) at(field string) object.Location { return o.place(o.prefix + field) }

// inlineAt locates values that stand as a map under a field of the object.
func (o *declaring) inlineAt(field string) func(fieldpath.Path) object.Location {
	root := fieldpath.Parse(o.prefix + field)
	return func(p fieldpath.Path) object.Location {
		at := o.place(append(append(fieldpath.Path(nil), root...), p...).String())
		at.Rung = "value"
		return at
	}
}

// failure is one about a field of the object.
func (o *declaring) failure(field, remedy, format string, args ...any) *object.Failure {
	at := o.at(field)
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, fmt.Sprintf(format, args...)),
		Where:  at, Remedy: remedy,
	}
}

// folderFiles lists the manifests of a folder, and the programs that give some.
func (o *declaring) folderFiles(dir string, recurse bool, wanted func(string) bool) []string {
	var files []string
	for _, f := range o.Src.Below(dir) {
		program := jsonnet.Is(f)
		if !program && !source.IsManifestName(f) || source.IsKustomizationName(f) || !recurse && path.Dir(f) != dir ||
			!wanted(f) {
			continue
		}
		if b, err := o.Src.Read(f); err != nil || program || o.Src.Memo.LooksLikeManifest(b) {
			files = append(files, f)
		}
	}
	return files
}

// objectName is "namespace/name" of an object.
func objectName(content map[string]any, fallback string) string {
	ns := document.Text(content, "metadata", "namespace")
	if ns == "" {
		ns = fallback
	}
	return ns + "/" + document.Text(content, "metadata", "name")
}

// fromRoot is a path that a GitOps object gives from the repository's root.
func fromRoot(p string) string { return path.Clean(strings.TrimPrefix(p, "/")) }
