package render

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/helm"
)

// What a change cannot reach is not rendered: where a release's recipe, which is all that its
// output is a function of, is the same on both sides, so is the output. It is rendered all
// the same where its objects may concern other releases: they may declare some, or be what
// one refers to. Nothing is fetched before that is known.

// completeBoth renders of two sides what the change can reach, and what the rendered objects
// declare in turn. What is equal on both sides is rendered once, if at all.
func completeBoth(ctx context.Context, base, head *side) error {
	r := &reach{base: base, head: head, marks: base.opt.Concerns, asked: map[string]bool{}}
	base.found.Wake, head.found.Wake = r.wake, r.wake
	base.found.Await, head.found.Await = r.await, r.await
	r.hold()
	r.whole = base.opt.Whole || configFilesDiffer(base, head)
	if refersToObjects(base.src) || refersToObjects(head.src) {
		r.referred = true
	}
	for depth := 0; ; {
		nb, nh := len(base.releases), len(head.releases)
		base.src.Dry, head.src.Dry = false, false
		if err := r.render(ctx); err != nil {
			return err
		}
		base.src.Dry, head.src.Dry = true, true
		more := false
		for _, s := range []*side{base, head} {
			grew, err := s.declareMore(ctx, r.from(s), depth)
			if err != nil {
				return err
			}
			more = more || grew
		}
		if more {
			depth++
		}
		more = more || len(base.awake)+len(head.awake) > 0 || r.free()
		if !more {
			acted, err := r.renderActed(ctx)
			if err != nil {
				return err
			}
			if !acted {
				break
			}
		}
		r.fromBase, r.fromHead = nb, nh
	}
	base.src.Dry, head.src.Dry = false, false
	base.watchSources()
	head.watchSources()
	return nil
}

// reach is a rendering of two sides, as far as it came.
type reach struct {
	base, head         *side
	fromBase, fromHead int      // releases that are yet to be rendered
	marks              []string // of objects that concern other releases
	lost               bool     // a release is gone on head
	referred           bool     // ConfigMaps and Secrets are such, too
	whole              bool     // all that either side has is rendered
	texts              changedTexts
	sleepers           []*sleeper
	asked              map[string]bool // what sleepers were woken for, by kind and name
	waits              map[string]bool // releases that something else is likely to cover, by ID
	freed              []string        // of them those that are rendered next
	missed             map[string]bool // what none of them holds, by kind and name
}

func (r *reach) from(s *side) int {
	if s == r.base {
		return r.fromBase
	}
	return r.fromHead
}

// sidePlace is a release of a side.
type sidePlace struct {
	side *side
	at   int
}

