package reach

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/side"
)

// What a change cannot reach is not rendered: where a release's recipe, which is all that its
// output is a function of, is the same on both sides, so is the output. It is rendered all
// the same where its objects may concern other releases: they may declare some, or be what
// one refers to. Nothing is fetched before that is known.

// Complete renders the releases of two sides that the change can reach, and the releases that the rendered objects
// declare in turn. A release that is equal on both sides is rendered once, if at all.
func Complete(ctx context.Context, base, head *side.Side) error {
	r := &reach{base: base, head: head, marks: base.Opt.Concerns, asked: map[string]bool{}, single: map[string]bool{}}
	base.Found.Wake, head.Found.Wake = r.wake, r.wake
	base.Found.Await, head.Found.Await = r.await, r.await
	r.hold()
	r.whole = base.Opt.Whole || configFilesDiffer(base, head)
	if refersToObjects(base.Src) || refersToObjects(head.Src) {
		r.referred = true
	}
	for depth := 0; ; {
		nb, nh := len(base.Releases), len(head.Releases)
		base.Src.Dry, head.Src.Dry = false, false
		if err := r.render(ctx); err != nil {
			return err
		}
		base.Src.Dry, head.Src.Dry = true, true
		more := false
		for _, s := range []*side.Side{base, head} {
			grew, err := s.DeclareMore(ctx, r.from(s), depth)
			if err != nil {
				return err
			}
			more = more || grew
		}
		if more {
			depth++
		}
		more = more || len(base.Awake)+len(head.Awake) > 0 || r.letGo() || r.free()
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
	base.Src.Dry, head.Src.Dry = false, false
	base.WatchSources()
	head.WatchSources()
	return nil
}

// reach is a rendering of two sides, as far as it came.
type reach struct {
	base, head         *side.Side
	fromBase, fromHead int      // releases that are yet to be rendered
	marks              []string // of objects that concern other releases
	lost               bool     // a release is gone on head
	referred           bool     // ConfigMaps and Secrets are such, too
	whole              bool     // all that either side has is rendered
	texts              changedTexts
	sleepers           []*sleeper
	asked              map[string]bool // what sleepers were woken for, by kind and name
	waits              map[string]bool // releases that another one is likely to cover, by ID
	single             map[string]bool // releases that one side declares so far, by ID
	freed              []string        // of both those that are rendered next
	missed             map[string]bool // objects that no sleeper holds, by kind and name
}

func (r *reach) from(s *side.Side) int {
	if s == r.base {
		return r.fromBase
	}
	return r.fromHead
}

// render renders the releases that came last.
func (r *reach) render(ctx context.Context) error {
	r.meet()
	r.lose()
	r.compare()
	freshBase, freshHead := r.fresh(r.base, r.fromBase), r.fresh(r.head, r.fromHead)
	var changed, added, run []side.Place // in the order in which they are rendered: those that can gate come first
	var pairs [][2]side.Place            // places rendered once, with those that share the output
	for _, i := range slices.Sorted(maps.Keys(freshHead)) {
		h := r.head.Place(i)
		k, ok := r.base.ByID[r.head.Releases[i].ID]
		b := r.base.Place(k)
		switch {
		case r.head.Idle(i) && (!ok || r.base.Idle(k)):
			r.head.Outputs[i].Untouched = true
			if ok {
				r.base.Outputs[k].Untouched = true
			}
		case !ok:
			added = append(added, h)
		case !side.Alike(b, h):
			if freshBase[k] {
				changed = append(changed, b) // first, so that head's is held against it where the time ends
			}
			changed = append(changed, h)
		case !freshBase[k]:
			pairs = append(pairs, [2]side.Place{b, h})
		case !r.whole && !r.beside(k) && r.quiet(r.base, k):
			r.base.Outputs[k].Untouched, r.head.Outputs[i].Untouched = true, true
		case !r.whole && !r.beside(k) && r.sleeps(k, i):
			r.base.Outputs[k].Untouched, r.head.Outputs[i].Untouched = true, true
		default:
			run = append(run, b)
			pairs = append(pairs, [2]side.Place{b, h})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(freshBase)) {
		b := r.base.Place(k)
		switch i, ok := r.head.ByID[r.base.Releases[k].ID]; {
		case r.base.Idle(k) && (!ok || r.head.Idle(i)):
			r.base.Outputs[k].Untouched = true
		case !ok, !freshHead[i] && !side.Alike(b, r.head.Place(i)):
			changed = append(changed, b)
		case !freshHead[i]:
			pairs = append(pairs, [2]side.Place{r.head.Place(i), b})
		}
	}
	if err := r.runAll(ctx, slices.Concat(changed, added, run)); err != nil {
		return err
	}
	err := side.Parallel(ctx, r.base.Opt.Workers, len(pairs), func(i int) {
		r.share(pairs[i][0], pairs[i][1])
	})
	for _, id := range r.freed {
		for _, s := range []*side.Side{r.base, r.head} {
			if i, ok := s.ByID[id]; ok && i < r.from(s) && !s.Outputs[i].Untouched {
				s.Awaken(i)
			}
		}
	}
	r.freed = nil
	return err
}

// batch is how many releases are rendered between two counts of their objects: a number that no machine changes.
const batch = 32

// runAll renders releases, in order, up to the budget of objects of their sides. Where base has used up its own, head's
// are not rendered either: there is nothing to hold them against.
func (r *reach) runAll(ctx context.Context, list []side.Place) error {
	for some := range slices.Chunk(list, batch) {
		onBase := r.base.Full()
		full := map[*side.Side]bool{r.base: onBase, r.head: onBase || r.head.Full()}
		err := side.Parallel(ctx, r.base.Opt.Workers, len(some), func(i int) {
			if full[some[i].Side] {
				some[i].Side.LeaveOut(some[i].At)
				return
			}
			some[i].Side.FetchLater(some[i].At)
			some[i].Side.Run(some[i].At)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// share gives a release the output of the other side's.
func (r *reach) share(from, to side.Place) {
	to.Side.FetchLater(to.At) // for where its fields were set
	to.Side.Outputs[to.At] = from.Side.Outputs[from.At]
	to.Side.Outputs[to.At].Shared = true
}

// compare learns what the releases that came last and differ say to others, and wakes those
// that this concerns.
func (r *reach) compare() {
	for _, of := range []struct {
		side, other *side.Side
		from        int
	}{{r.base, r.head, r.fromBase}, {r.head, r.base, r.fromHead}} {
		for i := of.from; i < len(of.side.Releases); i++ {
			k, ok := of.other.ByID[of.side.Releases[i].ID]
			switch {
			case !ok:
				r.texts.learn(of.side.Recipes[i], nil)
			case !side.Same(of.side.Place(i), of.other.Place(k)):
				r.texts.learn(of.side.Recipes[i], of.other.Recipes[k])
			}
		}
	}
	for _, s := range r.sleepers {
		if r.wanted(r.base.Recipes[s.onBase]) {
			r.rouse(s)
		}
	}
}

// RenderAlone renders a release that the other side no longer has because another one covers it there, and the releases
// that its objects declare in turn.
func RenderAlone(s *side.Side, ctx context.Context, other *side.Side) error {
	there := map[string]bool{}
	for _, r := range other.Releases {
		there[r.ID] = true
	}
	s.Awake = nil
	for i, r := range s.Releases {
		if s.Outputs[i].Untouched && !there[r.ID] && !s.Idle(i) {
			s.Awake = append(s.Awake, i)
		}
	}
	err := side.Parallel(ctx, s.Opt.Workers, len(s.Awake), func(k int) {
		i := s.Awake[k]
		s.FetchLater(i)
		s.WatchSource(i)
		s.Run(i)
	})
	if err != nil || len(s.Awake) == 0 {
		return err
	}
	return s.CompleteFrom(ctx, len(s.Releases))
}

// beside reports whether a release of base is rendered for what it puts beside others.
func (r *reach) beside(k int) bool {
	return r.base.Opt.Beside != nil && r.base.Opt.Beside(r.base.Releases[k])
}

// quiet reports whether the objects of a release concern no other one, by the texts of everything that it is made of.
func (r *reach) quiet(s *side.Side, i int) bool {
	j := s.Recipes[i]
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
