package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// engine is one search.
type engine struct {
	sys        *compiled
	opt        Options
	ctx        context.Context
	begin      time.Time
	ticked     time.Time
	workers    []*worker
	store      *store
	layers     layers
	levelLo    [shards]uint32    // sizes of the shards when the current level began
	levelFirst uint64            // states before the current level
	closed     int               // last level of which everything was found, or -1
	starts     map[uint32][]byte // concrete initial states
	batch      [batches]batch
	used       []batch         // the batches of the block at hand
	firsts     [batches]uint32 // number of the first successor of each batch in the block
	places     []uint32        // the new state that each successor of the block became, or none
	unordered  int             // successors of the block whose new states are not in order yet
	order      []uint32        // states of the bucket being filled, see bucket
	edges      *edges          // or nil: not kept
	targets    []uint32        // where each successor of the block leads, with edges

	keepOrder bool        // of all buckets
	stopped   atomic.Bool // time is up or the context is cancelled
	spent     bool        // the states being expanded have no event left
	full      atomic.Bool // a state was left out for want of a place

	found  [][]*finding // best violations of each rule so far, see offer
	bad    [shards][][]hit
	front  *frontier // the states' bytes once keys are fingerprints
	part   *engine   // what the last question about certainty explored, see [engine.from]
	result Result
}

// run is [Run].
func run(ctx context.Context, sys System, opt Options) (*Result, error) {
	c, err := compile(sys, &opt)
	if err != nil {
		return nil, err
	}
	for begin := time.Now(); ; {
		e := newEngine(ctx, c, opt)
		e.begin = begin
		if err = e.explore(); err == nil {
			err = e.report()
		}
		var wide tooWide
		switch {
		case err == nil:
			return &e.result, nil
		case !errors.As(err, &wide):
			return nil, err
		}
		c.packing = c.packing.widened(wide.word)
	}
}

func newEngine(ctx context.Context, sys *compiled, opt Options) *engine {
	e := &engine{sys: sys, opt: opt, ctx: ctx, begin: time.Now(), store: newStore(sys.packing.size(sys.Width)),
		starts: map[uint32][]byte{}, closed: -1}
	e.ticked = e.begin
	e.opt.sizes = opt.sizes.orDefault()
	e.found = make([][]*finding, len(sys.Rules))
	// Whether a violation is inevitable depends on no other rule: see violations.
	ends := len(sys.lasso) > 0 || len(sys.Rules) > 0 && sys.Spent != nil
	if (ends || opt.Settled) && len(sys.Actors) < maxEdgeActors && !opt.sizes.noEdges {
		e.edges = &edges{}
	}
	for range opt.Workers {
		w := newWorker(sys)
		w.eng = e
		w.emit.out, w.ranges = w.bin, sys.Measure.ranges()
		e.workers = append(e.workers, w)
	}
	for i := range e.batch {
		e.batch[i].hits = make([][]hit, len(sys.Rules))
	}
	for i := range e.bad {
		e.bad[i] = make([][]hit, len(sys.Rules))
	}
	return e
}

// explore finds the reachable states, level by level of events.
func (e *engine) explore() error {
	if err := e.seed(); err != nil {
		return err
	}
	for level := 0; level == 0 || e.result.Bound == 0; level++ {
		if level > 0 {
			e.levelLo, e.levelFirst = e.store.sizes(), e.store.states
		}
		if err := e.level(level); err != nil {
			return err
		}
		e.forget(e.layers.level(level - 1))
		found := len(e.layers.level(level)) > 0
		if found {
			if err := e.levelDone(level); err != nil {
				return err
			}
		}
		if e.result.Bound == 0 && (level == e.opt.MaxEvents || !found) {
			e.result.Bound = Complete
		}
	}
	return nil
}

// seed puts the initial states into the first bucket.
func (e *engine) seed() error {
	w := e.workers[0]
	err := w.guard(func() {
		for i, s := range e.sys.Initial {
			copy(w.emit.buf, s)
			c := w.canon()
			key := w.packed(c)
			h := hash(key)
			sh := int(h >> (64 - shardBits))
			if e.opt.MaxStates > 0 && e.store.states >= e.opt.MaxStates && e.store.find(key) == none {
				e.result.Bound = StateBound
				continue
			}
			if local, added := e.store.shards[sh].insert(h, key, none); added {
				e.store.states++
				e.starts[makeID(sh, local)] = bytes.Clone(s)
				e.order = append(e.order, makeID(sh, local))
				e.judgeState(w, c, hit{id: makeID(sh, local), at: uint32(i)})
			}
		}
	})
	if err != nil {
		return err
	}
	e.closeBucket(0, 0, [shards]uint32{})
	e.collectStates(0, 0)
	e.stopEarly()
	return nil
}

// closeBucket makes a bucket of the states found since before, and reports whether there is any.
func (e *engine) closeBucket(level, depth int, before [shards]uint32) bool {
	e.putInOrder()
	added := e.layers.add(level, depth, before, e.store.sizes(), e.order)
	e.order = nil
	return added
}

// level finds the states that need so many events. Their predecessors are states of
// the level itself, through the loops, and of the level below, through an event.
func (e *engine) level(level int) error {
	below := e.layers.level(level - 1)
	var cur *bucket
	if level == 0 {
		cur = &e.layers.buckets[0]
	}
	for e.result.Bound == 0 && (cur != nil || len(below) > 0) {
		var depth int
		if cur != nil {
			depth = cur.depth + 1
		} else {
			depth = below[0].depth + 1
		}
		before := e.store.sizes()
		if cur != nil {
			if err := e.produce(cur, false, before); err != nil {
				return err
			}
			if level == e.opt.MaxEvents && len(e.sys.lasso) == 0 && !e.opt.Settled {
				e.forget(e.layers.buckets[len(e.layers.buckets)-1:])
			}
		}
		if len(below) > 0 && below[0].depth+1 == depth {
			if err := e.produce(&below[0], true, before); err != nil {
				return err
			}
			below = below[1:]
		}
		cur = nil
		if e.closeBucket(level, depth, before) {
			cur = &e.layers.buckets[len(e.layers.buckets)-1]
		}
		if e.front != nil {
			e.front.advance(before)
		}
		e.stopEarly()
	}
	return nil
}

