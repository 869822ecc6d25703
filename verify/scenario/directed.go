package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Bounds of a directed search: states looked at for each way of following a guide, and
// steps that a cluster may take to settle on its own.
const (
	directedStates = 20_000
	settlingSteps  = 50_000
)

// directed searches for a violation of one rule along the actions of a counterexample
// that was found at a smaller scale: what one step did there may take many here. It goes
// depth first, so it finds no shortest path, and it says nothing where it finds none.
type directed struct {
	problem *Problem
	rule    int
	guide   []guideStep
	loop    int  // index in guide of the first step of the loop, or -1
	linger  bool // stay with an actor as long as it has something to do; else go on
	ctx     context.Context
	until   time.Time // zero: no limit

	start  []byte
	left   int                 // states
	seen   map[string]struct{} // canonical states with their place in the guide
	frames []frame
	onPath map[string]int // of the frames
}

// guideStep is one action to be followed: of a run of steps of one actor, the first.
type guideStep struct {
	actor int
	event bool
}

// frame is a state on the path with the steps still to be tried from it.
type frame struct {
	at      []byte
	step    search.Step // that led here; unused in the first frame
	moved   bool        // step is one; else only the place in the guide changed
	place   int
	choices []choice
}

// choice is a successor, or with a nil step a mere advance in the guide.
type choice struct {
	step  *search.Step
	place int
}

// guideOf is what to follow of a violation found in one problem, in another one with
// actors of the same names.
func guideOf(v Violation, p *Problem) (guide []guideStep, loop int) {
	loop = -1
	for i, st := range v.Steps {
		if i == v.CycleStart {
			loop = len(guide)
		}
		a := v.Problem.Actors[st.Actor]
		k := slices.IndexFunc(p.Actors, func(o actor.Actor) bool { return o.Name() == a.Name() })
		if k < 0 {
			continue
		}
		g := guideStep{k, a.Latency() == actor.Event}
		if n := len(guide); n > 0 && guide[n-1] == g && !g.event && i != v.CycleStart {
			continue
		}
		guide = append(guide, g)
	}
	return guide, loop
}

// search gives a violation that begins at start, or nil.
func (d *directed) search(start []byte) *search.Violation {
	d.left, d.seen, d.onPath = directedStates, map[string]struct{}{}, map[string]int{}
	d.start, d.frames = start, nil
	if r := &d.problem.System.Rules[d.rule]; r.Bad != nil && r.Bad(start) {
		return &search.Violation{Rule: d.rule, Start: start, CycleStart: -1}
	}
	if v := d.enter(frame{at: start}); v != nil {
		return v
	}
	for len(d.frames) > 0 {
		f := &d.frames[len(d.frames)-1]
		if len(f.choices) == 0 || d.left <= 0 || d.stopped() {
			if d.left <= 0 || d.stopped() {
				return nil
			}
			delete(d.onPath, d.key(f.at, f.place))
			d.frames = d.frames[:len(d.frames)-1]
			continue
		}
		c := f.choices[0]
		f.choices = f.choices[1:]
		next := frame{at: f.at, place: c.place}
		if c.step != nil {
			next.at, next.step, next.moved = c.step.To, *c.step, true
		}
		if v := d.enter(next); v != nil {
			return v
		}
	}
	return nil
}

func (d *directed) stopped() bool {
	return d.ctx.Err() != nil || !d.until.IsZero() && time.Now().After(d.until)
}

// key tells frames apart: a canonical state and a place in the guide.
func (d *directed) key(at []byte, place int) string {
	b := append([]byte(nil), at...)
	d.problem.Cfg.Canon(b)
	return string(append(b, byte(place), byte(place>>8)))
}

// enter goes on to a frame: it gives the violation that its step, its state or a loop
// that it closes is, if any.
func (d *directed) enter(f frame) *search.Violation {
	r := &d.problem.System.Rules[d.rule]
	if f.moved {
		if r.Bad != nil && r.Bad(f.at) || r.BadStep != nil && r.BadStep(f.step.From, f.step.To, f.step.Actor, f.step.Move) {
			return d.path(f, -1)
		}
	}
	key := d.key(f.at, f.place)
	if i, ok := d.onPath[key]; ok {
		if r.Recurs == nil && r.Settles == nil && r.Persists == nil {
			return nil
		}
		if v := d.path(f, i); d.confirmed(v) {
			return v
		}
		return nil
	}
	if _, ok := d.seen[key]; ok {
		return nil
	}
	d.seen[key] = struct{}{}
	d.left--
	var quiet bool
	f.choices, quiet = d.choices(f.at, f.place)
	if quiet && endsBadly(r, f.at) {
		if v := d.path(f, -1); d.confirmed(v) {
			return v
		}
	}
	d.onPath[key] = len(d.frames)
	d.frames = append(d.frames, f)
	return nil
}

// endsBadly reports whether a rule forbids to come to rest in a state.
func endsBadly(r *search.Rule, at []byte) bool {
	return r.Quiescent != nil && r.Quiescent(at) || r.Persists != nil && r.Persists(at) ||
		r.Settles != nil && !r.Settles(at)
}

