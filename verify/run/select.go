package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// pick cuts the changes into slices, release by release, and enters every workload it
// saw into the result.
func pick(r *finding.Result, ch *object.Changes, opt *Options, pl judge.Places, sc slice.Scope) []*slice.Slice {
	var out []*slice.Slice
	gone := finding.Say(finding.ReleasesGone) // without a workload that is gone with them
	left := map[string][]string{}             // releases, by the file that deploys them no longer
	changes := changedReleases(ch)
	remains := sync.OnceValue(func() *static.Remains { return static.NewRemains(ch) })
	for _, pair := range slice.Pairs(ch) {
		if !opt.Has(pair.ID) {
			continue
		}
		pair.Instead = sc.Instead
		if had := enterGone(r, pair, ch, remains); had != "" {
			gone.Names, gone.Args = append(gone.Names, pair.ID), append(gone.Args, had)
		}
		if b, h := pair.Base, pair.Head; b != nil && h != nil && h.Left && !b.Left {
			left[b.At.File] = append(left[b.At.File], pair.ID)
		}
		if !pair.Comparable() {
			continue
		}
		changed := changedIDs(changes[pair.ID])
		everything := sc.All || pair.Anew()
		here := sc
		here.All = everything
		found := cutWithin(pair, changed, here, func(release string) map[string]bool { return changedIDs(changes[release]) })
		for _, sl := range found {
			sl.Notes = finding.AppendNew(sl.Notes, slice.Strangers(sl, ch.Head.Releases)...)
			if len(sl.OnTrust()) == 0 {
				enterSlice(r, sl, pl, sc)
			}
		}
		out = append(out, found...)
		enterUnmodeled(r, pair, changed, everything,
			func(o *object.Object) bool { return isMade(sc.Own, o, ch.Changes) || movedHere(ch, pair.Head, o) },
			func(o *object.Object) bool { return namedBySome(ch.Head.Releases, o) })
		orphans := static.Orphans(pair)
		r.Notices = append(r.Notices, orphans...)
		enterRemoved(r, pair, ch, changes[pair.ID], orphans)
		enterStilled(r, pair, changes[pair.ID])
		if names := static.Restarted(pair, changes[pair.ID]); len(names) > 0 {
			r.Notices = append(r.Notices, finding.Say(finding.PodsReplaced).In(pair.ID).With(names...))
		}
	}
	if len(gone.Names) > 0 {
		r.Notices = append(r.Notices, gone)
	}
	for _, f := range slices.Sorted(maps.Keys(left)) {
		r.Notices = append(r.Notices, finding.Say(finding.ReleasesLeft, f).With(left[f]...))
	}
	for _, sl := range out {
		if len(sl.OnTrust()) > 0 {
			enterSlice(r, sl, pl, sc)
		}
	}
	return surestFirst(out, ch.Head)
}

// changedIDs are the objects that some changes are of, by ID.
func changedIDs(list []*object.Change) map[string]bool {
	out := map[string]bool{}
	for _, c := range list {
		out[c.ID().String()] = true
		if c.Base != nil {
			out[c.Base.ID.String()] = true
		}
	}
	return out
}

// cutWithin cuts a release into slices within its cluster: with what others lend it that surely run there, and again
// with what those lend that may, as far as it makes other slices.
func cutWithin(pair slice.Pair, changed map[string]bool, sc slice.Scope,
	of func(release string) map[string]bool) []*slice.Slice {
	cut := func(lent slice.Lent) []*slice.Slice {
		lent = lent.Instead(sc.Instead)
		return slice.Cut{Release: pair.ID, Changed: lent.Changed(changed, of), Lent: lent, Scope: sc}.Slices(
			pair.Objects(state.Base), pair.Objects(state.Head))
	}
	loan := sc.Loans.Of(pair.ID)
	out := cut(loan.Sure)
	if len(loan.Open.Open) == 0 {
		return out
	}
	return append(out, slices.DeleteFunc(cut(loan.Open), func(sl *slice.Slice) bool { return len(sl.OnTrust()) == 0 })...)
}

