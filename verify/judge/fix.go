package judge

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/validation"
)

const (
	// mostEdits bounds the edits that put base's lines back for one finding: each is a render
	// and a search. mostRemedies bounds the remedies, each of which is a search.
	mostEdits, mostRemedies = 3, 12
	// mostFixes bounds those that are shown.
	mostFixes = 2
)

// mend gives the fixes of a finding, the first one to be tried first: the remedies with which head was searched again
// and the violation was gone, and nothing else was broken. If there is none, base's lines are put back, or the first
// culprit is named; a new image is not taken back, as it is the purpose of the change.
//
// untried is how many of these were not searched to an end, as the allowance of the finding was used up.
func (d *Judge) mend(ctx context.Context, sr scenario.SliceResult, v scenario.Violation,
	found []culprit) (out []*finding.Fix, untried int) {
	left := d.allowed(&sr, v)
	blame := d.Places.blame(sr.Variant.Slice, found)
	held := map[int]int{} // the place of a cure's fix in out, counting from 1
	release := d.release(sr.Variant.Release)
	helm := release != nil && release.Kind == object.Helm
	for i, r := range remedies(v, sr.Variant, blame, helm) {
		if i == mostRemedies || len(out) == mostFixes || d.Checker.Expired() {
			break
		}
		at := held[r.by]
		if at > 0 && out[at-1].Mechanical {
			continue
		}
		r.near = FilesOf(blame)
		f := d.try(ctx, sr, v, r, left)
		switch {
		case f == nil:
		case at == 0:
			out = append(out, f)
			held[r.by] = len(out)
		case f.Mechanical: // an edit comes before the same in words
			out[at-1] = f
		}
	}
	if len(out) > 0 {
		return out, left.untried
	}
	out = counsel(sr.Variant, v, helm)
	blame = slices.DeleteFunc(blame, func(b finding.Blame) bool { return strings.HasSuffix(b.Path, ".image") })
	for i, e := range d.Places.edits(blame) {
		if i == mostEdits || d.Checker.Expired() {
			break
		}
		if others, ok := d.mends(ctx, sr, v, e, left); ok {
			f := d.Places.Fix(e)
			f.Back = true
			others.Spread(f)
			return append(out, f), left.untried
		}
	}
	if say := byHand(sr.Variant.Slice, v); say != "" {
		out = append(out, &finding.Fix{Text: say})
	}
	for i := range found {
		first := d.Places.blame(sr.Variant.Slice, found[i:i+1])
		first = slices.DeleteFunc(first, func(b finding.Blame) bool { return strings.HasSuffix(b.Path, ".image") })
		if len(first) > 0 {
			out = append(out, &finding.Fix{Text: takenBack(first), Location: first[0].Location, Verified: true, Back: true})
			return out, left.untried
		}
	}
	return out, left.untried
}

// try gives a remedy as a fix; nil where the API server refuses it, or it does not cure the violation, or breaks a
// rule. It is an edit where the text that sets the fields is found.
func (d *Judge) try(ctx context.Context, sr scenario.SliceResult, v scenario.Violation, r remedy,
	left *allowance) *finding.Fix {
	if r.object.Maker != nil {
		return nil // its operator's fields are no text of the repository
	}
	release := d.release(sr.Variant.Release)
	if release == nil {
		return nil
	}
	objects := slices.Concat(release.Objects, sr.Variant.Slice.Lent(state.Head))
	for _, c := range append([]change{{r.object, r.set}}, r.also...) {
		o, err := typed.With(c.object, c.set)
		at := slices.Index(objects, c.object)
		if err != nil || at < 0 || d.refused(sr.Variant, c.object, o, r) > d.refused(sr.Variant, c.object, c.object, r) {
			return nil
		}
		objects[at] = o
	}
	if slices.ContainsFunc(r.drop, func(o *object.Object) bool { return o.Release != release.ID }) {
		return nil // another release's is not this one's to leave out
	}
	objects = slices.DeleteFunc(objects, func(o *object.Object) bool { return slices.Contains(r.drop, o) })
	if r.add != nil {
		objects = object.Beside(objects, r.add)
	}
	if !d.clean(ctx, sr, v, objects, r, left) || !d.stands(d.editedBy(r, objects)) {
		return nil
	}
	if len(r.set) == 0 && (r.tune != nil || r.before != nil || r.grow != nil) { // no manifest says it
		return &finding.Fix{Text: r.say, Cost: r.cost, Verified: true}
	}
	// with a step before the change, the edit alone would not cure
	if len(r.drop) == 0 && r.before == nil {
		if e, others, ok := d.textOf(ctx, r, objects); ok {
			f := d.Places.Fix(e)
			f.Cost = r.cost
			others.Spread(f)
			return f
		}
	}
	l := d.Places.Location(r.object.Source, "head")
	if len(r.set) > 0 {
		l = d.Places.Location(r.object.Locate(r.set[0].Path), "head")
	}
	return &finding.Fix{Text: r.say, Cost: r.cost, Location: &l, Verified: true}
}

