// Package render turns a revision of a repository (charts, overlays, plain files) into
// objects that know their file and line, and two revisions into changes. It does not
// know what is verified about them.
package render

import (
	"context"
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/render/worker"
)

// What the rooms below have that readers of a rendering speak of is named here, too.
type (
	Location = document.Location
	Failure  = document.Failure
	Refusal  = typed.Refusal
	Release  = release.Release
	ObjectID = release.ObjectID
	Clock    = release.Clock
	Sandbox  = worker.Sandbox
	Outputs  = worker.Outputs
	Delivery = release.Delivery
	Loops    = release.Loops
	Ignores  = release.Ignores
	Attempt  = release.Attempt
	Tool     = release.Tool
)

// Kinds of releases, and what applies them.
const (
	Helm            = release.Helm
	Kustomize       = release.Kustomize
	Manifests       = release.Manifests
	ArgoCD          = release.ArgoCD
	Flux            = release.Flux
	FluxHelmRelease = release.FluxHelmRelease
)

// What is done about a failed install or upgrade.
const (
	NoUndo    = release.NoUndo
	Rollback  = release.Rollback
	Uninstall = release.Uninstall
)

// Object is one rendered object.
type Object struct {
	ID      release.ObjectID
	Release string
	// Content is the object as rendered. It may hold secrets: never print it, see [Redact].
	Content map[string]any
	// Typed is Content decoded into upstream's type and defaulted as the API server
	// does; nil for kinds without a model.
	Typed runtime.Object
	// Refused are the fields that strict decoding refuses, as the API server does for kubectl,
	// Helm, Argo CD and Flux unless they are told not to ask: misspelt and misplaced ones.
	Refused []typed.Refusal
	// Hook says that it is a Helm hook or test: listed, not verified.
	Hook bool
	// Maker is the custom resource of which an operator makes the object; nil: it was rendered.
	Maker *Object
	// Twin is another object of the release with the same identity, which comes before this one and which this one stands
	// for; nil: there is none.
	Twin *Object
	// Source is where the object begins.
	Source   document.Location
	locate   func(path string) document.Location
	doc      document.Document       // as it was read, or written by a template
	volatile []document.VolatileLeaf // values that differ at every render, masked in Content
	known    *redact.Known           // texts that Secrets hold, which nothing may print
}

// Locate gives the file and line that set a field, in field.Path's notation
// ("spec.template.spec.containers[0].resources.requests[cpu]" or with dots), or the
// nearest enclosing one that is known; at worst the object's own.
func (o *Object) Locate(path string) document.Location {
	if o.locate == nil {
		return o.Source
	}
	return o.locate(path)
}

// Rendered is one release on one side.
type Rendered struct {
	release.Release
	Objects []*Object         // sorted by ID
	Err     *document.Failure // nil if it rendered
	Reads   []string          // files that were read, sorted
	Notes   []string          // such as: the chart calls lookup, which is empty here
	Fetched []source.Fetched  // charts and bases of other hosts
	// Untouched says that it was not rendered, as nothing that it depends on changed and its
	// objects concern no other release: it has none here.
	Untouched bool
	// Changed says that a file it reads or a setting differs between base and head, and
	// Why says which, or why it was not selected; both are set by [RenderBoth] alone.
	Changed bool
	Why     string
	recipe  *release.Recipe
	partly  bool // not all that it is made of was read
	// lost are the files of plain manifests that fail alone, as releases of their own.
	lost      []*Rendered
	lostFiles map[string]bool
}