// displaced are the workloads of which one may preempt the other's pods, each in a separate release.
func (a *Analysis) displaced(ch *object.Changes, sc slice.Scope) []slice.Joint {
	if !sc.Limited || sc.Shot != nil {
		return nil
	}
	var out []slice.Joint
	changes := changedReleases(ch)
	of := func(release string) map[string]bool { return changedIDs(changes[release]) }
	for _, pair := range slice.Pairs(ch) {
		if !a.Options.Has(pair.ID) || !pair.Comparable() {
			continue
		}
		here := sc
		here.All = sc.All || pair.Anew()
		pair.Instead = sc.Instead
		for _, sl := range cutWithin(pair, of(pair.ID), here, of) {
			p, _ := sl.Suit(a.besides.PolicyOf(sl.Release, a.besides.Head))
			out = append(out, a.around.Displaces(sl, p)...)
		}
	}
	return out
}

// roomLeftOut says that nodes are declared, and not whether others run on them: the first release that may.
func (a *Analysis) roomLeftOut(ch *object.Changes, picked []*slice.Slice) []finding.Note {
	if p := a.Options.Policy; len(picked) == 0 || !slice.Limited(p) || p.Cluster.Snapshot != nil {
		return nil
	}
	runs := func(o *object.Object) bool {
		_, is := state.ManifestOf(o.Typed)
		return is && !o.Hook
	}
	for _, r := range ch.Head.Releases {
		if r.Switched == "" && !a.ties.Idle(r) && (r.Untouched || slices.ContainsFunc(r.Objects, runs)) &&
			slices.ContainsFunc(picked, func(sl *slice.Slice) bool {
				return sl.Release != r.ID && a.ties.Tie(sl.Release, r.ID) == slice.Open
			}) {
			return []finding.Note{finding.Say(finding.RoomLeftOut).In(r.ID)}
		}
	}
	return nil
}

// changedReleases are the changes of each release.
func changedReleases(ch *object.Changes) map[string][]*object.Change {
	out := map[string][]*object.Change{}
	for i := range ch.Changes {
		c := &ch.Changes[i]
		out[c.Release] = append(out[c.Release], c)
	}
	return out
}

// mostSlice bounds the objects that are listed beside a workload: what belongs to a slice of n
// workloads would be listed n times.
const mostSlice = 100

// enter lists a slice's workloads in the result.
func enterSlice(r *finding.Result, sl *slice.Slice, pl judge.Places, sc slice.Scope) {
	ids := sl.Ids()
	var also []string // that changed
	for _, id := range ids {
		if len(pl.Changed(sl.Owner(id), id)) > 0 {
			also = append(also, id)
		}
	}
	for i, wl := range sl.Workloads {
		if len(sl.OnTrust()) > 0 && slices.ContainsFunc(r.Workloads, func(w finding.Workload) bool {
			return w.Release == sl.Owner(wl.ID) && w.ID == wl.ID
		}) {
			continue // it is searched without what others may lend as well
		}
		w := finding.Workload{ID: wl.ID, Release: sl.Owner(wl.ID), Change: "unchanged", Verdict: finding.Pass,
			Slice: ids[:min(len(ids), mostSlice)]}
		if c, ok := sl.Changed[i]; ok {
			w.Change = c
		} else {
			w.Reason = "its placement and that of a changed workload influence each other"
		}
		w.Fields = pl.FieldChanges(pl.Changed(sl.Owner(wl.ID), wl.ID))
		if w.Change == string(object.Modified) && len(w.Fields) == 0 && len(also) > 0 {
			w.Reason = also[len(also)-1] + " changed"
		}
		if w.Change == string(object.Modified) && len(w.Fields) == 0 && w.Reason == "" && sc.Beside != nil {
			if why := sc.Beside(sl.Release); why != "" {
				w.Change, w.Reason = "unchanged", why
			}
		}
		if w.Change == string(object.Modified) && len(w.Fields) == 0 && w.Reason == "" && sc.Healed != nil {
			if why := sc.Healed(sl.Release); why != "" {
				w.Change, w.Reason = "unchanged", why
			}
		}
		r.Workloads = append(r.Workloads, w)
	}
}

// namedBySome reports whether some object has the name of another one as a value: it may be what reads it.
func namedBySome(releases []*object.Rendered, o *object.Object) bool {
	for _, rel := range releases {
		for _, x := range rel.Objects {
			found := false
			if x.ID == o.ID {
				continue
			}
			fieldpath.Leaves(x.Content, nil, func(_ fieldpath.Path, v any) { found = found || v == o.ID.Name })
			if found {
				return true
			}
		}
	}
	return false
}

