package object

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"github.com/kubesettle/kubesettle/render/redact"
)

// Revision is one side, rendered. A failed release does not hide the others.
type Revision struct {
	Name, Commit string
	Releases     []*Rendered // sorted by ID
	Tree         fs.FS
	// Ignored lists what discovery saw and left out, with the reason.
	Ignored []Ignored
	// Known are the texts that no output may hold: the content of Secrets of either side, encoded and decoded. Before a
	// revision is rendered, and if it is nil, it knows nothing.
	Known *redact.Known
	// Narrowed says that paths limited the part that was looked at.
	Narrowed bool
	Renderer Renderer // nil: it was not rendered
}

// Ignored is a path discovery left out.
type Ignored struct {
	Path, Reason string
	// Elsewhere is the kind and name of the object that delivers it from outside the repository; "": nothing does.
	Elsewhere string
	// Fetchable says that it would be read from there with the network allowed.
	Fetchable bool
}

// Renderer renders what a revision would be with other texts in its files. It is that which rendered the revision.
type Renderer interface {
	Edited(ctx context.Context, r *Revision, release, file string, text []byte) (*Rendered, error)
	EditedOthers(ctx context.Context, r *Revision, release, file string, text []byte) (changed []Other, open []string)
	With(ctx context.Context, r *Revision, file string, text []byte) (*Revision, error)
	Rewrites(r *Revision, o *Object, settings []Setting) []Rewrite
	RewriteAll(ctx context.Context, r *Revision, parts []Part, want []*Object) iter.Seq[Rewrite]
}

var errNotRendered = errors.New("the revision was not rendered")

// Edited renders a release once more with another text in one of its files, as if head had been committed so. The
// result shares nothing with the revision. Errors: a release that the revision does not have or that failed, a file
// that it does not read. If the edit breaks the release, that is the release's own failure.
func (r *Revision) Edited(ctx context.Context, release, file string, text []byte) (*Rendered, error) {
	if r.Renderer == nil {
		return nil, errNotRendered
	}
	return r.Renderer.Edited(ctx, r, release, file, text)
}

// Other is a release as it is and as an edit of another one's file makes it.
type Other struct{ Was, Is *Rendered }

// EditedOthers tells what another text of a file makes of the releases beside one that read it,
// too, such as those of a chart's values or of an overlay's base: changed are those whose objects
// differ then, or that fail; open names those of which it is not known, as they were not rendered.
// A release that no change reaches is rendered for it. Both are sorted by ID.
func (r *Revision) EditedOthers(ctx context.Context, release, file string, text []byte,
) (changed []Other, open []string) {
	if r.Renderer == nil {
		return nil, nil
	}
	return r.Renderer.EditedOthers(ctx, r, release, file, text)
}

// With renders the whole tree once more with another text in one of its files, as if it had been committed so: other
// releases may be discovered then, and delivered otherwise. The result shares nothing with the revision. Errors: a file
// that is not there; those of rendering.
func (r *Revision) With(ctx context.Context, file string, text []byte) (*Revision, error) {
	if r.Renderer == nil {
		return nil, errNotRendered
	}
	return r.Renderer.With(ctx, r, file, text)
}

// Rewrites gives texts with which an object of the revision may come to have some fields
// set otherwise: the value, patch or manifest that sets them is edited, or a line put in
// where none does. They are guesses, and are to be rendered and compared.
func (r *Revision) Rewrites(o *Object, settings []Setting) []Rewrite {
	if r.Renderer == nil {
		return nil
	}
	return r.Renderer.Rewrites(r, o, settings)
}

// RewriteAll gives texts of one file with which a release renders to just these objects, as all parts together make
// them, each when it is asked for; none where several files would have to change.
func (r *Revision) RewriteAll(ctx context.Context, parts []Part, want []*Object) iter.Seq[Rewrite] {
	if r.Renderer == nil {
		return func(func(Rewrite) bool) {}
	}
	return r.Renderer.RewriteAll(ctx, r, parts, want)
}

// NoChartTakesThem is said of values that change where no release is known to be made with them: the
// chart may be elsewhere, and nothing is broken.
const NoChartTakesThem = "values that no release takes"
