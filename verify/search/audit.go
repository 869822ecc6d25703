package search

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// failure is the panic of an audit; guard makes it the error.
type failure struct{ err error }

func fail(kind error, format string, args ...any) {
	panic(failure{fmt.Errorf("%w "+format, append([]any{kind}, args...)...)})
}

// auditor verifies contracts, with two workers whose scratch memory differs.
type auditor struct {
	sys      *compiled
	one, two *worker
}

// audit verifies the contracts in the state about to be expanded.
func (w *worker) audit(events bool) {
	if w.auditor == nil {
		w.auditor = &auditor{sys: w.sys, one: newWorker(w.sys), two: newWorker(w.sys)}
	}
	a := w.auditor
	s := bytes.Clone(w.from)
	if events {
		a.auditSteps(a.sys.environment, s)
		return
	}
	at := slices.Concat(a.sys.prompt, a.sys.environment)
	if !a.auditSteps(a.sys.prompt, s) {
		a.auditSteps(a.sys.patient, s)
		at = append(at, a.sys.patient...)
	}
	if a.sys.Independent != nil {
		a.auditIndependence(at, s)
	}
}

// auditSteps audits the steps of actors that may move in s, and reports whether any can.
func (a *auditor) auditSteps(actors []int, s []byte) (any bool) {
	for _, actor := range actors {
		for _, t := range a.steps(actor, s) {
			a.auditState(t)
			any = true
		}
	}
	return any
}

// steps asks an actor twice for its successors, urgency aside.
func (a *auditor) steps(actor int, s []byte) []Step {
	x, y := a.one.only(actor, s), a.two.only(actor, s)
	same := slices.EqualFunc(x, y, func(p, q Step) bool { return p.Move == q.Move && bytes.Equal(p.To, q.To) })
	if !same {
		fail(ErrActor, "%s is not deterministic: it emits %d successors of state %x and then %d others",
			a.sys.Actors[actor].Name(), len(x), s, len(y))
	}
	return x
}

// only lists the successors of s through one actor.
func (w *worker) only(actor int, s []byte) []Step {
	var out []Step
	copy(w.from, s)
	w.emit.out = func(m Move) {
		out = append(out, Step{Actor: actor, Move: m, From: s, To: bytes.Clone(w.emit.buf)})
	}
	if err := w.guard(func() { w.step([]int{actor}) }); err != nil {
		panic(failure{err})
	}
	if !bytes.Equal(w.from, s) {
		fail(ErrActor, "%s changes the state %x that it is given, to %x", w.sys.Actors[actor].Name(), s, w.from)
	}
	return out
}

// auditState verifies the canonical form of a successor, and that rules and actors
// cannot tell the two apart.
func (a *auditor) auditState(t Step) {
	c := a.one.canonOf(t.To)
	if again := a.one.canonOf(c); !bytes.Equal(c, again) {
		fail(ErrSystem, "Canon is not idempotent: %x becomes %x, and that %x", t.To, c, again)
	}
	rests := a.rests(c)
	for i := range a.sys.Rules {
		r := &a.sys.Rules[i]
		for _, p := range []func([]byte) bool{r.Bad, r.Quiescent, r.Persists, r.Settles} {
			if r.Quiescent != nil && !rests {
				continue
			}
			if p != nil && p(t.To) != p(c) {
				fail(ErrSystem, "rule %s is not symmetric, or not pure: it tells %x from its canonical form %x", r.Name, t.To, c)
			}
		}
	}
	if bytes.Equal(t.To, c) {
		return
	}
	steps := func(s []byte) map[string]bool {
		out := map[string]bool{}
		for actor := range a.sys.Actors {
			label := a.sys.Actors[actor].Name()
			if a.sys.MovesActors {
				label = fmt.Sprint("of urgency ", a.sys.Actors[actor].Urgency())
			}
			for _, u := range a.one.only(actor, s) {
				out[fmt.Sprint(label, "\x00", a.stepRules(u), string(a.one.canonOf(u.To)))] = true
			}
		}
		return out
	}
	x, y := steps(t.To), steps(c)
	for k := range x {
		if y[k] {
			delete(y, k)
		} else {
			y[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(y)) {
		name, _, _ := strings.Cut(k, "\x00")
		fail(ErrSystem, "Canon is no symmetry: from %x and its canonical form %x the steps differ, first those of actor %s",
			t.To, c, name)
	}
}

// rests reports whether no loop can move in s.
func (a *auditor) rests(s []byte) bool {
	for _, actor := range slices.Concat(a.sys.prompt, a.sys.patient) {
		if len(a.one.only(actor, s)) > 0 {
			return false
		}
	}
	return true
}

// stepRules says of which rules a step is a bad one.
func (a *auditor) stepRules(t Step) (bad []bool) {
	for i := range a.sys.Rules {
		for _, p := range []func(from, to []byte, actor int, m Move) bool{a.sys.Rules[i].BadStep, a.sys.Rules[i].Recurs} {
			bad = append(bad, p != nil && p(t.From, t.To, t.Actor, t.Move))
		}
	}
	return bad
}

// auditIndependence verifies that actors said to be independent commute in s.
func (a *auditor) auditIndependence(actors []int, s []byte) {
	for i, x := range actors {
		for _, y := range actors[:i] {
			if !a.sys.Independent(x, y) {
				continue
			}
			xs, ys := a.one.only(x, s), a.one.only(y, s)
			if !slices.EqualFunc(a.after(xs, y, len(ys), s), a.after(ys, x, len(xs), s), bytes.Equal) {
				a.dependent(x, y, s)
			}
		}
	}
}

// after gives, in the order of bytes, where the steps of an actor lead after each of
// the given ones; it must have n of them each time.
func (a *auditor) after(first []Step, actor, n int, s []byte) [][]byte {
	var out [][]byte
	for _, t := range first {
		then := a.one.only(actor, t.To)
		if len(then) != n {
			a.dependent(actor, t.Actor, s)
		}
		for _, u := range then {
			out = append(out, u.To)
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}

func (a *auditor) dependent(x, y int, s []byte) {
	fail(ErrSystem, "Independent: %s and %s do not commute in state %x", a.sys.Actors[x].Name(), a.sys.Actors[y].Name(), s)
}
