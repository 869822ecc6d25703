package search

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// headBytes precede a state in a bin: 4 of its hash, and 4 of its number among the successors of the batch. Short
// records are quick to pass from one worker to another.
const headBytes = 8

// worker steps actors. It has separate scratch memory and shares no memory that another worker writes.
type worker struct {
	sys  *compiled
	emit Emit
	from []byte // the state being expanded, a copy
	id   uint32
	rule int    // whose predicate is running, or -1
	key  []byte // a state as it is kept, see packed
	view []byte // one as it is, see unpacked

	// while a block is expanded
	eng   *engine
	batch *batch
	near  []byte // the states of the batch, copies
	moved int    // successors of from so far
	calm  bool   // no prompt actor is enabled in from
	held  bool   // successors go to hold first, see reduce.go
	hold  []byte
	fresh bool // one of them is not in the visited set

	auditor *auditor
	ranges  []Range // see [Measure]

	_ [128]byte // see shard
}

func newWorker(sys *compiled) *worker {
	w := &worker{sys: sys, from: apart(sys.Width), rule: -1}
	w.emit = Emit{buf: apart(sys.Width), actor: -1}
	if p := sys.packing; p != nil {
		w.key, w.view = apart(p.packed+slack), apart(sys.Width)
	}
	if sys.Local != nil {
		w.emit.Local = sys.Local()
	}
	return w
}

// apart makes n bytes that share no cache line with anything else: small allocations
// stand side by side, and workers write theirs all the time.
func apart(n int) []byte { return make([]byte, n+256)[128 : 128+n : 128+n] }

// step runs the actors of a list on the current state.
func (w *worker) step(actors []int) {
	for _, a := range actors {
		w.emit.actor, w.emit.fresh, w.emit.full = a, false, false
		w.sys.Actors[a].Step(w.from, &w.emit)
	}
	w.emit.actor, w.emit.full = -1, false
}

// canon gives the last emitted successor its canonical form, in place.
func (w *worker) canon() []byte {
	if w.sys.Canon != nil {
		w.sys.Canon(w.emit.buf)
	}
	return w.emit.buf
}

// guard calls f and turns a panic of an actor, a rule or the canonical form into an
// error that names it.
func (w *worker) guard(f func()) (err error) {
	defer func() {
		r := recover()
		f, audited := r.(failure)
		switch {
		case r == nil:
		case audited:
			err = f.err
		case w.rule >= 0:
			err = fmt.Errorf("%w: rule %s panics: %v", ErrSystem, w.sys.Rules[w.rule].Name, r)
		case w.emit.actor >= 0:
			err = actorError(&w.sys.System, w.emit.actor, r)
		default:
			err = fmt.Errorf("%w: Canon panics: %v", ErrSystem, r)
		}
		w.rule, w.emit.actor = -1, -1
	}()
	f()
	return nil
}

// batch is one piece of a block: what its expansion gave, shard by shard.
type batch struct {
	bins        [shards][]byte
	transitions uint64
	quiescent   int
	reduced     uint64
	settled     [][]byte
	hits        [][]hit // of each rule the first, for each set of events
	err         error

	part   []uint32 // states of the batch
	starts []uint32 // of each, the number of its first successor
	actors []uint16 // of each successor, where edges are kept

	_ [128]byte // see shard
}

// hit is the first place where a rule was seen violated.
type hit struct {
	id    uint32 // the state, or the source of the bad step
	at    uint32 // number of a new state among the successors of the block
	env   bool   // the bad step is an event
	spent uint64 // with it, see [System.Spent]
}

// source is the state whose successor has a number.
func (b *batch) source(number uint32) uint32 {
	at, found := slices.BinarySearch(b.starts, number)
	if !found {
		return b.part[at-1]
	}
	for at+1 < len(b.starts) && b.starts[at+1] == number {
		at++ // states without successors begin there too
	}
	return b.part[at]
}

func (b *batch) reset() {
	for i := range b.bins {
		b.bins[i] = b.bins[i][:0]
	}
	b.transitions, b.quiescent, b.reduced, b.settled, b.err = 0, 0, 0, nil, nil
	for r := range b.hits {
		b.hits[r] = b.hits[r][:0]
	}
	b.starts, b.actors = b.starts[:0], b.actors[:0]
}