// enterUnmodeled lists changed workloads that no actor drives, except those that are made into a workload that an actor
// drives, and names what an operator makes pods of: a ConfigMap that says something of pods, and that nothing reads.
func enterUnmodeled(
	r *finding.Result, p slice.Pair, changed map[string]bool, all bool, made, read func(*object.Object) bool,
) {
	had := map[string]bool{}
	for _, o := range p.Objects(state.Base) {
		had[o.ID.String()] = true
	}
	var operated []string
	for _, o := range p.Objects(state.Head) {
		if (all || changed[o.ID.String()]) && (slice.AsksOfPods(o) || slice.ConfiguresPods(o) && !read(o)) && !made(o) {
			operated = append(operated, o.ID.Kind+" "+o.ID.Name)
		}
		if !slice.RunsPods(o) || o.Hook || made(o) || !(all || changed[o.ID.String()]) {
			continue
		}
		change := object.Modified
		if !had[o.ID.String()] {
			change = object.Added
		}
		r.Workloads = append(r.Workloads, finding.Workload{
			ID: o.ID.String(), Release: p.ID, Change: string(change), Verdict: finding.Inconclusive, Unmodeled: true,
			Reason: fmt.Sprintf("%s is not modeled: nothing was verified for it", o.ID.Kind),
		})
	}
	if len(operated) > 0 {
		at := slices.IndexFunc(r.Notices, func(n finding.Note) bool { return n.Kind == finding.PodsOfOperator })
		if at < 0 {
			at, r.Notices = len(r.Notices), append(r.Notices, finding.Say(finding.PodsOfOperator))
		}
		for _, name := range operated {
			if n := &r.Notices[at]; !slices.Contains(n.Names, name) {
				n.Names = append(n.Names, name)
			}
		}
	}
}

// releases enters how every release was rendered.
func enterReleases(r *finding.Result, ch *object.Changes, opt *Options, ties *slice.Neighbours) {
	touched, changes := slices.Sorted(slices.Values(ch.Files)), changedReleases(ch)
	aside := finding.Say(finding.SetAside)
	for _, p := range slice.Pairs(ch) {
		if !opt.Has(p.ID) {
			continue
		}
		rel := releaseResult(p, ch, touched)
		if rel.Missing() && rel.Changed && !rel.Cut && p.Head != nil && ties.Idle(p.Head) {
			aside.Names, aside.Args = append(aside.Names, p.ID), append(aside.Args, rel.Reason)
			rel = finding.ReleaseResult{ID: p.ID, Status: "untouched", Kind: rel.Kind, Selected: rel.Selected}
		}
		r.Notices = append(r.Notices, enterUndeclared(&rel, p, judge.Places{Changes: ch}, changes[p.ID])...)
		enterUnknown(&rel, p, ch, changes[p.ID])
		r.Releases = append(r.Releases, rel)
	}
	if len(aside.Names) > 0 {
		r.Notices = append(r.Notices, aside)
	}
	enterElsewhere(r, ch, opt)
	enterStoodIn(r, ch, touched, changes)
}

// enterStoodIn marks the kustomizations that are broken on both sides alike, and can be applied on neither, where all
// that the change touches of them was analysed with other releases: they hide nothing. One that is applied once
// something else has written a file of it hides what that file may matter to.
func enterStoodIn(r *finding.Result, ch *object.Changes, touched []string, changes map[string][]*object.Change) {
	read, active, pairs := map[string]bool{}, map[string]bool{}, map[string]slice.Pair{}
	acts := func(c *object.Change) bool { return !inert(c) }
	for _, p := range slice.Pairs(ch) {
		pairs[p.ID] = p
		if p.Head == nil || p.Head.Err != nil || p.Head.Kind == object.Helm || p.Base != nil && p.Base.Err != nil {
			continue
		}
		reads := p.Head.Reads
		if p.Base != nil {
			reads = slices.Concat(reads, p.Base.Reads)
		}
		for _, f := range reads {
			read[f], active[f] = true, active[f] || slices.ContainsFunc(changes[p.ID], acts)
		}
	}
	for i := range r.Releases {
		rel, p := &r.Releases[i], pairs[r.Releases[i].ID]
		if !rel.Changed || !rel.Before || rel.Cut || !rel.Missing() || p.Head == nil || p.Head.Kind != object.Kustomize ||
			p.Base == nil || p.Base.Err == nil || p.Base.Err.Cut || p.Base.Err.Missing != p.Head.Err.Missing ||
			(p.Base.Err.Skipped || p.Head.Err.Skipped) && !p.Head.Err.Missing {
			continue
		}
		written := p.Head.Err.Missing
		rel.Elsewhere = !slices.ContainsFunc(touched, func(f string) bool {
			its := p.Head.Path == "." || strings.HasPrefix(f, p.Head.Path+"/") ||
				slices.Contains(p.Head.Reads, f) || slices.Contains(p.Base.Reads, f)
			return its && (!read[f] || written && active[f])
		})
	}
}

