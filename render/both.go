package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// RenderBoth renders two revisions. A release whose files and settings are equal on both
// sides is rendered once, and only where its objects may concern other releases. Rendered.Changed and Why say for each
// release whether a file it reads changed. Errors: only what concerns a whole tree.
func RenderBoth(ctx context.Context, base, head tree.Tree, opt Options) (b, h *object.Revision, err error) {
	if err := checkPaths(opt.Paths, base, head); err != nil {
		return nil, nil, err
	}
	opt.trials, opt.compared = &locate.Keeper{}, true
	run := worker.New(ctx, opt.running())
	defer run.Close()
	began := time.Now()
	bs, err := prepare(ctx, base, opt, run, nil, true)
	if errors.Is(err, ErrTime) {
		return notLookedAt(base, opt), notLookedAt(head, opt), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("base: %w", err)
	}
	onBase := time.Since(began)
	hs, err := prepare(ctx, head, opt, run, bs, true)
	if errors.Is(err, ErrTime) && time.Since(began) < 3*onBase { // head took no more than twice as long
		return notLookedAt(base, opt), notLookedAt(head, opt), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("head: %w", err)
	}
	return compared(ctx, bs, hs)
}

// compared renders two sides, and makes revisions of them.
func compared(ctx context.Context, bs, hs *side) (b, h *object.Revision, err error) {
	if err := completeBoth(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	if err := withTestValues(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	if err := hs.carry(ctx, bs); err != nil {
		return nil, nil, err
	}
	if err := bs.carry(ctx, hs); err != nil {
		return nil, nil, err
	}
	dropUnset(bs, hs)
	bs.dropCovered(nil)
	hs.dropCovered(bs)
	hs.dropLeft(bs)
	if err := errors.Join(bs.renderAlone(ctx, hs), hs.renderAlone(ctx, bs)); err != nil {
		return nil, nil, err
	}
	if err := withSwitches(ctx, bs, hs); err != nil {
		return nil, nil, err
	}
	ofBase, ofHead := bs.learn(), hs.learn()
	bs.narrowed()
	hs.narrowed()
	settleNames(bs, hs)
	keepMoved(bs, hs)
	followMoves(bs, hs)
	bs.dropRepeated(hs)
	ofBase.fill(ofHead) // a definition that comes or goes changes no other object's name
	ofHead.fill(ofBase)
	b = bs.finish(ofBase, nil)
	h = hs.finish(ofHead, b)
	knowSecrets(b, h)
	cutBoth(b, h, slower(bs, hs))
	explainChanges(b, h)
	return b, h, nil
}

// notLookedAt is a revision of a repository that there was no time to look through, whatever the
// change does: one release, which was cut.
func notLookedAt(t tree.Tree, opt Options) *object.Revision {
	r := release.Release{Release: object.Release{ID: ".", Kind: object.Manifests, Path: ".",
		Selected: "the repository as a whole"}}
	f := &object.Failure{
		Cut: true, Reason: ErrTime.Error(), Where: object.FileStart("."),
		Remedy: "name the PATHs that the change is about, or raise --time-budget",
	}
	return &object.Revision{Name: t.Name(), Commit: t.Commit(), Tree: t, Narrowed: len(opt.Paths) > 0,
		Renderer: &renderer{tree: t, opt: opt}, Releases: []*object.Rendered{
			{Release: r.Release, Err: f, Changed: true, Why: "not looked at",
				Origin: &made{Release: r, recipe: release.Unread(r), partly: true}},
		}}
}

// times are what the releases of a side took to render, those that were dropped later too.
type times struct {
	mu  sync.Mutex
	of  map[string]time.Duration // by ID
	had map[string]bool          // IDs of what could be rendered, whether or not there was time for it
}

// have notes that a release could be rendered.
func (t *times) have(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.had == nil {
		t.had = map[string]bool{}
	}
	t.had[id] = true
}

func (t *times) add(id string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]time.Duration{}
	}
	t.of[id] += d
}

// slower reports whether head takes more than twice as long as base to render, and a good part of all the time by it.
// Of what both have only that counts which there was time for on both: where the time ended before base's, nothing is
// known of head's.
func slower(base, head *side) bool {
	var onBase, onHead, all time.Duration
	for _, took := range base.spent.of {
		all += took
	}
	for id, took := range head.spent.of {
		all += took
		was, ran := base.spent.of[id]
		if !ran && base.spent.had[id] {
			continue
		}
		onBase, onHead = onBase+was, onHead+took
	}
	return onHead > 2*onBase && 4*(onHead-onBase) > all
}

// cutBoth takes a release that there was no time for on one side away on both: half of it
// says nothing. slow says that head took the time.
func cutBoth(base, head *object.Revision, slow bool) {
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
		if h.Err != nil && h.Err.Cut {
			f := *h.Err
			f.Slow = slow
			h.Err = &f
		}
	}
}

// unlisted adds what the other side has and this one not, where this one had no time to list all: it is not known to be
// gone, or new. What is made of a file that is not on this side is.
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
		j := release.Unread(madeOf(r).Release)
		here.Releases = append(here.Releases, &object.Rendered{Release: r.Release, Err: j.Cut(),
			Origin: &made{Release: j.Release, recipe: j, partly: true}})
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
		for _, f := range slices.Sorted(maps.Keys(madeOf(b).lostFiles)) {
			if !madeOf(r).lostFiles[f] {
				r.Notes = append(r.Notes, f+" fails on base: its objects have no baseline")
			}
		}
	}
	for _, r := range old {
		r.Changed, r.Why = true, "gone on head"
	}
}

// compareJobs reports whether two sides of a release may differ, and why.
func compareJobs(b, h *object.Rendered) (bool, string) {
	was, is := madeOf(b), madeOf(h)
	if was.recipe == nil || is.recipe == nil {
		return true, "not read on one side"
	}
	if was.partly && b.Err.Cut || is.partly && h.Err.Cut {
		return false, "not read in time on one side"
	}
	var changed []string
	for _, p := range is.recipe.Own() {
		if old, ok := was.recipe.Files[p]; !ok || string(old) != string(is.recipe.Files[p]) {
			changed = append(changed, p)
		}
	}
	for _, p := range was.recipe.Own() {
		if _, ok := is.recipe.Files[p]; !ok {
			changed = append(changed, p)
		}
	}
	sort.Strings(changed)
	switch {
	case len(changed) == 0 && !slices.Equal(was.recipe.FetchedNames(), is.recipe.FetchedNames()):
		return true, "what it fetches changed"
	case len(changed) == 1:
		return true, changed[0] + " changed"
	case len(changed) > 1:
		return true, fmt.Sprintf("%s and %s changed", changed[0], english.Plural(len(changed)-1, "other file", ""))
	case (b.Err == nil) != (h.Err == nil):
		return true, "it renders on one side alone"
	case was.recipe.Digest() != is.recipe.Digest():
		return true, "its settings changed"
	case !b.Delivery.Alike(h.Delivery):
		return true, "what " + cmp.Or(string(h.Delivery.Tool), "helm") + " does after it applied it changed"
	case h.Err != nil:
		return false, "it renders on neither side, and none of its files changed"
	}
	return false, fmt.Sprintf("none of its %s changed", english.Plural(len(is.recipe.Own()), "file", ""))
}
