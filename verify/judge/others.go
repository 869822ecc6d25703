package judge

import (
	"context"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// Others are the releases beside a finding's own that read the file of an edit, by ID: those that it changes, and those
// that it may change, as they were not rendered with it.
type Others struct {
	changes, may []string
	variants     bool // all are the chart of the finding's release, with other values
}

func (o Others) none() bool { return len(o.changes)+len(o.may) == 0 }

// An edit's reach is how far it goes beyond the release of its finding.
type Reach int

const (
	Own   Reach = iota // it leaves the other releases as they are, or is where the change was made
	Chart              // it changes what its chart is with other values
	Wide               // it changes other releases, which the change does not touch: not a plausible fix
)

// Reach is that of an edit of a file for a finding that some files are to blame for.
func (o Others) Reach(blamed []string, file string) Reach {
	switch {
	case o.none(), slices.Contains(blamed, file):
		return Own
	case o.variants:
		return Chart
	}
	return Wide
}

// OthersOf returns the other releases of head that an edit of one changes; false if one of them does not render with
// it, is refused by the API server for more reasons, or comes to run another image: such an edit is no fix.
func OthersOf(ctx context.Context, head *object.Revision, release string, w object.Rewrite) (Others, bool) {
	changed, open := head.EditedOthers(ctx, release, w.File, []byte(w.Text))
	out := Others{may: open}
	for _, c := range changed {
		if c.Is.Err != nil || !sameImages(c.Was, c.Is) || refusedMore(c) {
			return Others{}, false
		}
		out.changes = append(out.changes, c.Is.ID)
	}
	chart, values, _ := strings.Cut(release, ":")
	i := slices.IndexFunc(head.Releases, func(r *object.Rendered) bool { return r.ID == release })
	out.variants = i >= 0 && head.Releases[i].Kind == object.Helm && (values == "" || head.Releases[i].Path == chart) &&
		!slices.ContainsFunc(slices.Concat(out.changes, out.may), func(id string) bool {
			other, _, _ := strings.Cut(id, ":")
			return other != chart
		})
	return out, true
}

// refusedMore reports whether the API server refuses an object of a release that it took before, or refuses to update
// the live object to it.
func refusedMore(c object.Other) bool {
	was := map[object.ID]*object.Object{}
	for _, o := range c.Was.Objects {
		was[o.ID] = o
	}
	for _, is := range c.Is.Objects {
		if is.Typed == nil {
			continue
		}
		before, after := 0, len(validation.Create(is.Typed))
		if old := was[is.ID]; old != nil && old.Typed != nil {
			before, after = len(validation.Create(old.Typed)), max(after, len(validation.Update(is.Typed, old.Typed)))
		}
		if after > before {
			return true
		}
	}
	return false
}

// Spread says of a fix which other releases it changes.
func (o Others) Spread(f *finding.Fix) { f.AlsoChanges, f.MayChange = o.changes, o.may }