// expand fills a batch from its part of a bucket.
func (w *worker) expand(b *batch, part []uint32, events bool) {
	w.batch, b.part = b, part
	own := w.from
	b.err = w.guard(func() {
		w.gather(part)
		for i, id := range part {
			if i&63 == 0 && w.eng.late() {
				return
			}
			w.id = id
			w.from = w.near[i*len(own) : (i+1)*len(own)]
			b.starts = append(b.starts, uint32(b.transitions))
			w.state(events)
		}
	})
	w.from = own
}

// gather copies the states of a batch. They lie anywhere: one after the other, the
// processor waits for them all at once.
func (w *worker) gather(part []uint32) {
	n := w.sys.Width
	w.near = slices.Grow(w.near[:0], len(part)*n)[:len(part)*n]
	for i, id := range part {
		w.eng.load(w.near[i*n:(i+1)*n], id)
	}
}

// state expands one state through the loops or through the environment.
func (w *worker) state(events bool) {
	if w.eng.opt.Checked {
		w.audit(events)
	}
	if events {
		w.step(w.sys.environment)
		return
	}
	if w.eng.opt.Reduce && w.ample() {
		w.batch.reduced++
		return
	}
	w.loops()
	if w.moved == 0 {
		w.quiescent()
	}
	if w.ranges != nil {
		w.sys.Measure.Of(w.from, w.calm, w.ranges)
	}
}

// loops runs the actors that may move without an event: the patient ones only where no
// prompt one is enabled. The consumer of the successors counts them in moved.
func (w *worker) loops() {
	w.moved = 0
	w.step(w.sys.prompt)
	if w.calm = w.moved == 0; !w.calm {
		return
	}
	if w.sys.Ample != nil {
		for _, set := range w.sys.Ample(w.from) {
			if w.step(set); w.moved > 0 {
				return
			}
		}
	}
	w.step(w.sys.patient)
}

func (w *worker) quiescent() {
	w.batch.quiescent++
	if w.eng.opt.Settled {
		w.batch.settled = append(w.batch.settled, slices.Clone(w.from))
	}
	l := later{sys: w.sys, s: w.from}
	for _, list := range [][]int{w.sys.quiet, w.sys.lasso} {
		for _, r := range list {
			if w.rule = r; !w.eng.told(r, w.batch.hits[r], &l) && w.sys.Rules[r].badEnd(w.from) {
				w.batch.hits[r] = append(w.batch.hits[r], hit{id: w.id, spent: l.get()})
			}
		}
	}
	w.rule = -1
}

// bin is where a successor goes during the search: to the shard that its hash names.
func (w *worker) bin(m Move) {
	w.moved++
	if len(w.sys.badStep) > 0 {
		w.judgeStep(m)
	}
	s := w.packed(w.canon())
	h := hash(s)
	if w.held {
		w.keep(h, s)
		return
	}
	if w.eng.edges != nil {
		w.batch.actors = append(w.batch.actors, uint16(w.emit.actor))
	}
	w.put(h, s)
}

func (w *worker) put(h uint64, s []byte) {
	b := &w.batch.bins[h>>(64-shardBits)]
	n := len(*b)
	rec := slices.Grow(*b, headBytes+len(s))[:n+headBytes+len(s)]
	*b = rec
	binary.LittleEndian.PutUint32(rec[n:], uint32(h))
	binary.LittleEndian.PutUint32(rec[n+4:], uint32(w.batch.transitions))
	copy(rec[n+headBytes:], s)
	w.batch.transitions++
}

func (w *worker) judgeStep(m Move) {
	a := w.emit.actor
	l := later{sys: w.sys, s: w.emit.buf}
	for _, r := range w.sys.badStep {
		if w.eng.told(r, w.batch.hits[r], &l) {
			continue
		}
		if w.rule = r; w.sys.Rules[r].BadStep(w.from, w.emit.buf, a, m) {
			w.batch.hits[r] = append(w.batch.hits[r],
				hit{id: w.id, env: w.sys.Actors[a].Urgency() == Environment, spent: l.get()})
		}
	}
	w.rule = -1
}