// forget drops the order of buckets of one level that no one needs any more. The levels whose good ends are looked for
// at the end keep it; see [engine.ends].
func (e *engine) forget(buckets []bucket) {
	if e.keepOrder || e.sys.Spent != nil && len(e.sys.Rules) > 0 {
		return
	}
	e.layers.forget(buckets)
}

// produce expands a bucket, block by block; before is where the states it leads to
// begin.
func (e *engine) produce(b *bucket, events bool, before [shards]uint32) error {
	level, size := b.events, int(e.opt.sizes.block)
	if events {
		level++
	}
	e.spent = b.events == e.opt.MaxEvents
	for rest := b.order; len(rest) > 0 && e.result.Bound == 0; {
		block := rest[:min(size, len(rest))]
		rest = rest[len(block):]
		if err := e.expandBlock(block, events); err != nil {
			return err
		}
		if e.stopped.Load() {
			e.result.Bound = e.whyStopped()
			return nil
		}
		if err := e.insertBlock(); err != nil {
			return err
		}
		if e.edges != nil && !events {
			e.edges.add(len(block), e.used, e.targets)
		}
		e.collect(b, level, b.depth+1)
		e.checkMemory(b, before)
		e.tick(b, len(rest))
	}
	return nil
}

// expandBlock cuts a block into batches and expands them.
func (e *engine) expandBlock(block []uint32, events bool) error {
	size := max((len(block)+batches-1)/batches, int(e.opt.sizes.batch))
	e.used = e.batch[:(len(block)+size-1)/size]
	e.parallel(len(e.used)+1, len(block) < int(e.opt.sizes.solo), func(w *worker, i int) {
		if i == len(e.used) {
			e.putInOrder()
			return
		}
		e.used[i].reset()
		w.expand(&e.used[i], block[i*size:min((i+1)*size, len(block))], events)
	})
	for i := range e.used {
		if err := e.batch[i].err; err != nil {
			return err
		}
	}
	return nil
}

// insertBlock puts the successors of a block into the visited set, shard by shard.
func (e *engine) insertBlock() error {
	records := 0
	for i := range e.used {
		e.firsts[i] = uint32(records)
		records += int(e.batch[i].transitions)
	}
	limit := e.opt.MaxStates
	if limit > 0 && e.store.states+uint64(records) <= limit {
		limit = 0 // cannot be reached in this block
	}
	if e.edges != nil {
		e.targets = slices.Grow(e.targets[:0], records)[:records]
	}
	var errs [shards]error
	e.parallel(shards, limit > 0 || records < int(e.opt.sizes.solo), func(w *worker, s int) {
		errs[s] = w.guard(func() { e.insertShard(w, s, limit) })
	})
	e.store.states = 0
	for s := range errs {
		if errs[s] != nil {
			return errs[s]
		}
		e.store.states += uint64(e.store.shards[s].n)
	}
	e.unordered = records
	if e.full.Load() {
		e.result.Bound = StateBound
	}
	return nil
}

// putInOrder adds the new states of the block inserted last to the bucket being filled,
// in the order of the successors that they were first seen as. It is put off until the
// next block is expanded, beside that.
func (e *engine) putInOrder() {
	e.places = slices.Grow(e.places[:0], e.unordered)[:e.unordered]
	e.unordered = 0
	for i := range e.places {
		e.places[i] = none
	}
	for s := range e.store.shards {
		sh := &e.store.shards[s]
		for _, f := range sh.fresh {
			e.places[f.number] = f.id
		}
		sh.fresh = sh.fresh[:0]
	}
	for _, id := range e.places {
		if id != none {
			e.order = append(e.order, id)
		}
	}
}

func (e *engine) insertShard(w *worker, s int, limit uint64) {
	sh := &e.store.shards[s]
	stride := headBytes + e.sys.packing.size(e.sys.Width)
	var print [fingerprintBytes]byte
	for i := range e.used {
		for bin := e.used[i].bins[s]; len(bin) > 0; bin = bin[stride:] {
			h, number := uint64(binary.LittleEndian.Uint32(bin)), binary.LittleEndian.Uint32(bin[4:])
			state := bin[headBytes:stride]
			key := state
			if e.front != nil {
				binary.LittleEndian.PutUint64(print[:], hash(state))
				key = print[:]
			}
			at, known := sh.lookup(h, key)
			id := makeID(s, at)
			switch {
			case known:
			case sh.n == maxLocal || limit > 0 && e.store.states >= limit:
				e.full.Store(true)
				id, known = none, true
			default:
				id = makeID(s, sh.place(int(at), h, key, e.used[i].source(number)))
			}
			if e.edges != nil {
				e.targets[e.firsts[i]+number] = id
			}
			if known {
				continue
			}
			if limit > 0 {
				e.store.states++ // alone: see insertBlock
			}
			if e.front != nil {
				e.front.next[s] = append(e.front.next[s], state...)
			}
			number += e.firsts[i]
			sh.fresh = append(sh.fresh, newcomer{number, id})
			if len(e.sys.bad) > 0 {
				e.judgeState(w, w.unpacked(state), hit{id: id, at: number})
			}
		}
	}
}
