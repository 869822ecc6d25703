package state

import "slices"

// Lumps are pods that are not distinguished in a problem, so that states which differ only in them are one: which of
// the pods of a class have started, and which of two classes the pods on deletion on a node are of. This package does
// not check the claim; it has to be a bisimulation, like an exchange of nodes.
type Lumps struct {
	c *Config
	// starts says, by class, in which states it makes no difference which of its pods have started; nil: in none.
	starts []func(State) bool
	stops  []int // by class: the one that its pods on deletion count as
	some   bool
}

// mostLumped bounds the classes whose starting pods are lumped; the others are distinguished.
const mostLumped = 16

// NewLumps gives those of a problem in which everything is distinguished.
func (c *Config) NewLumps() *Lumps {
	l := &Lumps{c: c, starts: make([]func(State) bool, len(c.Pods)), stops: make([]int, len(c.Pods))}
	for p := range l.stops {
		l.stops[p] = p
	}
	return l
}

// LumpStarts lumps the states that differ only in which of class p's pods have started, where when says so. Two states
// that differ in this only give when the same answer, and from one in which it holds only others are reached in which
// it does. The class has neither of the phases [Warming] and [Fresh].
func (l *Lumps) LumpStarts(p int, when func(State) bool) {
	lumped := 0
	for _, f := range l.starts {
		if f != nil {
			lumped++
		}
	}
	if lumped < mostLumped {
		l.starts[p], l.some = when, true
	}
}

// LumpStops lumps the pods on deletion of class q with those of class p, as long as neither is a bad revision: there is
// more to tell of these.
func (l *Lumps) LumpStops(p, q int) { l.stops[q], l.some = l.stops[p], true }

// Same reports whether two problems of one layout lump the same classes.
func (l *Lumps) Same(o *Lumps) bool {
	return slices.Equal(l.stops, o.stops) &&
		slices.EqualFunc(l.starts, o.starts, func(a, b func(State) bool) bool { return (a == nil) == (b == nil) })
}

// StopsAs is the class that the pods on deletion of class p count as: it, or the first of those that are lumped with
// it.
func (l *Lumps) StopsAs(p int) int { return l.stops[p] }

// Stops reports whether pods on deletion of class q count as those of another class in a state.
func (l *Lumps) Stops(s State, q int) bool { return l.stops[q] != q && !s.Bad(q) && !s.Bad(l.stops[q]) }

// Starts reports whether it makes no difference in a state which pods of class p have started.
func (l *Lumps) Starts(s State, p int) bool { return l.starts[p] != nil && l.starts[p](s) }

// Canon rewrites a state in place to its canonical form: that of [Config.Canon], after all pods on deletion were made
// those of the first class that they are lumped with, and with the pods that start on the last nodes that have any.
func (l *Lumps) Canon(b []byte) {
	if !l.some {
		l.c.Canon(b)
		return
	}
	s := State{C: l.c, B: b}
	for q, p := range l.stops {
		if p != q && l.Stops(s, q) {
			l.move(s, p, q)
		}
	}
	var starting [mostLumped]int
	i := 0
	for p, when := range l.starts {
		if when == nil {
			continue
		}
		if k := s.Count(p, Starting); k > 0 && when(s) {
			starting[i] = k
			s.take(p, Starting, Ready, k)
		}
		i++
	}
	l.c.Canon(b)
	i = 0
	for p, when := range l.starts {
		if when == nil {
			continue
		}
		if starting[i] > 0 {
			s.take(p, Ready, Starting, starting[i])
		}
		i++
	}
}

// move makes pods on deletion of class q pods of class p.
func (l *Lumps) move(s State, p, q int) {
	from, to := l.c.Class[q].Phase[Terminating], l.c.Class[p].Phase[Terminating]
	for n := range l.c.Nodes {
		if k := s.At(n, from); k > 0 {
			s.SetAt(n, from, 0)
			s.SetAt(n, to, s.At(n, to)+k)
		}
	}
}

// take moves k pods of class p from one phase to another, those on the last nodes first.
func (s State) take(p int, from, to Phase, k int) {
	for n := len(s.C.Nodes) - 1; n >= 0 && k > 0; n-- {
		m := min(k, s.On(n, p, from))
		s.Add(n, p, from, -m)
		s.Add(n, p, to, m)
		k -= m
	}
}