func releaseResult(p slice.Pair, ch *object.Changes, touched []string) finding.ReleaseResult {
	out := finding.ReleaseResult{ID: p.ID, Status: "ok", Changed: ch.Base == nil}
	for _, side := range []*object.Rendered{p.Base, p.Head} {
		if side == nil {
			continue
		}
		out.Kind, out.Selected, out.Why, out.Cluster = string(side.Kind), side.Selected, side.Why, side.Cluster
		if p.Head != nil && p.Head.Same {
			continue
		}
		for _, f := range append(slices.Clone(side.Reads), side.By.File) {
			_, found := slices.BinarySearch(touched, f)
			out.Changed = out.Changed || found
		}
		if side.Path != "" && (side.Err != nil || len(side.Holes) > 0) { // it may not have got as far as reading it
			i, _ := slices.BinarySearch(touched, side.Path+"/")
			out.Changed = out.Changed || i < len(touched) && strings.HasPrefix(touched[i], side.Path+"/")
		}
	}
	failure := func(status, name string, f *object.Failure) {
		out.Status, out.Reason, out.Remedy = status, f.Reason, f.Remedy
		out.Cut = f.Cut
		if f.Skipped {
			out.Status = "skipped"
		}
		if at := f.Where; at.File != "" {
			if helm.GivesNoYAML(f) && name == "head" {
				at = nearestEdit(ch, at)
			}
			l := judge.Places{Changes: ch}.Location(at, name)
			out.Where = &l
		}
	}
	switch {
	case enterUndecided(&out, p, ch):
	case p.Head == nil && p.Base.Err != nil && p.Base.Err.Skipped && !render.TakenOver(ch, p.Base):
		failure("skipped", "base", p.Base.Err) // its content is unknown
		out.Changed, out.Before = true, true
	case p.Head == nil:
		out.Changed, out.Reason = true, finding.RemovedOnHead
	case p.Head.Err != nil:
		failure("failed-head", "head", p.Head.Err)
		broke := !p.Head.Err.Cut && (ch.Base == nil || render.Broke(ch, p.Base, p.Head))
		out.Changed, out.Before = out.Changed || broke || p.Head.Changed, !broke
		switch {
		case broke, ch.Base == nil:
		case p.Base == nil && !slices.ContainsFunc(ch.Base.Ignored, func(g object.Ignored) bool {
			_, name, ok := strings.Cut(g.Elsewhere, " ")
			return ok && strings.HasSuffix(p.ID, "/"+name) // a set whose applications are unknown
		}):
			out.OnBase = "absent"
		case p.Base != nil && p.Base.Err == nil:
			out.OnBase = "renders"
		}
	case p.Base != nil && p.Base.Err != nil:
		failure("failed-base", "base", p.Base.Err)
		out.Status = "failed-base"
		out.Remedy = "nothing in this change: head renders"
		if p.Base.Err.Skipped && ch.Base != nil {
			out.Remedy += ", and base's missing part is needed only for the comparison"
		}
	}
	if p.Head != nil {
		for _, x := range p.Head.Fetched {
			out.Fetched = append(out.Fetched, finding.Fetched(x))
		}
		out.Objects = len(p.Head.Objects)
		if hiddenFailure(p) { // a finding says so
			return finding.ReleaseResult{ID: p.ID, Status: "untouched", Kind: out.Kind, Selected: out.Selected}
		}
		if p.Head.Untouched {
			out.Status, out.Changed = "untouched", false // it has no changed file in its folder
		}
	}
	return out
}
