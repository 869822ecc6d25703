package run

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// repairing has the possible fixes of a finding that took no search.
type mending struct {
	rule, workload, release, message string
	remedies                         []static.Remedy
	// searched says that a search tells as well whether it is there: there is one at most of a rule and workload.
	searched bool
}

// mostMended bounds the edits that are tried for findings of objects as they stand: each is a render, a comparison and
// a search of its release.
const mostMended = 6

// mendStatic enters fixes for errors in objects as they stand. A remedy is edited as text, rendered, checked by
// everything that takes no search, and its release searched again; a remedy that only a person can apply is marked so.
func (a *Analysis) mendStatic(ctx context.Context, ch *object.Changes, all bool) {
	if a.Options.Plain {
		return
	}
	tried := 0
	for _, m := range a.mending {
		i := slices.IndexFunc(a.Result.Findings, func(f finding.Finding) bool {
			return f.Rule == m.rule && f.Workload == m.workload && f.Release == m.release &&
				(m.searched || f.Message == m.message) && (f.Fix == nil || m.searched && f.Fix.Back) &&
				f.Status == finding.New
		})
		if i < 0 {
			continue
		}
		for _, r := range m.remedies {
			if r.Object == nil && r.Stay == nil {
				a.Result.Findings[i].Fix = &finding.Fix{Text: r.Say, Cost: r.Cost}
				break
			}
			if tried == mostMended || a.checker.Expired() {
				continue // a later one may take no search
			}
			tried++
			try := a.tryStatic
			if m.searched {
				try = a.trySearched
			}
			if r.First || r.Stay != nil {
				try = a.tryFirst
			}
			if f := try(ctx, ch, all, &a.Result.Findings[i], r); f != nil {
				f.Verified = f.Verified && !r.Drops && !a.supposes(a.Result.Findings[i].Release)
				a.Result.Findings[i].Fix = f
				break
			}
		}
	}
}

// tryStatic gives a remedy as an edit that repairs a finding and breaks nothing, in words where its lines may not be
// shown; nil where there is none.
func (a *Analysis) tryStatic(ctx context.Context, ch *object.Changes, all bool, of *finding.Finding,
	r static.Remedy) *finding.Fix {
	return a.tryEdits(ctx, ch, of, r, func(rel *object.Rendered) bool { return a.mended(ctx, ch, all, rel, of, r) })
}

// trySearched is [Analysis.tryStatic] for a finding that a search would tell as well.
func (a *Analysis) trySearched(ctx context.Context, ch *object.Changes, all bool, of *finding.Finding,
	r static.Remedy) *finding.Fix {
	return a.tryEdits(ctx, ch, of, r, func(rel *object.Rendered) bool {
		return a.stands([]*object.Rendered{rel}) && a.searchedClean(ctx, ch.Base, ch.Head, all, rel, of)
	})
}

// tryEdits gives a remedy as the first edit that cures, of the least reach; in words if its lines may not be shown, are
// not found, or would change unrelated releases; nil if it does not cure.
func (a *Analysis) tryEdits(ctx context.Context, ch *object.Changes, of *finding.Finding, r static.Remedy,
	mends func(*object.Rendered) bool) (wide *finding.Fix) {
	for _, w := range rewrites(ctx, ch.Head, r) {
		if a.checker.Expired() {
			return wide // each is a render and a comparison of everything
		}
		was, err := fs.ReadFile(ch.Head.Tree, w.File)
		if err != nil {
			continue
		}
		e, shown := judge.Difference(w.File, string(was), w.Text, r.Say)
		rel, err := ch.Head.Edited(ctx, r.Object.Release, w.File, []byte(w.Text))
		if err != nil || rel.Err != nil || len(r.With) == 0 && !alone(ch.Head, rel, r.Object) {
			continue
		}
		others, harmless := judge.OthersOf(ctx, ch.Head, rel.ID, w)
		reach := others.Reach(judge.FilesOf(of.Blame), w.File)
		if reach == judge.Wide || wide != nil && reach != judge.Own || shown && !harmless || !mends(rel) {
			continue
		}
		if !shown || len(r.Earlier()) > 0 { // with a step before the change, the edit alone would not cure
			return a.inWords(r)
		}
		f := a.places.Fix(e)
		f.Cost = r.Cost
		others.Spread(f)
		if reach == judge.Own {
			return f
		}
		wide = f
	}
	if wide != nil {
		return wide
	}
	rel := withObject(ch.Head, r)
	if rel == nil || !mends(rel) {
		return nil
	}
	return a.inWords(r) // which text it is of is not known
}