// Options of rendering.
type Options struct {
	Releases    []release.Release // declared ones; with any, discovery still runs for what they do not cover
	Paths       []string          // limits discovery to these folders or files; empty: everything
	KubeVersion string            // such as "1.36"; the default
	APIVersions []string          // that charts find beside those of KubeVersion, in every release
	Fetcher     *fetch.Fetcher    // for charts and bases of other hosts; nil: nothing is fetched
	Workers     int               // releases rendered at once; 0: one per processor
	Clock       *release.Clock    // ends renderings; nil: each has its own limit alone
	// Concerns are texts of objects that say something about other releases: [RenderBoth]
	// renders those in which one stands, also where the change does not reach them. One that ends in a slash is an
	// API group, behind which a version stands.
	Concerns []string
	// Leftovers are texts of objects that act on those of other releases: where a release is
	// gone on head, [RenderBoth] renders those without a chart in which one stands.
	Leftovers []string
	// Beside picks releases of which the objects matter though the change does not reach them; nil: none.
	Beside   func(release.Release) bool
	Whole    bool   // [RenderBoth] renders also what the change does not reach
	Rendered func() // called after each release, from several goroutines; nil: nobody watches
	Sandbox  worker.Sandbox
	Outputs  *worker.Outputs // of earlier runs, for those of a sandbox; nil: none

	trials *locate.Keeper // of the counterfactual renders of both sides
}

// running says how the releases are rendered.
func (o Options) running() worker.Options {
	return worker.Options{Sandbox: o.Sandbox, Workers: o.Workers, Clock: o.Clock, Outputs: o.Outputs}
}

// trialing says how counterfactual renders run.
func (o Options) trialing() locate.Options { return locate.Options{Run: o.running(), Keeper: o.trials} }

// Revision is one side, rendered. A failed release does not hide the others.
type Revision struct {
	Name, Commit string
	Releases     []*Rendered // sorted by ID
	Tree         tree.Tree
	// Ignored lists what discovery saw and left out, with the reason.
	Ignored []source.Ignored
	src     *source.Source // the tree, listed; nil: it was not rendered
	scopes  scopes
	opt     Options // it was rendered with
	known   *redact.Known
}

// Render discovers and renders the releases of a tree.
// Errors: only what concerns the whole tree; a release's failure is its own.
func Render(ctx context.Context, t tree.Tree, opt Options) (*Revision, error) {
	return renderTree(ctx, t, opt)
}

// ChangeKind says what happened to an object.
type ChangeKind string

const (
	Added    ChangeKind = "added"
	Removed  ChangeKind = "removed"
	Modified ChangeKind = "modified"
	Renamed  ChangeKind = "renamed"
)

// FieldChange is one changed field; Old or New is nil where the field is absent.
type FieldChange struct {
	Path     string
	Old, New any
	Secret   bool // print neither value
	OnBase   bool // it stands there: head has no such field
	of       *Object
}

// Where is where the field was set, on head; on base where head has no such field. It is found when it is asked for,
// with renders of the chart: most changed fields are those of labels, which nobody asks for.
func (f FieldChange) Where() document.Location {
	if f.of == nil {
		return document.Location{}
	}
	return f.of.Locate(f.Path)
}

// Change is one object that differs between base and head, noise left out.
type Change struct {
	Kind       ChangeKind
	Release    string
	Base, Head *Object       // nil where absent
	Fields     []FieldChange // sorted by path; empty for Added and Removed
	// Noise are changed fields left out of Fields: checksums, chart labels. Sorted.
	Noise []FieldChange
	// TemplateChanged says that the defaulted pod templates differ, be it in a noisy field
	// alone: the workload's pods are replaced.
	TemplateChanged bool
}

// ID is head's, or base's for a removal.
func (c *Change) ID() release.ObjectID {
	if c.Head != nil {
		return c.Head.ID
	}
	return c.Base.ID
}

// Changes is the difference between two revisions.
type Changes struct {
	Base, Head *Revision
	Changes    []Change // sorted by release and ID
	// Files that differ, sorted.
	Files  []string
	edited map[string][]lineRange

	comparing sync.Mutex
	compared  map[string]hunked // by file, as it was asked for
}

type lineRange struct{ first, last int }

// Edited reports whether the change added or edited a line of a file of head.
func (c *Changes) Edited(file string, line int) bool { return c.EditedWithin(file, line, line) }

// EditedWithin reports the same of any of some lines.
func (c *Changes) EditedWithin(file string, first, last int) bool {
	ranges := c.edited[file] // in order, and apart
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].last >= first })
	return i < len(ranges) && ranges[i].first <= last
}

// Diff pairs the objects of two revisions and compares them. A release that failed on
// either side contributes no changes.
func Diff(base, head *Revision) (*Changes, error) { return diff(base, head) }
