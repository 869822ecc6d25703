package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// pick cuts the changes into slices, release by release, and enters every workload it
// saw into the result.
func (r *Result) pick(ch *render.Changes, sc scope) []*slice {
	pl := places{changes: ch}
	var out []*slice
	for _, pair := range pairs(ch) {
		pair.instead = sc.instead
		if !pair.comparable() {
			continue
		}
		changed := map[string]bool{}
		for i := range ch.Changes {
			if c := &ch.Changes[i]; c.Release == pair.id {
				changed[c.ID().String()] = true
				if c.Base != nil {
					changed[c.Base.ID.String()] = true
				}
			}
		}
		everything := sc.all || pair.base == nil || pair.base.Err != nil
		here := sc
		here.all = everything
		found := cut{pair.id, changed, here}.slices(pair.objects(state.Base), pair.objects(state.Head))
		for _, sl := range found {
			r.enter(sl, pl, sc)
		}
		out = append(out, found...)
		r.enterUnmodeled(pair, changed, everything)
		r.Notices = append(r.Notices, orphans(pair)...)
	}
	return out
}

// pair is one release on both sides.
type pair struct {
	id         string
	base, head *render.Rendered
	instead    map[*render.Object]*render.Object // nil: nothing is there
}

// pairs matches releases by ID, in order.
func pairs(ch *render.Changes) []pair {
	byID := map[string]*pair{}
	var ids []string
	at := func(id string) *pair {
		if byID[id] == nil {
			byID[id] = &pair{id: id}
			ids = append(ids, id)
		}
		return byID[id]
	}
	if ch.Base != nil {
		for _, x := range ch.Base.Releases {
			at(x.ID).base = x
		}
	}
	for _, x := range ch.Head.Releases {
		at(x.ID).head = x
	}
	slices.Sort(ids)
	out := make([]pair, len(ids))
	for i, id := range ids {
		out[i] = *byID[id]
	}
	return out
}

// comparable says whether head rendered; a base that did not is left out of account.
func (p pair) comparable() bool {
	if p.head == nil { // the release was removed: nothing of it is left to check
		return false
	}
	return p.head.Err == nil
}

func (p pair) objects(v state.Version) []*render.Object {
	side := p.head
	if v == state.Base {
		side = p.base
	}
	if side == nil || side.Err != nil {
		return nil
	}
	if !slices.ContainsFunc(side.Objects, func(o *render.Object) bool { _, other := p.instead[o]; return other }) {
		return side.Objects
	}
	var out []*render.Object
	for _, o := range side.Objects {
		if there, other := p.instead[o]; other {
			o = there
		}
		if o != nil {
			out = append(out, o)
		}
	}
	return out
}

// enter lists a slice's workloads in the result.
func (r *Result) enter(sl *slice, pl places, sc scope) {
	for i, wl := range sl.workloads {
		w := Workload{ID: wl.ID, Release: sl.release, Change: "unchanged", Verdict: Pass, Slice: sl.ids()}
		if c, ok := sl.changed[i]; ok {
			w.Change = c
		} else {
			w.Reason = "its placement and that of a changed workload influence each other"
		}
		w.Fields = pl.fieldChanges(pl.changed(sl.release, wl.ID))
		for _, id := range sl.ids() {
			if id != wl.ID && len(pl.changed(sl.release, id)) > 0 && w.Change == string(render.Modified) && len(w.Fields) == 0 {
				w.Reason = id + " changed"
			}
		}
		if w.Change == string(render.Modified) && len(w.Fields) == 0 && w.Reason == "" && sc.beside != nil {
			if why := sc.beside(sl.release); why != "" {
				w.Change, w.Reason = "unchanged", why
			}
		}
		r.Workloads = append(r.Workloads, w)
	}
}

// enterUnmodeled lists changed workloads that no actor drives.
func (r *Result) enterUnmodeled(p pair, changed map[string]bool, all bool) {
	for _, o := range p.objects(state.Head) {
		if !runsPods(o) || o.Hook || !(all || changed[o.ID.String()]) {
			continue
		}
		change := render.Modified
		if !slices.ContainsFunc(p.objects(state.Base), func(b *render.Object) bool { return b.ID.String() == o.ID.String() }) {
			change = render.Added
		}
		r.Workloads = append(r.Workloads, Workload{
			ID: o.ID.String(), Release: p.id, Change: string(change), Verdict: Inconclusive,
			Reason: fmt.Sprintf("%s is not modeled: nothing was verified for it", o.ID.Kind),
		})
	}
}

// releases enters how every release was rendered.
func (r *Result) releases(ch *render.Changes) {
	touched := map[string]bool{}
	for _, f := range ch.Files {
		touched[f] = true
	}
	for _, p := range pairs(ch) {
		r.Releases = append(r.Releases, releaseResult(p, ch, touched))
	}
}

func releaseResult(p pair, ch *render.Changes, touched map[string]bool) ReleaseResult {
	out := ReleaseResult{ID: p.id, Status: "ok", Changed: ch.Base == nil}
	for _, side := range []*render.Rendered{p.base, p.head} {
		if side == nil {
			continue
		}
		out.Kind, out.Selected, out.Why = string(side.Kind), side.Selected, side.Why
		for _, f := range side.Reads {
			out.Changed = out.Changed || touched[f]
		}
		for f := range touched { // a failed release may not have got as far as reading it
			out.Changed = out.Changed || (side.Path != "" && strings.HasPrefix(f, side.Path+"/"))
		}
	}
	failure := func(status, name string, f *render.Failure) {
		out.Status, out.Reason, out.Remedy = status, f.Reason, f.Remedy
		out.Cut = f.Cut
		if f.Skipped {
			out.Status = "skipped"
		}
		if f.Where.File != "" {
			l := places{changes: ch}.location(f.Where, name)
			out.Where = &l
		}
	}
	switch {
	case p.head == nil:
		out.Reason = "removed on head"
	case p.head.Err != nil:
		failure("failed-head", "head", p.head.Err)
		broke := ch.Base == nil || ch.Broke(p.base, p.head)
		out.Changed, out.Before = out.Changed || broke, !broke
	case p.base != nil && p.base.Err != nil:
		failure("failed-base", "base", p.base.Err)
		out.Status = "failed-base"
	}
	if p.head != nil {
		for _, x := range p.head.Fetched {
			out.Fetched = append(out.Fetched, Fetched(x))
		}
		out.Objects = len(p.head.Objects)
		if p.head.Untouched {
			out.Status = "untouched"
		}
	}
	return out
}
