package search

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// finding is a violation before its path is rebuilt.
type finding struct {
	at     uint32 // last state of the stem
	spent  uint64 // on the whole path, see [System.Spent]
	events int    // on the whole path
	steps  int    // of the stem, and the bad step where there is one
	tail   []hop  // after the stem: one bad step, or the loop
	loop   bool
}

// before reports whether f is the better counterexample: fewer events, then a shorter
// stem. A loop is only sought where it is better than a quiescent end.
func (f *finding) before(g *finding) bool {
	return g == nil || f.events < g.events || f.events == g.events && f.steps < g.steps
}

// offer takes in a violation, unless one is known that needs no other events and is as good.
func (e *engine) offer(rule int, f finding) {
	for i, g := range e.found[rule] {
		if g.spent == f.spent {
			if f.before(g) {
				e.found[rule][i] = &f
			}
			return
		}
		if within(g.spent, f.spent) && !f.before(g) {
			return
		}
	}
	e.found[rule] = append(e.found[rule], &f)
}

// known reports whether a violation of a rule is known that needs no other events.
func (e *engine) known(rule int, spent uint64) bool {
	for _, f := range e.found[rule] {
		if within(f.spent, spent) {
			return true
		}
	}
	return false
}

// judgeState tries the invariants on a new state.
func (e *engine) judgeState(w *worker, s []byte, h hit) {
	seen := e.bad[shardOf(h.id)]
	l := later{sys: e.sys, s: s}
	for _, r := range e.sys.bad {
		if w.rule = r; !e.told(r, seen[r], &l) && e.sys.Rules[r].Bad(s) {
			h.spent = l.get()
			seen[r] = append(seen[r], h)
		}
	}
	w.rule = -1
}