// rewrites are texts with which a remedy may come to be; where it is of several objects, those with which just they are
// as it sets them.
func rewrites(ctx context.Context, head *object.Revision, r static.Remedy) []object.Rewrite {
	if len(r.With) == 0 {
		return head.Rewrites(r.Object, r.Set)
	}
	want := withObject(head, r)
	if want == nil {
		return nil
	}
	parts := []object.Part{{Object: r.Object, Set: r.Set}}
	for _, c := range r.With {
		parts = append(parts, object.Part{Object: c.Object, Set: c.Set})
	}
	return slices.Collect(head.RewriteAll(ctx, parts, want.Objects))
}

// inWords is a remedy that was tried as a fix without an edit.
func (a *Analysis) inWords(r static.Remedy) *finding.Fix {
	l := a.places.Location(r.Object.Source, "head")
	if len(r.Set) > 0 {
		l = a.places.Location(r.Object.Locate(r.Set[0].Path), "head")
	}
	return &finding.Fix{Text: r.Say, Cost: r.Cost, Location: &l, Verified: true}
}

// withObject is the release of head that a remedy's objects are of, with the objects as the remedy sets them; nil where
// they cannot be set so.
func withObject(head *object.Revision, r static.Remedy) *object.Rendered {
	i := slices.IndexFunc(head.Releases, func(x *object.Rendered) bool { return x.ID == r.Object.Release })
	if i < 0 {
		return nil
	}
	rel := *head.Releases[i]
	rel.Objects = slices.Clone(rel.Objects)
	for _, c := range append([]static.Change{{Object: r.Object, Set: r.Set}}, r.With...) {
		o, err := typed.With(c.Object, c.Set)
		at := slices.Index(rel.Objects, c.Object)
		if err != nil || at < 0 {
			return nil
		}
		rel.Objects[at] = o
	}
	return &rel
}

// alone reports whether an edited release has as many objects as before, all as they were except for one.
func alone(head *object.Revision, rel *object.Rendered, o *object.Object) bool {
	i := slices.IndexFunc(head.Releases, func(x *object.Rendered) bool { return x.ID == rel.ID })
	if i < 0 || len(head.Releases[i].Objects) != len(rel.Objects) {
		return false
	}
	var was, is []*object.Object
	others := map[object.ID]bool{}
	for _, x := range head.Releases[i].Objects {
		if x != o {
			was = append(was, x)
			others[x.ID] = true
		}
	}
	for _, x := range rel.Objects {
		if others[x.ID] {
			is = append(is, x)
		}
	}
	return len(is) == len(rel.Objects)-1 && object.Same(was, is)
}

// mended reports whether a change with another release in place of head's, and with the fields that a remedy sets
// before on base, no longer has a finding, and no new one. With undeclared values it is not searched for that: such a
// fix is not verified.
func (a *Analysis) mended(ctx context.Context, ch *object.Changes, all bool, rel *object.Rendered,
	of *finding.Finding, r static.Remedy) bool {
	base := ch.Base
	if len(r.Earlier()) > 0 {
		if base = setBefore(base, r); base == nil {
			return false
		}
	}
	whole, err := changesOf(base, instead(ch.Head, rel))
	if err != nil {
		return false
	}
	before := a.standingOf(ch, rel.ID)
	if a.checker.Expired() {
		return false
	}
	after := a.standing(whole, all, rel.ID)
	if a.checker.Expired() {
		return false
	}
	gone := [3]string{of.Rule, of.Release, of.Workload + "\n" + of.Message}
	if !slices.Contains(before, gone) ||
		slices.ContainsFunc(after, func(k [3]string) bool { return k == gone || !slices.Contains(before, k) }) {
		return false
	}
	return a.supposes(rel.ID) || a.searchedClean(ctx, base, ch.Head, all, rel, nil)
}

// stands reports whether with other releases in place of head's nothing is wrong with objects as they stand that was
// not before. Out of time, it is not known to be so.
func (a *Analysis) stands(edited []*object.Rendered) bool {
	for _, rel := range edited {
		whole, err := changesOf(a.Changes.Base, instead(a.Changes.Head, edited...))
		if err != nil || a.checker.Expired() {
			return false
		}
		more := map[[3]string]int{} // numbers in messages may differ
		for _, k := range a.standing(whole, a.all, rel.ID) {
			more[unworded(k)]++
		}
		for _, k := range a.standingOf(a.Changes, rel.ID) {
			more[unworded(k)]--
		}
		if a.checker.Expired() {
			return false
		}
		for _, n := range more {
			if n > 0 {
				return false
			}
		}
	}
	return true
}

// unworded is a finding of objects as they stand without its message.
func unworded(k [3]string) [3]string {
	k[2], _, _ = strings.Cut(k[2], "\n")
	return k
}

// standingOf is [Analysis.standing] of the changes themselves, of which each fix asks.
func (a *Analysis) standingOf(ch *object.Changes, release string) [][3]string {
	out, known := a.stood[release]
	if !known {
		out = a.standing(ch, a.all, release)
		a.stood[release] = out
	}
	return out
}