// path gives the steps up to a frame as a violation; loop is the frame that its loop
// begins at, or -1.
func (d *directed) path(last frame, loop int) *search.Violation {
	v := &search.Violation{Rule: d.rule, Start: d.start, CycleStart: -1}
	for i, f := range append(slices.Clone(d.frames), last) {
		if f.moved {
			v.Steps = append(v.Steps, f.step)
			if d.problem.Actors[f.step.Actor].Latency() == actor.Event {
				v.Events++
			}
		}
		if i == loop {
			v.CycleStart = len(v.Steps)
		}
	}
	return v
}

// confirmed reports what the search's own replay says, which shares no code with this one.
func (d *directed) confirmed(v *search.Violation) bool {
	sys := d.problem.System
	sys.Initial = [][]byte{v.Start}
	return search.Confirm(sys, *v) == nil
}

// directedChoices is how many ways of one step a directed search tries at most.
const directedChoices = 256

// choices lists what to try from a state, best first. quiet says that no loop has
// anything left to do.
func (d *directed) choices(at []byte, place int) (out []choice, quiet bool) {
	if place == len(d.guide) && d.loop >= 0 {
		place = d.loop
	}
	var guided guideStep
	follow := place < len(d.guide)
	if follow {
		guided = d.guide[place]
	}
	if follow && guided.event {
		for _, s := range d.steps(at, guided.actor) {
			out = append(out, choice{&s, place + 1})
		}
	}
	for _, urgency := range []search.Urgency{search.Prompt, search.Patient} {
		var other []choice
		any := false
		for i, a := range d.problem.System.Actors {
			if a.Urgency() != urgency {
				continue
			}
			for _, s := range d.steps(at, i) {
				any = true
				switch {
				case !follow || i != guided.actor || guided.event:
					other = append(other, choice{&s, place})
				case d.linger:
					out = append(out, choice{&s, place}, choice{&s, place + 1})
				default:
					out = append(out, choice{&s, place + 1}, choice{&s, place})
				}
			}
		}
		if any {
			if follow && !guided.event && urgency == search.Patient {
				out = append(out, choice{nil, place + 1}) // nothing left for it to do
			}
			return append(out, other...), false
		}
	}
	if follow && !guided.event {
		out = append(out, choice{nil, place + 1})
	}
	return out, true
}

// steps are the successors of a state through one actor.
//
// Of a step that can go more ways, such as one that chooses among the pods of a hundred nodes, the first ones are
// tried: a directed search may find, and shows nothing by not finding.
func (d *directed) steps(at []byte, who int) []search.Step {
	var out []search.Step
	for _, s := range actor.SomeSuccessors(d.problem.Actors[who], state.State{C: d.problem.Cfg, B: at}, directedChoices) {
		out = append(out, search.Step{Actor: who, Move: s.Move, From: at, To: s.To.B})
	}
	return out
}

// calm lets a cluster settle on its own, with the first choice of the first loop that
// has something to do; false where it does not come to rest.
func (p *Problem) calm(at []byte) ([]byte, bool) {
	d := directed{problem: p}
	for range settlingSteps {
		choices, quiet := d.choices(at, 0)
		if quiet {
			return at, true
		}
		at = choices[0].step.To
	}
	return at, false
}

// A directed search, and a run that a cluster settles by, are functions of the compiled problem, too, of where they
// begin and of what they follow: they are kept as other answers are (see [Problem.kept]), unless the clock stopped
// them. That they looked at as many states as they may is no clock.

// keptAs gives what an earlier run of the same kind found from start, or runs it.
func (d *directed) keptAs(bud Budget, kind string, start []byte, run func() *search.Violation) *search.Violation {
	sys := d.problem.System
	sys.Initial = [][]byte{start}
	q := question{sys: sys,
		of: fmt.Sprintf("%s of rule %d along %v from %d, lingering %v", kind, d.rule, d.guide, d.loop, d.linger)}
	a, err := d.problem.kept(bud, q, func() (answer, error) {
		r := &search.Result{Bound: search.Complete}
		if v := run(); v != nil {
			r.Violations = append(r.Violations, *v)
		} else if d.stopped() {
			r.Bound = search.TimeBound
		}
		return answer{Result: r}, nil
	})
	if err != nil || len(a.Result.Violations) == 0 {
		return nil
	}
	return &a.Result.Violations[0]
}

// calmKept is [Problem.calm], as it was kept.
func (p *Problem) calmKept(bud Budget, at []byte) ([]byte, bool) {
	sys := p.System
	sys.Initial = [][]byte{at}
	a, err := p.kept(bud, question{sys: sys, of: "settling on its own"}, func() (answer, error) {
		r := &search.Result{Bound: search.Complete}
		if to, ok := p.calm(at); ok {
			r.Settled = append(r.Settled, to)
		}
		return answer{Result: r}, nil
	})
	if err != nil || len(a.Result.Settled) == 0 {
		return at, false
	}
	return a.Result.Settled[0], true
}
