package search

import "slices"

// A loop must pass, for every actor, a step of it or a state in which it is disabled,
// and what the rule asks to be seen. These are debts; a shortest loop is a shortest
// path in the product of the component with the set of debts still owed. That search
// is exact up to loopBudget pairs a rule; beyond it the loop pays its nearest debt
// first, again and again, which is fair too but may be longer.
const (
	loopBudget = 1 << 20 // about 100 MB
	maxDebts   = 63      // bits of a set, except for the rule's
	witness    = 1 << 63
)

// loops seeks loops in one component after the other.
type loops struct {
	c     *components
	rule  int
	bit   []uint64 // of each actor
	spent int
	num   uint32
	edges []edge // inner transitions of the state expanded last
	on    uint64 // bits of the actors enabled in it
	nodes []pair
	known map[pairKey]bool
}

type edge struct {
	to    uint32
	actor int
	pays  uint64
	shows bool // pays the witness as a transition
}

type pairKey struct {
	id   uint32
	owed uint64
}

type pair struct {
	pairKey
	prev int
	edge edge
}

// shortestLoop finds the shortest fair loop through one of the heads, or nil when time
// is up.
func shortestLoop(c *components, rule int, k heads) *finding {
	l := &loops{c: c, rule: rule, bit: make([]uint64, len(c.e.sys.Actors))}
	n := 0
	exact := true
	for a, actor := range c.e.sys.Actors {
		if actor.Urgency() == Environment {
			continue
		}
		if n < maxDebts {
			l.bit[a] = 1 << n
		} else {
			exact = false
		}
		n++
	}
	var best []edge
	for _, h := range k.list {
		l.num = h.num
		if !exact || l.spent >= c.e.opt.sizes.loops {
			break
		}
		if walk := l.product(h.id, len(best)); walk != nil {
			best = walk
		}
	}
	if best == nil {
		l.num = k.list[0].num
		best = l.greedy(k.list[0].id)
	}
	if best == nil {
		return nil
	}
	f := &finding{at: best[len(best)-1].to, steps: k.depth, loop: true}
	for _, e := range best {
		h := hop{key: l.c.e.state(e.to), actor: e.actor}
		if e.shows {
			h.want = l.c.e.sys.Rules[l.rule].Recurs
		}
		f.tail = append(f.tail, h)
	}
	return f
}

// expand finds the inner transitions of a state and which actors are enabled in it.
func (l *loops) expand(id uint32) {
	l.edges, l.on = l.edges[:0], 0
	if to, actor, ok := l.c.e.edges.of(id); ok && l.c.e.sys.Rules[l.rule].Recurs == nil {
		for i, a := range actor {
			l.on |= l.bit[a]
			l.add(edge{to: to[i], actor: int(a), pays: l.bit[a]})
		}
		return
	}
	l.c.e.load(l.c.w.from, id)
	l.c.w.emit.out = l.scan
	l.c.w.loops()
}

func (l *loops) scan(m Move) {
	w, rule := l.c.w, &l.c.e.sys.Rules[l.rule]
	w.moved++
	a := w.emit.actor
	l.on |= l.bit[a]
	w.rule = l.rule
	ed := edge{actor: a, pays: l.bit[a]}
	if rule.Recurs != nil && rule.Recurs(w.from, w.emit.buf, a, m) {
		ed.shows = true
		ed.pays |= witness
	}
	w.rule = -1
	ed.to = l.c.e.find(w.canon())
	l.add(ed)
}

// add takes in a transition if it stays within the component.
func (l *loops) add(ed edge) {
	if ed.to == none || !l.c.within(ed.to, l.num) {
		return
	}
	w, rule := l.c.w, &l.c.e.sys.Rules[l.rule]
	w.rule = l.rule
	if rule.Persists != nil || rule.Settles != nil && !rule.Settles(w.look(l.c.e, ed.to)) {
		ed.pays |= witness
	}
	w.rule = -1
	l.edges = append(l.edges, ed)
}

