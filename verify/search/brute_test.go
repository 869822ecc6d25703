package search

import "bytes"

// brute decides everything by definition on systems of at most 16 states: a fair run
// is a set of states and transitions that it visits again and again, so all sets are
// tried.
type brute struct {
	sys    *System
	states [][]byte
	loops  [][]Step // of each state
	next   [][]int  // where they lead
	level  []int
	depth  []int
	reach  []uint32 // by loop steps, reflexive
}

func (b *brute) index(s []byte) int {
	c := bytes.Clone(s)
	if b.sys.Canon != nil {
		b.sys.Canon(c)
	}
	for i := range b.states {
		if bytes.Equal(b.states[i], c) {
			return i
		}
	}
	b.states = append(b.states, c)
	return len(b.states) - 1
}

// newBrute explores sys and measures shortest paths by relaxation; nil: too large.
func newBrute(sys *System, maxEvents int) *brute {
	c, _ := compile(*sys, &Options{})
	w := newWorker(c)
	b := &brute{sys: sys}
	for _, s := range sys.Initial {
		b.index(s)
	}
	initial := len(b.states)
	type arrow struct {
		from, to, event int
	}
	var arrows []arrow
	for i := 0; i < len(b.states); i++ {
		if len(b.states) > 16 {
			return nil
		}
		list, _ := w.successors(b.states[i], false)
		b.loops = append(b.loops, list)
		b.next = append(b.next, nil)
		for _, s := range list {
			b.next[i] = append(b.next[i], b.index(s.To))
			arrows = append(arrows, arrow{i, b.index(s.To), 0})
		}
		list, _ = w.successors(b.states[i], true)
		for _, s := range list {
			arrows = append(arrows, arrow{i, b.index(s.To), 1})
		}
	}
	const far = 1 << 20
	for i := range b.states {
		b.level, b.depth = append(b.level, far), append(b.depth, far)
		if i < initial {
			b.level[i], b.depth[i] = 0, 0
		}
	}
	for range len(b.states) * len(b.states) {
		for _, a := range arrows {
			l, d := b.level[a.from]+a.event, b.depth[a.from]+1
			if b.level[a.from] < far && (maxEvents < 0 || l <= maxEvents) && (l < b.level[a.to] || l == b.level[a.to] && d < b.depth[a.to]) {
				b.level[a.to], b.depth[a.to] = l, d
			}
		}
	}
	b.reach = make([]uint32, len(b.states))
	for i := range b.reach {
		b.reach[i] = 1 << i
	}
	for range b.states {
		for i := range b.reach {
			for _, j := range b.next[i] {
				b.reach[i] |= b.reach[j]
			}
		}
	}
	return b
}

func (b *brute) in(i int) bool { return b.level[i] < 1<<20 }

// connected reports whether a set of states is strongly connected by at least one step.
func (b *brute) connected(set uint32) bool {
	steps := false
	for i := range b.states {
		if set>>i&1 == 0 {
			continue
		}
		seen := uint32(1) << i
		for range b.states {
			for j := range b.states {
				if seen>>j&1 == 0 {
					continue
				}
				for _, k := range b.next[j] {
					if set>>k&1 == 1 {
						seen |= 1 << k
						steps = true
					}
				}
			}
		}
		if seen != set {
			return false
		}
	}
	return steps
}

// fair reports whether a run may visit exactly these states, and all steps between them,
// for ever.
func (b *brute) fair(set uint32) bool {
	for a, actor := range b.sys.Actors {
		if actor.Urgency() == Environment {
			continue
		}
		ok := false
		for i := range b.states {
			if set>>i&1 == 0 {
				continue
			}
			enabled := false
			for k, s := range b.loops[i] {
				if s.Actor == a {
					enabled = true
					ok = ok || set>>b.next[i][k]&1 == 1
				}
			}
			ok = ok || !enabled
		}
		if !ok {
			return false
		}
	}
	return true
}

// bad reports whether visiting set for ever violates a rule.
func (b *brute) bad(r *Rule, set uint32) bool {
	any, all := false, true
	for i := range b.states {
		if set>>i&1 == 0 {
			continue
		}
		any = any || r.Settles != nil && !r.Settles(b.states[i])
		all = all && r.Persists != nil && r.Persists(b.states[i])
		for k, s := range b.loops[i] {
			if set>>b.next[i][k]&1 == 1 && r.Recurs != nil {
				any = any || r.Recurs(s.From, s.To, s.Actor, s.Move)
			}
		}
	}
	return any || all
}