// instead is a revision with other releases in place of some of its releases.
func instead(head *object.Revision, edited ...*object.Rendered) *object.Revision {
	out := *head
	out.Releases = slices.Clone(head.Releases)
	for i := range out.Releases {
		for _, rel := range edited {
			if out.Releases[i].ID == rel.ID {
				out.Releases[i] = rel
			}
		}
	}
	return &out
}

// setBefore is base with what a remedy sets before; nil where there is none, or without one of its
// objects.
func setBefore(base *object.Revision, r static.Remedy) *object.Revision {
	if base == nil {
		return nil
	}
	for _, c := range r.Earlier() {
		o := sameObject(base, c.Object)
		if o == nil {
			return nil
		}
		rel := withObject(base, static.Remedy{Object: o, Set: c.Before})
		if rel == nil {
			return nil
		}
		base = instead(base, rel)
	}
	return base
}

// searchedClean reports whether a change with another release in place of head's, searched to the end, has no further
// finding, and not the one that was to go; nil: none was to go.
func (a *Analysis) searchedClean(ctx context.Context, base, head *object.Revision, all bool, rel *object.Rendered,
	gone *finding.Finding) bool {
	if base != nil {
		base = only(base, rel.ID)
	}
	part, err := changesOf(base, only(instead(head, rel), rel.ID))
	if err != nil {
		return false
	}
	opt := a.Options
	opt.Plain, opt.Progress = true, nil
	if !a.checker.Budget.Deadline.IsZero() {
		opt.TimeBudget = max(time.Until(a.checker.Budget.Deadline), time.Nanosecond)
	}
	tried, err := Analyse(ctx, part, opt, all)
	if err != nil || tried.Result.Coverage.Bound != "complete" {
		return false
	}
	return !slices.ContainsFunc(tried.Result.Findings, func(f finding.Finding) bool {
		if gone != nil && f.Rule == gone.Rule && f.Workload == gone.Workload && f.Status != finding.Fixed {
			return true
		}
		return (f.Status == finding.New || f.Status == finding.Worsened) &&
			!slices.ContainsFunc(a.Result.Findings, func(g finding.Finding) bool {
				return g.Rule == f.Rule && g.Workload == f.Workload && g.Release == f.Release
			})
	})
}

// changesOf are those from base, which may be nil, to head.
func changesOf(base, head *object.Revision) (*object.Changes, error) {
	if base == nil {
		return &object.Changes{Head: head}, nil
	}
	return render.Diff(base, head)
}

// standing lists what is wrong with objects of a release as they stand and with the order they are applied in, and what
// the API server refuses: rule, release, and workload with message. Out of time, some are missing.
func (a *Analysis) standing(ch *object.Changes, all bool, release string) [][3]string {
	var out [][3]string
	add := func(f finding.Finding) {
		if f.Status != finding.Fixed && f.Status != finding.Existing {
			for _, rel := range append([]string{f.Release}, f.AlsoIn...) { // each is repaired by itself
				out = append(out, [3]string{f.Rule, rel, f.Workload + "\n" + f.Message})
			}
		}
	}
	b := Analysis{Options: a.Options, Result: &finding.Result{}, places: judge.NewPlaces(ch), checker: a.checker,
		tries: true}
	changed := changedReleases(ch)
	for _, p := range slice.Pairs(ch) {
		if p.ID == release && p.Comparable() {
			b.enterRefusals(static.Refusals(p, applyMode(a.Options.Policy), len(changed[p.ID]) > 0, all))
		}
	}
	remarks, _ := static.Remarks(ch, slice.NewNeighbours(a.Options.Policy, ch), all)
	b.enterRemarks(remarks)
	b.enterShortages(a.cutAgain(ch, release, &b))
	for _, f := range b.Result.Findings {
		add(f)
	}
	return out
}

// cutAgain cuts one release of changes into slices once more, for an analysis of it that searches nothing.
func (a *Analysis) cutAgain(ch *object.Changes, release string, b *Analysis) []*slice.Slice {
	var base *object.Revision
	if ch.Base != nil {
		base = only(ch.Base, release)
	}
	part, err := changesOf(base, only(ch.Head, release))
	if err != nil {
		return nil
	}
	opt := a.Options
	opt.Plain, opt.Forgets, opt.Progress = true, true, nil
	again, picked, _, err := prepare(part, opt, a.all)
	if err != nil {
		return nil
	}
	b.besides, b.around, b.whole, b.Options.Shard = again.besides, again.around, again.whole, scenario.Shard{}
	return picked
}

// only is a revision with one of its releases.
func only(rev *object.Revision, release string) *object.Revision {
	one := *rev
	one.Releases = slices.DeleteFunc(slices.Clone(rev.Releases), func(r *object.Rendered) bool { return r.ID != release })
	return &one
}