// stands reports whether edited releases bring nothing that takes no search to be wrong.
func (d *Judge) stands(edited []*object.Rendered) bool {
	return d.Stands == nil || len(edited) == 0 || d.Stands(edited)
}

// editedBy are the releases that a remedy changes an object of, as it makes them.
func (d *Judge) editedBy(r remedy, objects []*object.Object) []*object.Rendered {
	touched := map[string]bool{}
	for _, c := range append([]change{{r.object, r.set}}, r.also...) {
		if len(c.set) > 0 {
			touched[c.object.Release] = true
		}
	}
	for _, o := range r.drop {
		touched[o.Release] = true
	}
	if r.add != nil {
		touched[r.object.Release] = true
	}
	var out []*object.Rendered
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		of := d.release(id)
		if of == nil {
			continue
		}
		rel := *of
		rel.Objects = nil
		for _, o := range of.Objects {
			at := slices.IndexFunc(objects, func(x *object.Object) bool { return x.ID == o.ID && x.Release == o.Release })
			switch {
			case at >= 0:
				rel.Objects = append(rel.Objects, objects[at])
			case !slices.Contains(r.drop, o):
				rel.Objects = append(rel.Objects, o)
			}
		}
		if r.add != nil && id == r.object.Release {
			rel.Objects = object.Beside(rel.Objects, r.add)
		}
		out = append(out, &rel)
	}
	return out
}

// FilesOf are the files that are to blame.
func FilesOf(blame []finding.Blame) []string {
	var out []string
	for _, b := range blame {
		if b.Location != nil && b.Location.Side == "head" && !slices.Contains(out, b.Location.File) {
			out = append(out, b.Location.File)
		}
	}
	return out
}

// textOf is a remedy as an edit: of the texts that may make it, the first one with which the
// release renders to just these objects, and which may be shown; the one of the least reach, and none of a wide one.
// Edits of several files are none.
func (d *Judge) textOf(ctx context.Context, r remedy, objects []*object.Object) (best Edit, with Others, ok bool) {
	head := d.Places.Head
	if objects, ok = d.ownedBy(r, objects); !ok {
		return best, with, false
	}
	ok = false
	var parts []object.Part
	for _, c := range append([]change{{r.object, r.set}}, r.also...) {
		if len(c.set) > 0 {
			parts = append(parts, object.Part{Object: c.object, Set: c.set})
		}
	}
	if r.add != nil {
		parts = append(parts, object.Part{Object: r.object, Add: r.add})
	}
	for w := range head.RewriteAll(ctx, parts, objects) {
		was, err := fs.ReadFile(head.Tree, w.File)
		if err != nil {
			continue
		}
		e, shown := Difference(w.File, string(was), w.Text, r.say)
		if !shown {
			continue
		}
		others, harmless := OthersOf(ctx, head, r.object.Release, w)
		if !harmless {
			continue
		}
		switch reach := others.Reach(r.near, w.File); {
		case reach == Own:
			return e, others, true
		case reach == Chart && !ok:
			best, with, ok = e, others, true
		}
	}
	return best, with, ok
}

