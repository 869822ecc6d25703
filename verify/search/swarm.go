package search

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

// SwarmOptions bound a swarm.
type SwarmOptions struct {
	MaxSteps  uint64        // of all runs together; at least one
	MaxEvents int           // environment steps of one run; -1 means no separate bound
	MaxTime   time.Duration // wall time; 0: no bound
	Seed      uint64
	// MaxRests bounds [Swarmed.Rests]; 0: they are not kept.
	MaxRests int
}

// Swarmed is the outcome of a swarm. Apart from MaxTime and a cancellation it is a function of the system and the
// options.
type Swarmed struct {
	Runs       int
	Steps      uint64
	Violations []Violation // of each rule at most one, in the order of the rules; none is said to be inevitable
	// Rests are distinct quiescent states that runs ended in, in the order of their bytes.
	Rests [][]byte
	Late  bool // time ended the runs, or the shortening of what they found
}

// Bounds of one run.
const (
	// swarmRuns is how many runs the steps suffice for at least.
	swarmRuns = 4
	// swarmRepeats is how often a run comes to a state where it was before, until it ends.
	swarmRepeats = 32
	// swarmChoices is how many ways of one actor's step are looked at in one state.
	swarmChoices = 256
)

// Swarm looks for violations in a system that is too large to be searched: it takes runs from the initial states, each
// in a different order, and judges every step that it could take on the way. It may find a violation; finding none
// proves nothing. Each violation that it gives passes [Confirm].
//
// A run ranks the actors at random, follows the one that ranks first of those that may move, and sends it to the last
// rank now and then (S. Burckhardt et al., A randomized scheduler with probabilistic guarantees of finding bugs, 2010);
// some runs draw actors evenly in part. So one run has a loop sleep as long as another moves, which is what takes a
// search longest. Runs with few events alternate with runs with many (G. Holzmann, R. Joshi, A. Groce, Swarm
// verification techniques, 2011).
//
// Errors: [ErrSystem] and [ErrActor], as [Run].
func Swarm(ctx context.Context, sys System, opt SwarmOptions) (*Swarmed, error) {
	most := Options{MaxEvents: opt.MaxEvents}
	c, err := compile(sys, &most)
	if err != nil {
		return nil, err
	}
	s := &swarm{compiled: c, w: newWorker(c), opt: opt, best: make([]*Violation, len(sys.Rules)), rests: map[string]bool{}}
	s.opt.MaxEvents = most.MaxEvents
	for range sys.Actors {
		s.ways = append(s.ways, way{to: apart(c.Width)})
	}
	begin := time.Now()
	s.late = func() bool {
		return ctx.Err() != nil || opt.MaxTime > 0 && time.Since(begin) > opt.MaxTime
	}
	out := &s.out
	for ; out.Steps < max(opt.MaxSteps, 1) && !s.late(); out.Runs++ {
		if err := s.w.guard(s.run); err != nil {
			return nil, err
		}
	}
	for _, v := range s.best {
		if v != nil {
			if err := s.shorten(v); err != nil {
				return nil, err
			}
			out.Violations = append(out.Violations, *v)
		}
	}
	out.Late = s.late()
	for rest := range s.rests {
		out.Rests = append(out.Rests, []byte(rest))
	}
	slices.SortFunc(out.Rests, bytes.Compare)
	return out, nil
}

// swarm is the memory of its runs.
type swarm struct {
	*compiled
	w     *worker
	opt   SwarmOptions
	late  func() bool
	out   Swarmed
	best  []*Violation // by rule: the one with the fewest events and, of these, steps
	rests map[string]bool

	// of one run
	r       *rand.Rand
	rank    []int // of each actor: the lower, the sooner
	even    float64
	hasty   float64 // probability of an event in a state where a loop may move
	start   []byte
	path    []Step
	events  int
	allowed int
	// seen has the first place on the path of each canonical state since the last event; paid, by actor, and shown, by
	// rule, the last place at which a fair loop has nothing more to wait for.
	seen    map[string]int
	since   int // the place after the last event
	repeats int
	paid    []int
	shown   []int
	kept    []int // by rule: the place from which on all states persist
	ways    []way
}