// render renders the releases that came last.
func (r *reach) render(ctx context.Context) error {
	for _, b := range r.base.releases {
		if _, ok := r.head.byID[b.ID]; !ok {
			r.lost = true
		}
	}
	r.compare()
	freshBase, freshHead := r.fresh(r.base, r.fromBase), r.fresh(r.head, r.fromHead)
	var run []sidePlace
	var pairs [][2]sidePlace // what is rendered once, and who shares it
	for _, i := range slices.Sorted(maps.Keys(freshHead)) {
		h := sidePlace{r.head, i}
		k, ok := r.base.byID[r.head.releases[i].ID]
		b := sidePlace{r.base, k}
		switch {
		case r.head.idle(i) && (!ok || r.base.idle(k)):
			r.head.outputs[i].Untouched = true
			if ok {
				r.base.outputs[k].Untouched = true
			}
		case !ok:
			run = append(run, h)
		case !alike(b, h):
			if freshBase[k] {
				run = append(run, b) // first, so that head's is held against it where the time ends
			}
			run = append(run, h)
		case !freshBase[k]:
			pairs = append(pairs, [2]sidePlace{b, h})
		case !r.whole && !r.beside(k) && r.quiet(r.base, k):
			r.base.outputs[k].Untouched, r.head.outputs[i].Untouched = true, true
		case !r.whole && !r.beside(k) && r.sleeps(k, i):
			r.base.outputs[k].Untouched, r.head.outputs[i].Untouched = true, true
		default:
			run = append(run, b)
			pairs = append(pairs, [2]sidePlace{b, h})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(freshBase)) {
		b := sidePlace{r.base, k}
		switch i, ok := r.head.byID[r.base.releases[k].ID]; {
		case r.base.idle(k) && (!ok || r.head.idle(i)):
			r.base.outputs[k].Untouched = true
		case !ok, !freshHead[i] && !alike(b, sidePlace{r.head, i}):
			run = append(run, b)
		case !freshHead[i]:
			pairs = append(pairs, [2]sidePlace{{r.head, i}, b})
		}
	}
	err := parallel(ctx, r.base.opt.Workers, len(run), func(i int) {
		run[i].side.fetchLater(run[i].at)
		run[i].side.run(run[i].at)
	})
	if err != nil {
		return err
	}
	err = parallel(ctx, r.base.opt.Workers, len(pairs), func(i int) {
		r.share(pairs[i][0], pairs[i][1])
	})
	for _, id := range r.freed {
		for _, s := range []*side{r.base, r.head} {
			if i, ok := s.byID[id]; ok && !s.outputs[i].Untouched {
				s.awaken(i)
			}
		}
	}
	r.freed = nil
	return err
}

// share gives a release the output of the other side's.
func (r *reach) share(from, to sidePlace) {
	to.side.fetchLater(to.at) // for where its fields were set
	to.side.outputs[to.at] = from.side.outputs[from.at]
	to.side.outputs[to.at].Shared = true
}

// compare learns what the releases that came last and differ say to others, and wakes those
// that this concerns.
func (r *reach) compare() {
	for _, of := range []struct {
		side, other *side
		from        int
	}{{r.base, r.head, r.fromBase}, {r.head, r.base, r.fromHead}} {
		for i := of.from; i < len(of.side.releases); i++ {
			k, ok := of.other.byID[of.side.releases[i].ID]
			switch {
			case !ok:
				r.texts.learn(of.side.recipes[i], nil)
			case !alike(sidePlace{of.side, i}, sidePlace{of.other, k}):
				r.texts.learn(of.side.recipes[i], of.other.recipes[k])
			}
		}
	}
	for _, s := range r.sleepers {
		if r.wanted(r.base.recipes[s.onBase]) {
			r.rouse(s)
		}
	}
}

// renderAlone renders what the other side has not any more: a release that another one
// covers there; and what its objects declare in turn.
func (s *side) renderAlone(ctx context.Context, other *side) error {
	there := map[string]bool{}
	for _, r := range other.releases {
		there[r.ID] = true
	}
	s.awake = nil
	for i, r := range s.releases {
		if s.outputs[i].Untouched && !there[r.ID] && !s.idle(i) {
			s.awake = append(s.awake, i)
		}
	}
	err := parallel(ctx, s.opt.Workers, len(s.awake), func(k int) {
		i := s.awake[k]
		s.fetchLater(i)
		s.watchSource(i)
		s.run(i)
	})
	if err != nil || len(s.awake) == 0 {
		return err
	}
	return s.completeFrom(ctx, len(s.releases))
}

// alike reports whether two sides of a release depend on the same.
func alike(a, b sidePlace) bool {
	return a.side.releases[a.at].Delivery.Alike(b.side.releases[b.at].Delivery) &&
		a.side.failed[a.at] == nil && b.side.failed[b.at] == nil &&
		a.side.recipes[a.at].Digest() == b.side.recipes[b.at].Digest()
}

// fetchLater gathers a release once more where something of it was not fetched.
func (s *side) fetchLater(i int) {
	if s.failed[i] != nil || !s.recipes[i].Later {
		return
	}
	s.recipes[i], s.failed[i] = gather(s.src, s.releases[i])
	s.withDeclaration(i)
}

// withDeclaration makes the object that declares a release one of its files.
func (s *side) withDeclaration(i int) {
	if says := s.releases[i].Says; says != nil {
		for p, b := range says {
			s.recipes[i].Beside(p, b)
		}
		return
	}
	if by := s.releases[i].By.File; by != "" {
		if b, err := s.src.Read(by); err == nil {
			s.recipes[i].Beside(by, b)
		}
	}
}

// beside reports whether a release of base is rendered for what it puts beside others.
func (r *reach) beside(k int) bool {
	return r.base.opt.Beside != nil && r.base.opt.Beside(r.base.releases[k])
}

// quiet reports whether the objects of a release concern no other one, by what stands in
// everything that it is made of.
func (r *reach) quiet(s *side, i int) bool {
	j := s.recipes[i]
	settings, err := json.Marshal(&j.Release)
	if err != nil {
		return false
	}
	if ref := j.Release.Fetch; ref != nil {
		settings = append(settings, ref.Repository+" "+ref.Name...)
	}
	if r.concerns(settings, j.Release.Kind) {
		return false
	}
	for _, p := range j.Reads() {
		if !j.Declares[p] && r.concerns(helm.PlainText(p, j.Files[p]), j.Release.Kind) {
			return false
		}
	}
	return true
}
