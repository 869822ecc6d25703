package search

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A swarm finds what there is: what it finds, the whole search finds with as many events or fewer, and after as few
// steps; and of what the whole search finds in a small system it misses little.
func TestSwarmFindsWhatThereIs(t *testing.T) {
	there, missed := 0, 0
	eachRandom(t, 25, func(t *testing.T, r *rand.Rand, sys System) {
		sys.MovesActors, sys.Spent = false, nil
		opt := SwarmOptions{MaxSteps: 3_000, MaxEvents: 2, Seed: r.Uint64(), MaxRests: 8}
		whole, err := Run(context.Background(), sys, Options{Workers: 1, MaxEvents: 2, Settled: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Swarm(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Swarm(context.Background(), sys, opt)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("two swarms of one seed differ: %v", err)
		}
		best := map[int]Violation{}
		for _, v := range whole.Violations {
			if o, some := best[v.Rule]; !some || v.Events < o.Events {
				best[v.Rule] = v
			}
		}
		for _, v := range got.Violations {
			o, some := best[v.Rule]
			if err := Confirm(sys, v); err != nil {
				t.Fatalf("rule %s: %v", sys.Rules[v.Rule].Name, err)
			}
			loops := v.CycleStart >= 0 || o.CycleStart >= 0 // of them the whole search gives the shortest stem first
			if !some || v.Events < o.Events || !loops && v.Events == o.Events && len(v.Steps) < len(o.Steps) || v.Inevitable {
				t.Errorf("rule %s: a swarm finds %d events, %d steps; the whole search %v, %d, %d", sys.Rules[v.Rule].Name,
					v.Events, len(v.Steps), some, o.Events, len(o.Steps))
			}
			delete(best, v.Rule)
		}
		there, missed = there+len(got.Violations)+len(best), missed+len(best)
		for _, rest := range got.Rests {
			if sys.Canon != nil {
				rest = slices.Clone(rest)
				sys.Canon(rest)
			}
			if !slices.ContainsFunc(whole.Settled, func(s []byte) bool { return slices.Equal(s, rest) }) {
				t.Errorf("%v is not where the system settles", rest)
			}
		}
	})
	t.Logf("%d violations, %d of them missed", there, missed)
	if there < 200 || missed > there/10 {
		t.Errorf("of %d violations a swarm misses %d", there, missed)
	}
}

// climber counts to a top.
type climber struct {
	i   int
	top byte
}

func (c climber) Name() string                        { return "climber/" + string(rune('a'+c.i)) }
func (c climber) Urgency() Urgency                    { return Prompt }
func (c climber) Describe(_, _ []byte, _ Move) string { return "counts" }
func (c climber) Step(s []byte, next *Emit) {
	if s[c.i] < c.top {
		next.Copy(s)[c.i]++
		next.Move(Move{})
	}
}

func climbers(n int, top byte, bad func(s []byte) bool) System {
	sys := System{Width: n, Initial: [][]byte{make([]byte, n)}, Rules: []Rule{{Name: "planted", Bad: bad}}}
	for i := range n {
		sys.Actors = append(sys.Actors, climber{i, top})
	}
	return sys
}

// A violation 40 steps deep is out of a budget of 30,000 states and found by a swarm of as many steps, in its shortest
// form; of a system without one a swarm finds nothing.
func TestSwarmReachesFurtherThanItsBudget(t *testing.T) {
	const n, top, budget = 10, 20, 30_000
	planted := func(s []byte) bool { return s[0] == top && s[1] == top && !slices.Contains(s[:6], 2) && s[9] == 0 }
	sys := climbers(n, top, planted)
	res, err := Run(context.Background(), sys, Options{Workers: 1, MaxStates: budget})
	if err != nil || res.Bound != StateBound || len(res.Violations) > 0 {
		t.Fatalf("the search alone: %+v, %v", res, err)
	}
	for seed := range uint64(3) {
		got, err := Swarm(context.Background(), sys, SwarmOptions{MaxSteps: budget, Seed: seed})
		if err != nil || len(got.Violations) != 1 {
			t.Fatalf("seed %d: %+v, %v", seed, got, err)
		}
		if v := got.Violations[0]; len(v.Steps) != 2*top || Confirm(sys, v) != nil {
			t.Errorf("seed %d: %d steps, want %d; %v", seed, len(v.Steps), 2*top, Confirm(sys, v))
		}
	}
	clean := climbers(n, top, func(s []byte) bool { return s[0] > top })
	if got, err := Swarm(context.Background(), clean, SwarmOptions{MaxSteps: budget}); err != nil || len(got.Violations) > 0 ||
		got.Steps != budget {
		t.Errorf("a clean system: %+v, %v", got, err)
	}
}

// Time that ends while what a swarm found is made shorter leaves it as it was found, and is told.
func TestSwarmIsLate(t *testing.T) {
	const n, top = 10, 20
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	sys := climbers(n, top, func(s []byte) bool {
		bad := s[0] == top && s[9] > 0
		if bad {
			if seen++; seen == 2 { // the replay of what was found
				cancel()
			}
		}
		return bad
	})
	got, err := Swarm(ctx, sys, SwarmOptions{MaxSteps: 30_000})
	if err != nil || !got.Late || len(got.Violations) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	v := got.Violations[0]
	if err := Confirm(sys, v); err != nil || len(v.Steps) <= top+1 {
		t.Errorf("%d steps, %v", len(v.Steps), err)
	}
	got, err = Swarm(context.Background(), sys, SwarmOptions{MaxSteps: 30_000})
	if err != nil || got.Late || len(got.Violations) != 1 || len(got.Violations[0].Steps) != top+1 {
		t.Errorf("in time: %+v, %v", got, err)
	}
}

// A step that is taken again by its actor and move is the first such one among all that are possible.
func TestLikewise(t *testing.T) {
	eachRandom(t, 5, func(t *testing.T, r *rand.Rand, sys System) {
		c, err := compile(sys, &Options{MaxEvents: 2})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorker(c)
		at := sys.Initial[0]
		for range 40 {
			event := r.IntN(4) == 0
			all, err := w.successors(at, event)
			if err != nil || len(all) == 0 {
				continue
			}
			of := all[r.IntN(len(all))]
			first := slices.IndexFunc(all, func(s Step) bool { return s.Actor == of.Actor && s.Move == of.Move })
			got, err := w.likewise(at, of.Actor, of.Move)
			if err != nil || got == nil || !slices.Equal(got.To, all[first].To) {
				t.Fatalf("%+v, not %+v: %v", got, all[first], err)
			}
			at = of.To
		}
	})
}
