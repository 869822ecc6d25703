package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/pair"
	"github.com/kubesettle/kubesettle/render/reach"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/variants"
	"github.com/kubesettle/kubesettle/render/worker"
)

// RenderBoth renders two revisions. A release whose files and settings are equal on both
// sides is rendered once, and only where its objects may concern other releases. Rendered.Changed and Why say for each
// release whether a file it reads changed. Errors: only what concerns a whole tree.
func RenderBoth(ctx context.Context, base, head tree.Tree, opt Options) (b, h *object.Revision, err error) {
	if err := checkPaths(opt.Paths, base, head); err != nil {
		return nil, nil, err
	}
	opt.Trials, opt.Compared = &locate.Keeper{}, true
	run := worker.New(ctx, opt.Running())
	defer run.Close()
	bs, err := side.Prepare(ctx, base, opt, run, nil, true)
	if errors.Is(err, discover.ErrTime) {
		return NotLookedAt(base, opt, err), NotLookedAt(head, opt, err), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("base: %w", err)
	}
	hs, err := side.Prepare(ctx, head, opt, run, bs, true)
	if errors.Is(err, discover.ErrTime) {
		return NotLookedAt(base, opt, err), NotLookedAt(head, opt, err), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("head: %w", err)
	}
	return compared(ctx, bs, hs)
}