// way is one of the steps that an actor may take in a state, drawn evenly, and how many there are.
type way struct {
	count int
	move  Move
	to    []byte
}

// run takes one run.
func (s *swarm) run() {
	s.begin()
	s.judgeStart()
	longest := int(max(s.opt.MaxSteps/swarmRuns, 1))
	for at := s.start; len(s.path) < longest && s.repeats < swarmRepeats; at = s.path[len(s.path)-1].To {
		if s.out.Steps++; s.out.Steps&7 == 0 && s.late() || s.out.Steps >= s.opt.MaxSteps {
			return
		}
		s.look(at)
		mover := s.mover()
		if mover < 0 {
			s.judgeEnd(at)
		} else {
			s.close(at)
		}
		event := -1
		if s.events < s.allowed && (mover < 0 || s.r.Float64() < s.hasty) {
			event = s.event(at)
		}
		switch {
		case event >= 0:
			mover = event
		case mover < 0:
			return
		}
		s.take(at, mover)
	}
}

// begin draws the order of a run.
func (s *swarm) begin() {
	s.r = rand.New(rand.NewPCG(s.opt.Seed, uint64(s.out.Runs)))
	s.rank = s.r.Perm(len(s.Actors))
	s.even = [...]float64{0, 0.05, 0.3, 1}[s.out.Runs%4]
	s.hasty = [...]float64{0, 0.02, 0.2}[s.r.IntN(3)]
	s.allowed = [...]int{1, 1, 2, 3, 16}[s.out.Runs%5]
	if most := s.opt.MaxEvents; most >= 0 {
		s.allowed = min(s.allowed, most)
	}
	s.start = s.Initial[s.r.IntN(len(s.Initial))]
	s.path, s.events, s.repeats = nil, 0, 0
	s.paid, s.shown, s.kept = make([]int, len(s.Actors)), make([]int, len(s.Rules)), make([]int, len(s.Rules))
	s.calm()
}

// calm forgets what a loop could be made of: no event is in one.
func (s *swarm) calm() {
	s.seen, s.since = map[string]int{}, len(s.path)
	for i := range s.paid {
		s.paid[i] = s.since - 1
	}
	for i := range s.shown {
		s.shown[i], s.kept[i] = s.since-1, s.since
	}
}

// look asks all loops for their steps in a state, and judges these.
func (s *swarm) look(at []byte) {
	copy(s.w.from, at)
	for a := range s.ways {
		s.ways[a].count = 0
	}
	s.w.emit.out = func(m Move) { s.w.moved++; s.offer(at, m) }
	s.w.loops()
	for _, list := range [][]int{s.prompt, s.patient} {
		for _, a := range list {
			if s.ways[a].count == 0 {
				s.paid[a] = len(s.path)
			}
		}
	}
}

// offer takes one step into the draw.
func (s *swarm) offer(at []byte, m Move) {
	a := s.w.emit.actor
	w := &s.ways[a]
	w.count++
	s.w.emit.full = w.count >= swarmChoices
	s.judgeStep(at, a, m)
	if s.r.IntN(w.count) == 0 {
		w.move = m
		copy(w.to, s.w.emit.buf)
	}
}

// mover draws the loop that moves, or gives -1 where none can.
func (s *swarm) mover() int {
	first, n := -1, 0
	evenly := s.r.Float64() < s.even
	for _, list := range [][]int{s.prompt, s.patient} {
		for _, a := range list {
			if s.ways[a].count == 0 {
				continue
			}
			n++
			if first < 0 || evenly && s.r.IntN(n) == 0 || !evenly && s.rank[a] < s.rank[first] {
				first = a
			}
		}
	}
	if first >= 0 && s.r.IntN(32) == 0 {
		s.rank[first] = len(s.Actors) + len(s.path)
	}
	return first
}