// least is the fewest events and the shortest stem of a violation of a rule on cycles.
func (b *brute) least(r *Rule) (events, stem int, found bool) {
	events, stem = 1<<20, 1<<20
	offer := func(i int) {
		if b.in(i) && (b.level[i] < events || b.level[i] == events && b.depth[i] < stem) {
			events, stem, found = b.level[i], b.depth[i], true
		}
	}
	for i := range b.states {
		if len(b.loops[i]) == 0 && r.badEnd(b.states[i]) {
			offer(i)
		}
	}
	for set := uint32(1); set < 1<<len(b.states); set++ {
		if b.connected(set) && b.fair(set) && b.bad(r, set) {
			for i := range b.states {
				if set>>i&1 == 1 {
					offer(i)
				}
			}
		}
	}
	return events, stem, found
}

// escape reports whether, from state x, a run without events may end well.
func (b *brute) escape(r *Rule, x int) bool {
	reach := b.reach[x]
	if r.Bad != nil || r.BadStep != nil {
		reach = b.goodReach(r, x)
	}
	for i := range b.states {
		if reach>>i&1 == 0 {
			continue
		}
		if len(b.loops[i]) == 0 {
			if !r.badEnd(b.states[i]) {
				return true
			}
			continue
		}
		set := b.reach[i]
		terminal := b.connected(set)
		if !terminal {
			continue
		}
		switch {
		case r.Bad != nil:
			bad := false
			for j := range b.states {
				bad = bad || set>>j&1 == 1 && r.Bad(b.states[j])
			}
			if !bad {
				return true
			}
		case r.BadStep != nil:
			bad := false
			for j := range b.states {
				for _, s := range b.loops[j] {
					bad = bad || set>>j&1 == 1 && r.BadStep(s.From, s.To, s.Actor, s.Move)
				}
			}
			if !bad {
				return true
			}
		case r.Quiescent != nil:
			return true
		case !b.bad(r, set):
			return true
		}
	}
	return false
}

// goodReach is what can be reached without a bad state or step.
func (b *brute) goodReach(r *Rule, x int) uint32 {
	if r.Bad != nil && r.Bad(b.states[x]) {
		return 0
	}
	seen := uint32(1) << x
	for range b.states {
		for i := range b.states {
			if seen>>i&1 == 0 {
				continue
			}
			for k, s := range b.loops[i] {
				j := b.next[i][k]
				if r.Bad != nil && r.Bad(b.states[j]) || r.BadStep != nil && r.BadStep(s.From, s.To, s.Actor, s.Move) {
					continue
				}
				seen |= 1 << j
			}
		}
	}
	return seen
}

// shorterLoop seeks, by trying all walks, a fair violating loop from state v of fewer
// than n steps.
func (b *brute) shorterLoop(r *Rule, v, n int) bool {
	type arrow struct{ from, k int }
	var walk []arrow
	var try func(at int) bool
	try = func(at int) bool {
		if len(walk) > 0 && at == v && b.walkViolates(r, func(yield func(from, k int)) {
			for _, a := range walk {
				yield(a.from, a.k)
			}
		}) {
			return true
		}
		if len(walk) == n-1 {
			return false
		}
		for k, j := range b.next[at] {
			walk = append(walk, arrow{at, k})
			if try(j) {
				return true
			}
			walk = walk[:len(walk)-1]
		}
		return false
	}
	return try(v)
}

func (b *brute) walkViolates(r *Rule, each func(yield func(from, k int))) bool {
	done := make([]bool, len(b.sys.Actors))
	any, all := false, true
	each(func(from, k int) {
		s := b.loops[from][k]
		any = any || r.Recurs != nil && r.Recurs(s.From, s.To, s.Actor, s.Move) || r.Settles != nil && !r.Settles(s.From)
		all = all && r.Persists != nil && r.Persists(s.From)
		for a := range done {
			enabled := false
			for _, t := range b.loops[from] {
				enabled = enabled || t.Actor == a
			}
			done[a] = done[a] || s.Actor == a || !enabled
		}
	})
	for a, actor := range b.sys.Actors {
		if actor.Urgency() != Environment && !done[a] {
			return false
		}
	}
	return any || all
}