// collectStates gathers what judgeState saw in states of (events, steps): of each rule
// the first, for each set of events.
func (e *engine) collectStates(events, steps int) {
	for _, r := range e.sys.bad {
		var list []hit
		for s := range e.bad {
			list = append(list, e.bad[s][r]...)
			e.bad[s][r] = e.bad[s][r][:0]
		}
		slices.SortFunc(list, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
		for _, h := range list {
			e.offer(r, finding{at: h.id, spent: h.spent, events: events, steps: steps})
		}
	}
}

// collect gathers what the expansion of a block of bucket b gave; it led to states of
// (events, steps).
func (e *engine) collect(b *bucket, events, steps int) {
	e.collectStates(events, steps)
	for i := range e.used {
		t := &e.used[i]
		e.result.Transitions += t.transitions
		e.result.Quiescent += t.quiescent
		e.result.Reduced += t.reduced
		e.result.Settled = append(e.result.Settled, t.settled...)
		for r, list := range t.hits {
			for _, h := range list {
				if want := e.sys.Rules[r].BadStep; want != nil {
					tail := hop{env: h.env, actor: -1, want: e.sys.spending(want, h.spent)}
					e.offer(r, finding{at: h.id, spent: h.spent, events: events, steps: steps, tail: []hop{tail}})
				} else {
					e.offer(r, finding{at: h.id, spent: h.spent, events: b.events, steps: b.depth})
				}
			}
		}
	}
}

// stopEarly ends a search for the first violation once no shorter one can come. A
// lasso is known to be the shortest only at the end of a level, see levelDone.
func (e *engine) stopEarly() {
	if !e.opt.StopAtFirst || len(e.sys.lasso) > 0 || e.result.Bound != 0 {
		return
	}
	for _, f := range e.found {
		if len(f) > 0 {
			e.result.Bound = FirstFound
		}
	}
}

// levelDone seeks cycles among the states of a level, whose loop transitions are all
// known now: none leads to a state with more events.
func (e *engine) levelDone(level int) error {
	if e.stopped.Load() {
		return nil
	}
	if e.result.Bound == 0 {
		e.closed = level
	}
	if err := e.cycles(level); err != nil {
		return err
	}
	if e.stopped.Load() {
		e.result.Bound = e.whyStopped()
	}
	if n := len(e.found); e.opt.sizes.screens && e.result.Bound == 0 && len(e.sys.lasso) > 0 && len(e.found[n-1]) > 0 {
		e.result.Bound = FirstFound
	}
	if e.opt.StopAtFirst && e.result.Bound == 0 && len(e.found) > 0 &&
		!slices.ContainsFunc(e.found, func(f []*finding) bool { return len(f) == 0 }) {
		e.result.Bound = FirstFound
	}
	return nil
}

// late reports whether time is up, by the clock or the context.
func (e *engine) late() bool {
	if e.stopped.Load() {
		return true
	}
	if e.ctx.Err() != nil || e.opt.MaxTime > 0 && time.Since(e.begin) > e.opt.MaxTime {
		e.stopped.Store(true)
		return true
	}
	return false
}

func (e *engine) whyStopped() Bound {
	if e.ctx.Err() != nil {
		return Cancelled
	}
	return TimeBound
}

// tick reports progress.
func (e *engine) tick(b *bucket, left int) {
	if e.opt.Progress == nil || time.Since(e.ticked) < 100*time.Millisecond {
		return
	}
	e.ticked = time.Now()
	e.opt.Progress(Progress{
		States: e.store.states, Transitions: e.result.Transitions, Frontier: uint64(left),
		Events: b.events, Depth: b.depth, Elapsed: time.Since(e.begin),
	})
}

// load copies the bytes of a state.
func (e *engine) load(dst []byte, id uint32) {
	if e.front != nil {
		e.sys.packing.to(dst, e.front.state(id, e.sys.packing.size(len(dst))))
		return
	}
	e.sys.packing.to(dst, e.store.key(id))
}

// checkMemory compares the memory in use with the budget; where that allows, keys
// become fingerprints.
func (e *engine) checkMemory(b *bucket, before [shards]uint32) {
	used := e.edges.bytes() + e.store.bytes() + e.layers.bytes() + 4*uint64(cap(e.places)+cap(e.order))
	for i := range e.batch {
		for s := range e.batch[i].bins {
			used += uint64(cap(e.batch[i].bins[s]))
		}
	}
	if e.front != nil {
		used += e.front.bytes()
	}
	if len(e.sys.lasso) > 0 || e.opt.Settled {
		used += analysisBytes * (e.store.states - e.levelFirst)
	}
	if e.opt.MaxBytes > 0 && used > e.opt.MaxBytes && e.edges != nil {
		used -= e.edges.bytes()
		e.edges = nil
	}
	e.result.Bytes = max(e.result.Bytes, used)
	if e.opt.MaxBytes == 0 || used <= e.opt.MaxBytes || e.result.Bound != 0 {
		return
	}
	if e.opt.Compact && e.front == nil && b.events == 0 && e.opt.MaxEvents == 0 &&
		e.sys.packing.size(e.sys.Width) > fingerprintBytes {
		e.compact(b, before)
		return
	}
	e.result.Bound = MemoryBound
}

// report words the findings and puts the result in order.
func (e *engine) report() error {
	r := &e.result
	r.States, r.Closed = e.store.states, e.closed
	for _, b := range e.layers.buckets {
		r.Events, r.Depth = max(r.Events, b.events), max(r.Depth, b.depth)
	}
	if e.front != nil {
		r.Compacted = true
		r.MissProbability = missProbability(r.States)
	}
	slices.SortFunc(r.Settled, bytes.Compare)
	r.Ranges = e.measured()
	for i, list := range e.found {
		if e.opt.sizes.screens && len(list) > 0 {
			r.Violations = append(r.Violations, Violation{Rule: i})
			continue
		}
		slices.SortStableFunc(list, func(f, g *finding) int {
			return cmp.Or(f.events-g.events, f.steps-g.steps, cmp.Compare(f.spent, g.spent))
		})
		vs, err := e.violations(i, list)
		if err != nil {
			return err
		}
		r.Violations = append(r.Violations, vs...)
	}
	if e.stopped.Load() && r.Bound == Complete {
		r.Bound = e.whyStopped() // before all was known of the violations
	}
	return nil
}
