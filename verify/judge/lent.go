package judge

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ownedBy are of the objects of a remedy those of the release that it edits; false where it takes edits of several.
func (d *Judge) ownedBy(r remedy, objects []*object.Object) ([]*object.Object, bool) {
	of := d.release(r.object.Release)
	if of == nil || slices.ContainsFunc(r.also, func(c change) bool { return c.object.Release != of.ID }) {
		return nil, false
	}
	var out []*object.Object
	for _, o := range objects {
		if o == r.add || o.Release == of.ID {
			out = append(out, o)
		}
	}
	for _, o := range of.Objects { // of a lender there is what it lends alone
		edited := o == r.object || slices.ContainsFunc(r.also, func(c change) bool { return c.object == o })
		if !edited && !slices.Contains(out, o) && !slices.Contains(r.drop, o) {
			out = object.Beside(out, o)
		}
	}
	return out, true
}

// edited renders the release that reads a file with another text in it: the slice's own, or else one that lends to it.
func (d *Judge) edited(ctx context.Context, sl *slice.Slice, file string, text []byte) (*object.Rendered, error) {
	head := d.Places.Head
	rel, err := head.Edited(ctx, sl.Release, file, text)
	for _, id := range sl.Ids() {
		if err == nil {
			break
		}
		if of := sl.Owner(id); of != sl.Release {
			rel, err = head.Edited(ctx, of, file, text)
		}
	}
	return rel, err
}

// besides are the objects of the slice's release, with those that one renders to: itself, or a lender.
func (d *Judge) besides(sl *slice.Slice, rel *object.Rendered) []*object.Object {
	own := d.release(sl.Release)
	if rel.ID == sl.Release || own == nil {
		return rel.Objects
	}
	out := slices.Clone(own.Objects)
	for _, o := range rel.Objects {
		if slices.ContainsFunc(sl.Lent(state.Head), func(l *object.Object) bool {
			return l.Release == rel.ID && l.ID == o.ID
		}) {
			out = append(out, o)
		}
	}
	return out
}