// event draws an event, or gives -1 where none is possible.
func (s *swarm) event(at []byte) int {
	copy(s.w.from, at)
	s.w.emit.out = func(m Move) { s.offer(at, m) }
	s.events++
	s.w.step(s.environment)
	s.events--
	of, n := -1, 0
	for _, a := range s.environment {
		if s.ways[a].count > 0 {
			if n++; s.r.IntN(n) == 0 {
				of = a
			}
		}
	}
	return of
}

// take goes on.
func (s *swarm) take(at []byte, a int) {
	w := &s.ways[a]
	for r := range s.Rules {
		rule := &s.Rules[r]
		if rule.Recurs != nil && rule.Recurs(at, w.to, a, w.move) || rule.Settles != nil && !rule.Settles(at) {
			s.shown[r] = len(s.path)
		}
		if rule.Persists != nil && !rule.Persists(at) {
			s.kept[r] = len(s.path) + 1
		}
	}
	s.paid[a] = len(s.path)
	s.path = append(s.path, Step{Actor: a, Move: w.move, From: at, To: bytes.Clone(w.to)})
	if s.Actors[a].Urgency() == Environment {
		s.events++
		s.calm()
	}
}

// close looks whether the path came to a state where it was before, and judges the loop.
func (s *swarm) close(at []byte) {
	copy(s.w.emit.buf, at)
	key := string(s.w.canon())
	from, some := s.seen[key]
	if !some {
		s.seen[key] = len(s.path)
		return
	}
	s.repeats++
	for _, list := range [][]int{s.prompt, s.patient} {
		for _, a := range list {
			if s.paid[a] < from {
				return
			}
		}
	}
	for _, r := range s.lasso {
		rule := &s.Rules[r]
		shows := s.shown[r] >= from || rule.Persists != nil && s.kept[r] <= from
		if shows && s.better(r, s.events, len(s.path)) {
			s.enter(Violation{Rule: r, Start: s.start, Steps: slices.Clone(s.path), CycleStart: from, Events: s.events})
		}
	}
}

// better reports whether so many events and steps are fewer than those of the known violation of a rule.
func (s *swarm) better(rule, events, steps int) bool {
	v := s.best[rule]
	return v == nil || events < v.Events || events == v.Events && steps < len(v.Steps)
}

// enter keeps what a replay confirms, while there is time for it.
func (s *swarm) enter(v Violation) {
	if !s.late() && Confirm(s.System, v) == nil {
		s.best[v.Rule] = &v
	}
}

func (s *swarm) judgeStart() {
	for _, r := range s.bad {
		if s.Rules[r].Bad(s.start) && s.better(r, 0, 0) {
			s.enter(Violation{Rule: r, Start: s.start, CycleStart: -1})
		}
	}
}

// judgeStep tries the rules on states and steps on one that may be taken.
func (s *swarm) judgeStep(at []byte, a int, m Move) {
	to := s.w.emit.buf
	found := func(r int) {
		last := Step{Actor: a, Move: m, From: at, To: bytes.Clone(to)}
		v := Violation{Rule: r, Start: s.start, Steps: append(slices.Clone(s.path), last), CycleStart: -1, Events: s.events}
		s.enter(v)
	}
	for _, r := range s.badStep {
		if s.better(r, s.events, len(s.path)+1) && s.Rules[r].BadStep(at, to, a, m) {
			found(r)
		}
	}
	for _, r := range s.bad {
		if s.better(r, s.events, len(s.path)+1) && s.Rules[r].Bad(to) {
			found(r)
		}
	}
}

// judgeEnd tries the rules on how runs end where no loop can move.
func (s *swarm) judgeEnd(at []byte) {
	if len(s.rests) < s.opt.MaxRests {
		s.rests[string(at)] = true
	}
	for _, list := range [][]int{s.quiet, s.lasso} {
		for _, r := range list {
			if s.better(r, s.events, len(s.path)) && s.Rules[r].badEnd(at) {
				s.enter(Violation{Rule: r, Start: s.start, Steps: slices.Clone(s.path), CycleStart: -1, Events: s.events})
			}
		}
	}
}
