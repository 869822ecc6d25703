package release

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// InParent is the ID of a GitOps release while both sides are rendered: an application
// that several releases declare, one per environment, is several releases.
func InParent(plain, parent string) string { return plain + "@" + parent }

// Templates is no release: an ApplicationSet's template is filled in a worker.
const Templates object.ReleaseKind = "template"

// Release is a release with the settings that it is rendered with.
type Release struct {
	object.Release
	Set         map[string]string
	KubeVersion string
	// Kept says that something else renders it, and that it may be a root of base's in another place.
	Kept bool `json:"-"`
	// Deployed says that a script or a pipeline deploys it, at the line At.
	Deployed bool `json:"-"`
	// Parameters are the values of OpenShift Templates' parameters, by file.
	Parameters map[string]map[string]string `json:",omitempty"`
	// Files are those of plain manifests, in order; empty: all below Path.
	Files []string
	// Jsonnet says how those of Files are evaluated that are programs of Jsonnet; nil: none are.
	Jsonnet *Jsonnet `json:",omitempty"`
	// OwnValues are files that stand in for the chart's own values.
	OwnValues []string `json:",omitempty"`
	// Inline are Helm values that an Application or a HelmRelease holds; they come after
	// those of files.
	Inline map[string]any
	// SetString and SetFile are further settings: texts, and the contents of files.
	SetString, SetFile map[string]string `json:",omitempty"`
	// SetAt is where the entries of Set and SetString stand.
	SetAt map[string]object.Location `json:",omitempty"`
	// APIVersions are served beside those of KubeVersion.
	APIVersions                    []string `json:",omitempty"`
	SkipCRDs, SkipTests, SkipHooks bool     `json:",omitempty"`
	SkipSchema                     bool     `json:",omitempty"` // values are not compared with values.schema.json
	// Overlay is edited into the kustomization before it is built; PostRender are built
	// over what the chart gave.
	Overlay    *Overlay  `json:",omitempty"`
	PostRender []Overlay `json:",omitempty"`
	// AnyFile lets a kustomization read files outside its folder: LoadRestrictionsNone.
	AnyFile bool `json:",omitempty"`
	// Substitute are the variables that Flux replaces in the built output.
	Substitute *Substitution `json:",omitempty"`
	// Hidden are texts of Secrets among its settings, which must never be printed.
	Hidden []string `json:",omitempty"`
	// Unknown are values that the repository does not have in the clear.
	Unknown []object.Hole `json:",omitempty"`
	// Remarks say what of the declaration is not honoured.
	Remarks []object.Note
	// Filled says that something fills in "<…>" in what is rendered, before it is applied.
	Filled bool `json:",omitempty"`
	// Git are the revisions of git repositories that it takes something from, apart from this one, and Options a digest of
	// what the object that declares it says about them.
	Git     []Git  `json:",omitempty"`
	Options string `json:",omitempty"`
	// DefinedIn is the file that defines the plugin that renders it; "": none does.
	DefinedIn string `json:"-"`
	// Within is the ID of the release whose objects declare it, while both sides are rendered.
	Within string `json:"-"`
	// MayMiss are values files in the fetched chart that need not be there.
	MayMiss []string `json:"-"`
	// Says are the files that declare it, with the part of each that is about it; nil: all of By's.
	Says map[string][]byte `json:"-"`
	// Declaration is the object of By's that declares it, as JSON; nil: no single one does.
	Declaration []byte `json:"-"`

	PlainID     string                                    `json:"-"` // ID of a GitOps release, whoever declares it
	IDFolder    string                                    `json:"-"` // in that ID
	ChartSource string                                    `json:"-"` // Flux source of a chart that is not here
	Fetch       *fetch.ChartRef                           `json:"-"` // the chart to fetch into Path; nil: it is here
	FetchAt     object.Location                           `json:"-"` // the line that names Fetch; empty: the declaration
	Settle      Settling                                  `json:"-"` // nil: nothing of Git is left to fetch
	Here        *Release                                  `json:"-"` // what this tree makes of it, if Git cannot be had
	SettingAt   func(string) object.Location              `json:"-"` // as SetAt, of an Application's parameters
	InlineAt    func(fieldpath.Path) object.Location      `json:"-"` // where a value of Inline was set
	OverlayAt   func(int, fieldpath.Path) object.Location `json:"-"` // where a field of an overlay was
}

// Jsonnet is how programs of Jsonnet are evaluated.
type Jsonnet struct {
	Folders       []string   // where an import is looked for that is not beside the importing file, in order
	Ext, TopLevel []Variable `json:",omitempty"` // external variables, and arguments
	// Tanka says that Tanka evaluates them: objects may lie anywhere in what they give, and its functions are there.
	Tanka bool `json:",omitempty"`
	// Guessed says that nothing names them, so files that do not say how they are delivered are left out.
	Guessed bool `json:",omitempty"`
}

// Variable is one that is given to a program.
type Variable struct {
	Name, Value string
	Code        bool // the value is a program
}

// Settings are the inputs of a release, apart from who declares it.
func (r Release) Settings() string {
	r.ID, r.Parent, r.By, r.SetAt, r.Remarks = "", "", object.Location{}, nil, nil
	b, err := json.Marshal(r)
	if err != nil {
		return r.PlainID
	}
	return string(b)
}

// DeclaredAs is the kind and name of the object that declares a release, wherever that stands.
func (r Release) DeclaredAs() string {
	kind, rest, _ := strings.Cut(r.PlainID, ":")
	return kind + strings.TrimPrefix(rest, r.IDFolder)
}

// DeclaredAt is the line that stands for a release as a whole.
func (r Release) DeclaredAt() object.Location {
	switch {
	case r.By.File != "":
		return r.By
	case r.At.File != "":
		return r.At
	}
	return object.FileStart(path.Join(r.Path, "Chart.yaml"))
}
