package search

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// ErrReplay says that a recorded path is not one of the system, or does not show what
// it is said to.
var ErrReplay = errors.New("search: replay")

// replay takes recorded steps once more from a concrete state: each must start where
// the last one ended and be offered by its actor there, urgency respected.
func (w *worker) replay(start []byte, steps []Step) error {
	if len(start) != w.sys.Width {
		return fmt.Errorf("%w: the start has %d bytes, Width says %d", ErrReplay, len(start), w.sys.Width)
	}
	at := start
	for i, s := range steps {
		if s.Actor < 0 || s.Actor >= len(w.sys.Actors) {
			return fmt.Errorf("%w: step %d: there is no actor %d", ErrReplay, i+1, s.Actor)
		}
		actor := w.sys.Actors[s.Actor]
		if !bytes.Equal(s.From, at) {
			return fmt.Errorf("%w: step %d (%s) starts elsewhere than step %d ended", ErrReplay, i+1, actor.Name(), i)
		}
		list, err := w.some(at, actor.Urgency() == Environment, &s)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list,
			func(t Step) bool { return t.Actor == s.Actor && t.Move == s.Move && bytes.Equal(t.To, s.To) }) {
			return fmt.Errorf("%w: step %d: %s is not enabled, or not for this step", ErrReplay, i+1, actor.Name())
		}
		at = s.To
	}
	return nil
}

// Confirm replays a violation from an initial state and checks that it is one: that the
// events are counted, that the rule's predicate says so, and that a loop closes and is
// fair. It knows nothing of how the violation was found.
//
// Errors: [ErrReplay] naming the first step that is not enabled, and [ErrSystem] and
// [ErrActor] as [Run].
func Confirm(sys System, v Violation) error {
	c, err := compile(sys, &Options{})
	if err != nil {
		return err
	}
	w := newWorker(c)
	if v.Rule < 0 || v.Rule >= len(sys.Rules) {
		return fmt.Errorf("%w: there is no rule %d", ErrReplay, v.Rule)
	}
	if !slices.ContainsFunc(sys.Initial, func(s []byte) bool { return bytes.Equal(s, v.Start) }) {
		return fmt.Errorf("%w: the start is no initial state", ErrReplay)
	}
	if err := w.replay(v.Start, v.Steps); err != nil {
		return err
	}
	events := 0
	for i, s := range v.Steps {
		if sys.Actors[s.Actor].Urgency() != Environment {
			continue
		}
		events++
		if v.CycleStart >= 0 && i >= v.CycleStart {
			return fmt.Errorf("%w: step %d: an event within the loop", ErrReplay, i+1)
		}
	}
	if events != v.Events {
		return fmt.Errorf("%w: %d events, the violation says %d", ErrReplay, events, v.Events)
	}
	if v.CycleStart >= 0 {
		return w.confirmLoop(v)
	}
	return w.confirmEnd(v)
}

// confirmEnd checks a path that ends in a bad state, a bad step or a bad quiescent
// state.
func (w *worker) confirmEnd(v Violation) error {
	r := &w.sys.Rules[v.Rule]
	end := v.Start
	if n := len(v.Steps); n > 0 {
		end = v.Steps[n-1].To
		if s := v.Steps[n-1]; r.BadStep != nil && r.BadStep(s.From, s.To, s.Actor, s.Move) {
			return nil
		}
	}
	if r.Bad != nil && r.Bad(end) {
		return nil
	}
	if list, err := w.some(end, false, &Step{Actor: -1}); err != nil {
		return err
	} else if len(list) == 0 && r.badEnd(end) {
		return nil
	}
	return fmt.Errorf("%w: the path does not end in a violation of rule %s", ErrReplay, r.Name)
}

// confirmLoop checks that a loop closes up to symmetry, is fair and shows the rule's
// violation.
func (w *worker) confirmLoop(v Violation) error {
	r := &w.sys.Rules[v.Rule]
	if v.CycleStart >= len(v.Steps) {
		return fmt.Errorf("%w: the loop has no steps", ErrReplay)
	}
	loop := v.Steps[v.CycleStart:]
	if !bytes.Equal(w.canonOf(loop[0].From), w.canonOf(loop[len(loop)-1].To)) {
		return fmt.Errorf("%w: the loop does not close", ErrReplay)
	}
	done := make([]bool, len(w.sys.Actors))
	shows, stays := false, true
	for _, s := range loop {
		list, err := w.some(s.From, false, &s)
		if err != nil {
			return err
		}
		for a := range done {
			done[a] = done[a] || a == s.Actor || !slices.ContainsFunc(list, func(t Step) bool { return t.Actor == a })
		}
		shows = shows || r.Recurs != nil && r.Recurs(s.From, s.To, s.Actor, s.Move) || r.Settles != nil && !r.Settles(s.From)
		stays = stays && r.Persists != nil && r.Persists(s.From)
	}
	if a := slices.Index(done, false); a >= 0 {
		return fmt.Errorf("%w: the loop is not fair: %s is enabled all along and never moves", ErrReplay,
			w.sys.Actors[a].Name())
	}
	if !shows && !stays {
		return fmt.Errorf("%w: the loop does not violate rule %s", ErrReplay, r.Name)
	}
	return nil
}
