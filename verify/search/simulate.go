package search

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
)

// Walk is one run taken at random.
type Walk struct {
	Start []byte
	Steps []Step
	// Quiescent says that the walk ended because nothing was enabled but the environment.
	Quiescent bool
	// Violated lists the rules on states, steps and quiescent ends that the walk broke,
	// in the order of [System.Rules]. Rules on cycles are judged at a quiescent end only.
	Violated []int
}

// Simulate takes one run of at most so many steps, each drawn uniformly from all that
// are enabled; the environment moves at most opt.MaxEvents times. The same seed gives
// the same walk. Of opt, only MaxEvents is looked at.
//
// Errors: [ErrSystem], [ErrActor], and the context's.
func Simulate(ctx context.Context, sys System, opt Options, seed uint64, steps int) (*Walk, error) {
	opt = Options{MaxEvents: opt.MaxEvents}
	c, err := compile(sys, &opt)
	if err != nil {
		return nil, err
	}
	if steps < 0 {
		return nil, fmt.Errorf("%w: a walk of %d steps", ErrSystem, steps)
	}
	w := newWorker(c)
	r := rand.New(rand.NewPCG(seed, 0))
	walk := &Walk{Start: bytes.Clone(sys.Initial[r.IntN(len(sys.Initial))])}
	broken := make([]bool, len(sys.Rules))
	at, events := walk.Start, 0
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.guard(func() { w.judgeWalk(broken, walk, at) }); err != nil {
			return nil, err
		}
		choices, err := w.successors(at, false)
		if err != nil {
			return nil, err
		}
		walk.Quiescent = len(choices) == 0
		if opt.MaxEvents < 0 || events < opt.MaxEvents {
			more, err := w.successors(at, true)
			if err != nil {
				return nil, err
			}
			choices = append(choices, more...)
		}
		if len(choices) == 0 || len(walk.Steps) == steps {
			break
		}
		s := choices[r.IntN(len(choices))]
		if sys.Actors[s.Actor].Urgency() == Environment {
			events++
		}
		walk.Steps = append(walk.Steps, s)
		at = s.To
	}
	if err := w.guard(func() { w.judgeEnd(broken, walk, at) }); err != nil {
		return nil, err
	}
	for i, b := range broken {
		if b {
			walk.Violated = append(walk.Violated, i)
		}
	}
	return walk, nil
}

// judgeWalk tries the rules on the last state and step of a walk.
func (w *worker) judgeWalk(broken []bool, walk *Walk, at []byte) {
	for i := range w.sys.Rules {
		r := &w.sys.Rules[i]
		w.rule = i
		broken[i] = broken[i] || r.Bad != nil && r.Bad(at)
		if n := len(walk.Steps); n > 0 && r.BadStep != nil {
			s := walk.Steps[n-1]
			broken[i] = broken[i] || r.BadStep(s.From, s.To, s.Actor, s.Move)
		}
	}
	w.rule = -1
}

// judgeEnd tries the rules on the end of a walk, where nothing but the environment is
// enabled any more.
func (w *worker) judgeEnd(broken []bool, walk *Walk, at []byte) {
	for i := range w.sys.Rules {
		w.rule = i
		broken[i] = broken[i] || walk.Quiescent && w.sys.Rules[i].badEnd(at)
	}
	w.rule = -1
}
