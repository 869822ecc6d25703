package search

import "sort"

// span is a run of states of one shard.
type span struct{ shard, lo, hi uint32 }

// bucket is the states whose shortest path has these numbers of events and steps: at
// most one span of each shard.
type bucket struct {
	events, depth int
	from, to      int // in layers.spans
	// order is how one worker without shards would have found them: by the state they
	// were first reached from, and its successors in the order of the actors. Ties
	// between equally good counterexamples are broken by it, so they do not depend on
	// hashes. It is dropped when no one needs it any more.
	order []uint32
}

// layers is the order in which states were found.
type layers struct {
	spans   []span
	buckets []bucket
	index   [shards][]place // built when asked for
	indexed int             // spans in the index
	ordered int             // states in the orders kept
}

// place is where a run of a shard's states lies.
type place struct {
	lo            uint32
	events, depth int
}

func (l *layers) of(b bucket) []span { return l.spans[b.from:b.to] }

// add makes a bucket of what the shards gained; it reports whether they gained any.
func (l *layers) add(events, depth int, lo, hi [shards]uint32, order []uint32) bool {
	b := bucket{events: events, depth: depth, from: len(l.spans), order: order}
	for i := range lo {
		if lo[i] < hi[i] {
			l.spans = append(l.spans, span{uint32(i), lo[i], hi[i]})
		}
	}
	b.to = len(l.spans)
	if b.from == b.to {
		return false
	}
	l.buckets = append(l.buckets, b)
	l.ordered += len(order)
	return true
}

// where gives the events and steps of a state's shortest path.
func (l *layers) where(id uint32) (events, depth int) {
	if l.indexed != len(l.spans) {
		l.index = [shards][]place{}
		for _, b := range l.buckets {
			for _, sp := range l.of(b) {
				l.index[sp.shard] = append(l.index[sp.shard], place{sp.lo, b.events, b.depth})
			}
		}
		l.indexed = len(l.spans)
	}
	list, local := l.index[shardOf(id)], localOf(id)
	p := list[sort.Search(len(list), func(i int) bool { return list[i].lo > local })-1]
	return p.events, p.depth
}

// level gives the buckets of a level, the last one or the one before it.
func (l *layers) level(events int) []bucket {
	lo, hi := len(l.buckets), len(l.buckets)
	for lo > 0 && l.buckets[lo-1].events >= events {
		lo--
		if l.buckets[lo].events > events {
			hi = lo
		}
	}
	return l.buckets[lo:hi]
}

// forget drops the order of buckets.
func (l *layers) forget(buckets []bucket) {
	for i := range buckets {
		l.ordered -= len(buckets[i].order)
		buckets[i].order = nil
	}
}

func (l *layers) bytes() uint64 {
	return uint64(cap(l.spans))*12 + uint64(cap(l.buckets))*56 + 4*uint64(l.ordered)
}
