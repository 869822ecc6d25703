package release

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// InParent is the ID of a GitOps release while both sides are rendered: an application
// that several releases declare, one per environment, is several releases.
func InParent(plain, parent string) string { return plain + "@" + parent }

// ObjectID identifies an object within its release.
type ObjectID struct {
	Group, Version, Kind, Namespace, Name string
}

// String is the ID as it stands in results: "apps/Deployment default/web",
// "Service default/web" (core group), without the version.
func (id ObjectID) String() string {
	s := id.Kind + " "
	if id.Group != "" {
		s = id.Group + "/" + s
	}
	if id.Namespace != "" {
		s += id.Namespace + "/"
	}
	return s + id.Name
}

// Kind of a release.
type Kind string

const (
	Helm      Kind = "helm"
	Kustomize Kind = "kustomize"
	Manifests Kind = "manifests"
	// Templates is no release: an ApplicationSet's template is filled in a worker.
	Templates Kind = "template"
)

// Release is one unit of rendering: a chart with its values, a kustomization, or a
// folder of plain manifests. Its ID is stable across commits.
type Release struct {
	ID          string
	Kind        Kind
	Path        string   // of the chart, kustomization or folder
	Values      []string // Helm values files, in order
	Set         map[string]string
	Namespace   string
	Name        string // Helm release name
	KubeVersion string
	// Declared says that it comes from the policy and not from discovery.
	Declared bool
	// Selected says why it is a release: "Chart.yaml found", "declared in the policy".
	Selected string `json:"-"`
	// Kept says that something else renders it, and that it may be a root of base's in another place.
	Kept bool `json:"-"`
	// Files are those of plain manifests, in order; empty: all below Path.
	Files []string
	// OwnValues are files that stand in for the chart's own values.
	OwnValues []string `json:",omitempty"`
	// Inline are Helm values that an Application or a HelmRelease holds; they come after
	// those of files.
	Inline map[string]any
	// SetString and SetFile are further settings: texts, and the contents of files.
	SetString, SetFile map[string]string `json:",omitempty"`
	// SetAt is where the entries of Set and SetString stand.
	SetAt map[string]document.Location `json:",omitempty"`
	// APIVersions are served beside those of KubeVersion.
	APIVersions                    []string `json:",omitempty"`
	SkipCRDs, SkipTests, SkipHooks bool     `json:",omitempty"`
	// Overlay is edited into the kustomization before it is built; PostRender are built
	// over what the chart gave.
	Overlay    *Overlay  `json:",omitempty"`
	PostRender []Overlay `json:",omitempty"`
	// AnyFile lets a kustomization read files outside its folder: LoadRestrictionsNone.
	AnyFile bool `json:",omitempty"`
	// Substitute are the variables that Flux replaces in what was built.
	Substitute *Substitution `json:",omitempty"`
	// Hidden are texts of Secrets among its settings, which nothing may print.
	Hidden []string `json:",omitempty"`
	// Remarks say what of the declaration is not honoured.
	Remarks []string
	// By is the file and line of the object that declares the release, for those of GitOps.
	By document.Location
	// Parent is the release that holds that object, or the ApplicationSet that generates it.
	Parent string `json:",omitempty"`
	// Cluster is the destination that the declaring object names, by name, URL or kubeconfig; "" is
	// the cluster that this object is in, or not known.
	Cluster string `json:"-"`
	// Delivery is how it gets into the cluster.
	Delivery Delivery `json:"-"`
	// Switched is the setting that discovery gave a chart, as nothing else shows all that changes of
	// it: "pdb.enabled=true"; "" for others.
	Switched string `json:"-"`
	// At is the policy's line that declares the release; empty for others.
	At document.Location `json:"-"`
	// Within is the ID of the release whose objects declare it, while both sides are rendered.
	Within string `json:"-"`
	// MayMiss are values files in the fetched chart that need not be there.
	MayMiss []string `json:"-"`
	// Says are the files that declare it, with what of each is about it; nil: all of By's.
	Says map[string][]byte `json:"-"`

	PlainID     string                                      `json:"-"` // ID of a GitOps release, whoever declares it
	IDFolder    string                                      `json:"-"` // in that ID
	ChartSource string                                      `json:"-"` // Flux source of a chart that is not here
	Fetch       *fetch.ChartRef                             `json:"-"` // the chart to fetch into Path; nil: it is here
	SettingAt   func(string) document.Location              `json:"-"` // as SetAt, of an Application's parameters
	InlineAt    func(fieldpath.Path) document.Location      `json:"-"` // where a value of Inline was set
	OverlayAt   func(int, fieldpath.Path) document.Location `json:"-"` // where a field of an overlay was
}

// Settings are what a release is made with, apart from who declares it.
func (r Release) Settings() string {
	r.ID, r.Parent, r.By, r.SetAt, r.Remarks = "", "", document.Location{}, nil, nil
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
func (r Release) DeclaredAt() document.Location {
	switch {
	case r.By.File != "":
		return r.By
	case r.At.File != "":
		return r.At
	}
	return document.FileStart(path.Join(r.Path, "Chart.yaml"))
}
