package run

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/static"
)

// tryFirst gives a remedy that takes two changes, if neither has a finding that the single change does not have, nor
// the one to be cured: from base to the result of the first one, and from there to head.
func (a *Analysis) tryFirst(ctx context.Context, ch *object.Changes, all bool, of *finding.Finding,
	r static.Remedy) *finding.Fix {
	if ch.Base == nil {
		return nil
	}
	mid := between(ch, r.Stay)
	if r.First {
		mid = changedFirst(ctx, ch.Base, r)
	}
	if mid == nil {
		return nil
	}
	gone := [3]string{of.Rule, of.Release, of.Workload + "\n" + of.Message}
	before := a.standing(ch, all, of.Release)
	for _, step := range [][2]*object.Revision{{ch.Base, mid}, {mid, ch.Head}} {
		one, err := render.Diff(step[0], step[1])
		if err != nil || slices.ContainsFunc(a.standing(one, all, of.Release), func(k [3]string) bool {
			return k == gone || !slices.Contains(before, k)
		}) {
			return nil
		}
	}
	f := &finding.Fix{Text: r.Say, Cost: r.Cost, Verified: true}
	if r.First {
		l := a.places.Location(r.Object.Source, "base")
		f.Location = &l
	}
	return f
}

// changedFirst is base with a remedy's settings, rendered again from the texts that they edit; nil where none is found.
func changedFirst(ctx context.Context, base *object.Revision, r static.Remedy) *object.Revision {
	rev := base
	for _, o := range append([]*object.Object{r.Object}, r.Also...) {
		var next *object.Revision
		if o = sameObject(rev, o); o == nil {
			return nil
		}
		for _, w := range rev.Rewrites(o, r.Set) {
			with, err := rev.With(ctx, w.File, []byte(w.Text))
			if err != nil {
				continue
			}
			if want, err := typed.With(o, r.Set); err == nil {
				if is := sameObject(with, o); is != nil && object.Same([]*object.Object{is}, []*object.Object{want}) {
					next = with
					break
				}
			}
		}
		if next == nil {
			return nil
		}
		rev = next
	}
	return rev
}

// sameObject is the object of a revision with the release and the ID of another one; nil: there is none.
func sameObject(rev *object.Revision, o *object.Object) *object.Object {
	for _, rel := range rev.Releases {
		if rel.ID != o.Release || rel.Err != nil {
			continue
		}
		if i := slices.IndexFunc(rel.Objects, func(x *object.Object) bool { return x.ID == o.ID }); i >= 0 {
			return rel.Objects[i]
		}
	}
	return nil
}

// between is head with objects of base that stay for now.
func between(ch *object.Changes, stay []*object.Object) *object.Revision {
	mid := *ch.Head
	mid.Releases = slices.Clone(mid.Releases)
	for _, o := range stay {
		i := slices.IndexFunc(mid.Releases, func(r *object.Rendered) bool { return r.ID == o.Release })
		if i < 0 {
			k := slices.IndexFunc(ch.Base.Releases, func(r *object.Rendered) bool { return r.ID == o.Release })
			if k < 0 {
				return nil
			}
			rel := *ch.Base.Releases[k]
			rel.Objects = nil
			i, mid.Releases = len(mid.Releases), append(mid.Releases, &rel)
		}
		rel := *mid.Releases[i]
		rel.Objects = append(slices.Clone(rel.Objects), o)
		mid.Releases[i] = &rel
	}
	return &mid
}