// release is a release of head; nil: it has none of that name.
func (d *Judge) release(id string) *object.Rendered {
	for _, r := range d.Places.Head.Releases {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// refused is for how many reasons the API server refuses an object in the place of one of a slice, where a remedy set
// before what it sets.
func (d *Judge) refused(v scenario.Variant, was, is *object.Object, r remedy) int {
	pair := v.Slice.Objects[was.ID.String()]
	if pair == nil || pair[state.Base] == nil {
		return len(validation.Create(is.Typed))
	}
	base := pair[state.Base]
	if r.before != nil && was == r.object {
		if other, err := typed.With(base, r.before); err == nil {
			base = other
		}
	}
	if rel := d.release(is.Release); rel == nil || rel.Delivery.Replaces {
		return len(validation.Update(is.Typed, base.Typed))
	}
	merged := validation.Merged(validation.Manifest{Content: is.Content, Typed: is.Typed},
		validation.Manifest{Content: base.Content, Typed: base.Typed}, v.Spec.Apply == state.ServerSide)
	return max(len(validation.Update(is.Typed, base.Typed)), len(validation.Update(merged, base.Typed)))
}

// clean reports whether head with other objects, and with a remedy's other changes, is free of a violation at its size
// and, where that was searched to the end, at the declared one, and breaks no rule that it did not break before, with
// the same events and as surely.
func (d *Judge) clean(ctx context.Context, sr scenario.SliceResult, v scenario.Violation,
	objects []*object.Object, r remedy, left *allowance) bool {
	mended, ok := d.with(sr.Variant, objects, r)
	if !ok {
		return false
	}
	if r.tune != nil {
		r.tune(&mended.Spec)
	}
	covers := func(list []scenario.Violation, x scenario.Violation) bool {
		return slices.ContainsFunc(list, func(o scenario.Violation) bool { // on fewer nodes than declared: not reported
			return x.Comparable(o) && o.MayCover(x) && (o.DeclaredSize() || slices.Equal(o.Topology(), x.Topology()))
		})
	}
	gone := func(t scale.Topology) bool {
		return left.search(ctx, d.Checker, mended, t, v, func(x scenario.Violation) bool {
			if !v.Comparable(x) && covers(sr.Base, x) { // the next rollout of base comes to the same
				return false
			}
			return x.Key() == v.Key() || !covers(sr.Head, x) && !covers(sr.Own, x)
		})
	}
	at := scale.Topology(v.Problem.Cfg.Topology)
	if r.grow != nil {
		at = grown(&mended.Spec, at, r.grow)
	}
	largest := scale.Largest(mended.Spec.Classes)
	return gone(at) && (d.Assumed || !sr.Declared || slices.Equal(at, largest) || gone(largest))
}

// offer enters fixes, the first one to be tried first.
func offer(f *finding.Finding, list []*finding.Fix) {
	if len(list) > 0 {
		f.Fix = list[0]
	}
	if len(list) > 1 {
		f.OtherFix = list[1]
	}
}

// mostNamed bounds the fields that a fix names.
const mostNamed = 5

// takenBack orders to put back all that one culprit consists of, as it was tried as a whole.
func takenBack(fields []finding.Blame) string {
	if first := fields[0]; first.Path == "" && first.Location != nil && first.Location.Side == "head" {
		return "leave " + first.Object + " out, which the change adds"
	} else if first.Path == "" {
		return "keep " + first.Object + ", which the change removes"
	}
	var names []string
	for _, b := range fields[:min(len(fields), mostNamed)] {
		names = append(names, b.Path)
	}
	if n := len(fields) - mostNamed; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	last := len(names) - 1
	if last == 0 {
		return "revert the change to " + names[0] + " of " + fields[0].Object
	}
	return "revert the changes to " + strings.Join(names[:last], ", ") + " and " + names[last] + " of " + fields[0].Object
}

// repairs reports whether head with the edit, rendered and searched again at the violation's
// size, is free of it and breaks no rule that it did not break before, and which other releases the edit changes.
func (d *Judge) mends(ctx context.Context, sr scenario.SliceResult, v scenario.Violation, e Edit,
	left *allowance) (Others, bool) {
	head := d.Places.Head
	text, err := fs.ReadFile(head.Tree, e.file)
	if err != nil {
		return Others{}, false
	}
	edited, ok := e.Apply(string(text))
	if !ok {
		return Others{}, false
	}
	rel, err := d.edited(ctx, sr.Variant.Slice, e.file, []byte(edited))
	if err != nil || rel.Err != nil || !sameImages(d.release(rel.ID), rel) ||
		!d.clean(ctx, sr, v, d.besides(sr.Variant.Slice, rel), remedy{}, left) || !d.stands([]*object.Rendered{rel}) {
		return Others{}, false
	}
	return OthersOf(ctx, head, rel.ID, object.Rewrite{File: e.file, Text: edited})
}
