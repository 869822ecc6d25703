package search

import (
	"bytes"
	"fmt"
	"slices"
)

// hop is one step of a path to be followed: to which state, and how.
type hop struct {
	key   []byte // of the canonical state it leads to; nil: any
	env   bool   // through an event
	actor int    // -1: any
	want  func(from, to []byte, actor int, m Move) bool
}

// stem gives the hops of a shortest path to a state, and where it starts.
func (e *engine) stem(id uint32) (start []byte, hops []hop) {
	for e.store.parent(id) != none {
		p := e.store.parent(id)
		above, _ := e.layers.where(id)
		below, _ := e.layers.where(p)
		hops = append(hops, hop{key: e.state(id), env: above > below, actor: -1})
		id = p
	}
	slices.Reverse(hops)
	return bytes.Clone(e.starts[id]), hops
}

// violation rebuilds the concrete path of a finding.
func (e *engine) violation(rule int, f *finding) (Violation, error) {
	start, hops := e.stem(f.at)
	v := Violation{Rule: rule, Start: start, CycleStart: -1, Events: f.events}
	if f.loop {
		v.CycleStart = len(hops)
	}
	var err error
	if v.Steps, err = e.follow(start, append(hops, f.tail...)); err != nil {
		return v, err
	}
	v.Inevitable, v.Undecided, err = e.inevitable(rule, &v)
	return v, err
}

// follow takes, from a concrete state, for every hop the first successor that fits.
func (e *engine) follow(start []byte, hops []hop) ([]Step, error) {
	w := newWorker(e.sys)
	steps := make([]Step, 0, len(hops))
	at := start
	for _, h := range hops {
		var got *Step
		list, err := w.successors(at, h.env)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if s := &list[i]; e.fits(w, s, h) {
				got = s
				break
			}
		}
		if got == nil {
			return nil, fmt.Errorf("%w: step %d of a path cannot be taken again: an actor is not deterministic, or Canon is no symmetry (Options.Checked names it)", ErrActor, len(steps)+1)
		}
		steps = append(steps, *got)
		at = got.To
	}
	return steps, nil
}

func (e *engine) fits(w *worker, s *Step, h hop) bool {
	if h.actor >= 0 && h.actor != s.Actor || h.want != nil && !h.want(s.From, s.To, s.Actor, s.Move) {
		return false
	}
	return h.key == nil || bytes.Equal(h.key, e.keyOf(w.canonOf(s.To)))
}

// keyOf is what the store keeps of a canonical state.
func (e *engine) keyOf(s []byte) []byte {
	if e.front != nil {
		return fingerprint(s)
	}
	return s
}

// canonOf is the canonical form of a state, in separate memory.
func (w *worker) canonOf(s []byte) []byte {
	c := bytes.Clone(s)
	if w.sys.Canon != nil {
		w.sys.Canon(c)
	}
	return c
}

// successors lists the transitions of a concrete state, through the loops or through the environment, in separate
// memory.
func (w *worker) successors(s []byte, events bool) ([]Step, error) { return w.some(s, events, nil) }

// likewise is the first step of an actor from s that has a move; nil where it may not take one.
func (w *worker) likewise(s []byte, actor int, move Move) (*Step, error) {
	var out *Step
	copy(w.from, s)
	w.emit.out = func(m Move) {
		w.moved++
		if out == nil && w.emit.actor == actor && m == move {
			out = &Step{Actor: actor, Move: m, From: s, To: bytes.Clone(w.emit.buf)}
		}
		w.emit.full = w.emit.actor != actor || out != nil
	}
	err := w.guard(func() {
		switch {
		case w.sys.Actors[actor].Urgency() == Environment || slices.Contains(w.sys.prompt, actor):
			w.step([]int{actor})
		default:
			w.loops()
		}
	})
	return out, err
}

// some are successors of s, at least one of each actor that has any; of want's actor all until want
// is among them. A nil want is for all.
func (w *worker) some(s []byte, events bool, want *Step) ([]Step, error) {
	var out []Step
	copy(w.from, s)
	w.emit.out = func(m Move) {
		w.moved++
		if want != nil {
			same := want.Actor == w.emit.actor
			if w.emit.full = !same || want.Move == m && bytes.Equal(want.To, w.emit.buf); same && !w.emit.full {
				return // another way of the same step
			}
		}
		out = append(out, Step{Actor: w.emit.actor, Move: m, From: s, To: bytes.Clone(w.emit.buf)})
	}
	err := w.guard(func() {
		if events {
			w.step(w.sys.environment)
			return
		}
		w.loops()
	})
	return out, err
}