// compared renders two sides, and makes revisions of them.
func compared(ctx context.Context, bs, hs *side.Side) (b, h *object.Revision, err error) {
	if err := reach.Complete(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	if err := reach.StandIn(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	if err := variants.WithTestValues(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	variants.WithAsked(ctx, bs, hs)
	if err := hs.Carry(ctx, bs); err != nil {
		return nil, nil, err
	}
	if err := bs.Carry(ctx, hs); err != nil {
		return nil, nil, err
	}
	variants.DropUnset(bs, hs)
	pair.DropCovered(bs, nil)
	pair.DropCovered(hs, bs)
	pair.DropFailed(bs, hs)
	pair.DropLeft(hs, bs)
	pair.DropAbsent(bs, hs)
	if err := errors.Join(reach.RenderAlone(bs, ctx, hs), reach.RenderAlone(hs, ctx, bs)); err != nil {
		return nil, nil, err
	}
	if err := variants.WithSwitches(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	ofBase, ofHead := bs.Learn(), hs.Learn()
	bs.Narrowed()
	hs.Narrowed()
	pair.SettleNames(bs, hs)
	pair.FollowCovered(bs, hs)
	pair.FollowDeclared(bs, hs)
	pair.MatchSources(bs, hs)
	pair.KeepMoved(bs, hs)
	pair.FollowMoves(bs, hs)
	pair.DropRepeated(bs, hs)
	ofBase.Fill(ofHead) // a definition that comes or goes changes no other object's name
	ofHead.Fill(ofBase)
	b = finish(bs, ofBase, nil)
	h = finish(hs, ofHead, b)
	knowSecrets(b, h)
	cutBoth(b, h)
	explainChanges(b, h)
	return b, h, nil
}

// NotLookedAt is a revision of a repository that there was no time for, whatever the change does: one release, which
// was cut for a reason.
func NotLookedAt(t tree.Tree, opt Options, why error) *object.Revision {
	r := release.Release{Release: object.Release{ID: ".", Kind: object.Manifests, Path: ".",
		Selected: "the repository as a whole"}}
	f := &object.Failure{
		Cut: true, Reason: why.Error(), Where: object.FileStart("."),
		Remedy: "name the PATHs that the change is about, or raise --time-budget",
	}
	return &object.Revision{Name: t.Name(), Commit: t.Commit(), Tree: t, Narrowed: len(opt.Paths) > 0,
		Renderer: &renderer{tree: t, opt: opt}, Releases: []*object.Rendered{
			{Release: r.Release, Err: f, Changed: true, Why: "not looked at",
				Origin: &side.Made{Release: r, Recipe: release.Unread(r), Partly: true}},
		}}
}

// cutBoth takes a release that there was no time for on one side away on both: half of it
// says nothing.
func cutBoth(base, head *object.Revision) {
	unlisted(base, head)
	unlisted(head, base)
	old := map[string]*object.Rendered{}
	for _, r := range base.Releases {
		old[r.ID] = r
	}
	for _, h := range head.Releases {
		b := old[h.ID]
		if b != nil && b.Err != nil && b.Err.Cut && h.Err == nil && !h.Untouched {
			f := *b.Err
			h.Err, h.Objects = &f, nil
		}
	}
}

// unlisted adds what the other side has and this one not, where this one had no time to list all: it is not known to be
// gone, or new. A release of a file that is not on this side is known to be.
func unlisted(here, other *object.Revision) {
	mine, theirs := rendererOf(here).src, rendererOf(other).src
	if !slices.ContainsFunc(here.Releases, func(r *object.Rendered) bool { return r.Err != nil && r.Err.Cut }) {
		return
	}
	have := map[string]bool{}
	for _, r := range here.Releases {
		have[r.ID] = true
	}
	for _, r := range other.Releases {
		own := append(slices.Clone(r.Reads), r.By.File)
		foreign := func(f string) bool { return f != "" && !mine.HasFile(f) && theirs.HasFile(f) }
		if have[r.ID] || slices.ContainsFunc(own, foreign) {
			continue
		}
		j := release.Unread(side.MadeOf(r).Release)
		here.Releases = append(here.Releases, &object.Rendered{Release: r.Release, Err: j.Cut(),
			Origin: &side.Made{Release: j.Release, Recipe: j, Partly: true}})
	}
	sort.Slice(here.Releases, func(a, b int) bool { return here.Releases[a].ID < here.Releases[b].ID })
}

// explainChanges fills Changed and Why on both sides.
func explainChanges(base, head *object.Revision) {
	old := map[string]*object.Rendered{}
	for _, r := range base.Releases {
		old[r.ID] = r
	}
	for _, r := range head.Releases {
		b := old[r.ID]
		delete(old, r.ID)
		if b == nil {
			r.Changed, r.Why = true, "new on head"
			continue
		}
		r.Changed, r.Why = compareJobs(b, r)
		b.Changed, b.Why = r.Changed, r.Why
		for _, f := range slices.Sorted(maps.Keys(side.MadeOf(b).LostFiles)) {
			if !side.MadeOf(r).LostFiles[f] {
				r.Notes = append(r.Notes, object.Say(object.NoBaseline, f))
			}
		}
	}
	for _, r := range old {
		r.Changed, r.Why = true, "gone on head"
	}
}

// sameInputs reports whether the chart of a release is at hand on neither side, and everything else that it is made
// with is the same on both.
func sameInputs(b, h *object.Rendered) bool {
	was, is := side.MadeOf(b).Recipe, side.MadeOf(h).Recipe
	return b.Err != nil && h.Err != nil && was.Settled && is.Settled && b.Delivery.Alike(h.Delivery) &&
		was.Inputs() == is.Inputs()
}

// compareJobs reports whether two sides of a release may differ, and why.
func compareJobs(b, h *object.Rendered) (bool, string) {
	was, is := side.MadeOf(b), side.MadeOf(h)
	if was.Recipe == nil || is.Recipe == nil {
		return true, "not read on one side"
	}
	if was.Partly && b.Err.Cut || is.Partly && h.Err.Cut {
		return false, "not read in time on one side"
	}
	if h.Same = sameInputs(b, h); h.Same {
		return false, "it renders on neither side, and nothing that it is made with changed"
	}
	var changed []string
	for _, p := range is.Recipe.Own() {
		if old, ok := was.Recipe.Files[p]; !ok || string(old) != string(is.Recipe.Files[p]) {
			changed = append(changed, p)
		}
	}
	for _, p := range was.Recipe.Own() {
		if _, ok := is.Recipe.Files[p]; !ok {
			changed = append(changed, p)
		}
	}
	sort.Strings(changed)
	switch {
	case len(changed) == 0 && !slices.Equal(was.Recipe.FetchedNames(), is.Recipe.FetchedNames()):
		return true, "what it fetches changed"
	case len(changed) == 1:
		return true, changed[0] + " changed"
	case len(changed) > 1:
		return true, fmt.Sprintf("%s and %s changed", changed[0], english.Plural(len(changed)-1, "other file", ""))
	case (b.Err == nil) != (h.Err == nil):
		return true, "it renders on one side alone"
	case was.Recipe.Digest() != is.Recipe.Digest():
		return true, "its settings changed"
	case !b.Delivery.Alike(h.Delivery):
		return true, "what " + cmp.Or(string(h.Delivery.Tool), "helm") + " does after it applied it changed"
	case h.Err != nil:
		return false, "it renders on neither side, and none of its files changed"
	}
	return false, fmt.Sprintf("none of its %s changed", english.Plural(len(is.Recipe.Own()), "file", ""))
}