// product is the exact search from one head; it gives up at length limit (0: none), and
// when the budget is spent.
func (l *loops) product(head uint32, limit int) []edge {
	l.nodes = l.nodes[:0]
	l.known = map[pairKey]bool{}
	var all uint64 = witness
	for _, b := range l.bit {
		all |= b
	}
	l.nodes = append(l.nodes, pair{pairKey: pairKey{head, all}, prev: -1})
	length, layerEnd := 1, 1
	for at := 0; at < len(l.nodes); at++ {
		if at == layerEnd {
			length, layerEnd = length+1, len(l.nodes)
		}
		if limit > 0 && length >= limit {
			return nil
		}
		if l.spent > l.c.e.opt.sizes.loops || at&1023 == 1023 && l.c.e.late() {
			return nil
		}
		k := l.nodes[at].pairKey
		l.expand(k.id)
		k.owed &= l.on | witness
		for _, e := range l.edges {
			t := pairKey{e.to, k.owed &^ e.pays}
			if l.known[t] {
				continue
			}
			l.known[t] = true
			l.spent++
			l.nodes = append(l.nodes, pair{t, at, e})
			if t.id == head && t.owed == 0 {
				return l.walk(len(l.nodes) - 1)
			}
		}
	}
	return nil
}

func (l *loops) walk(at int) []edge {
	var out []edge
	for ; l.nodes[at].prev >= 0; at = l.nodes[at].prev {
		out = append(out, l.nodes[at].edge)
	}
	slices.Reverse(out)
	return out
}

// greedy goes to the nearest state or transition that pays a debt until none is left,
// and home. It is nil when time is up.
func (l *loops) greedy(head uint32) []edge {
	owed := map[int]bool{-1: true} // actors, and -1 for the rule's demand
	for a, actor := range l.c.e.sys.Actors {
		if actor.Urgency() != Environment {
			owed[a] = true
		}
	}
	var out []edge
	at := head
	l.settle(at, owed)
	for len(owed) > 0 || at != head || len(out) == 0 {
		part := l.nearest(at, head, owed)
		if part == nil {
			return nil
		}
		for _, e := range part {
			delete(owed, e.actor)
			if e.pays&witness != 0 {
				delete(owed, -1)
			}
			at = e.to
		}
		out = append(out, part...)
		l.settle(at, owed)
	}
	return out
}

// settle forgives the actors that are disabled in a state.
func (l *loops) settle(id uint32, owed map[int]bool) {
	on := map[int]bool{}
	l.enabledIn(id, on)
	for a := range owed {
		if a >= 0 && !on[a] {
			delete(owed, a)
		}
	}
}

func (l *loops) enabledIn(id uint32, on map[int]bool) {
	if _, actor, ok := l.c.e.edges.of(id); ok {
		for _, a := range actor {
			on[int(a)] = true
		}
		return
	}
	l.c.e.load(l.c.w.from, id)
	l.c.w.emit.out = func(Move) {
		l.c.w.moved++
		on[l.c.w.emit.actor] = true
	}
	l.c.w.loops()
}

// nearest is a shortest walk to a state or transition that pays a debt; with none owed,
// to head. It is nil when time is up.
func (l *loops) nearest(from, head uint32, owed map[int]bool) []edge {
	l.nodes = append(l.nodes[:0], pair{pairKey: pairKey{id: from}, prev: -1})
	l.known = map[pairKey]bool{{id: from}: len(owed) > 0}
	on := map[int]bool{}
	for at := 0; ; at++ {
		if at&1023 == 1023 && l.c.e.late() {
			return nil
		}
		id := l.nodes[at].id
		clear(on)
		l.enabledIn(id, on)
		for a := range owed {
			if a >= 0 && !on[a] && at > 0 {
				return l.walk(at)
			}
		}
		l.expand(id)
		for _, e := range l.edges {
			pays := owed[e.actor] || e.pays&witness != 0 && owed[-1] || len(owed) == 0 && e.to == head
			if k := (pairKey{id: e.to}); pays || !l.known[k] {
				l.known[k] = true
				l.nodes = append(l.nodes, pair{k, at, e})
			}
			if pays {
				return l.walk(len(l.nodes) - 1)
			}
		}
	}
}
