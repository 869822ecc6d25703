package search

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is an actor given as a function.
type script struct {
	name    string
	urgency Urgency
	step    func(s []byte, next *Emit)
}

func (a script) Name() string                            { return a.name }
func (a script) Urgency() Urgency                        { return a.urgency }
func (a script) Step(s []byte, next *Emit)               { a.step(s, next) }
func (a script) Describe(from, to []byte, m Move) string { return a.name }

// to makes an actor that leads from states to states of one byte.
func to(name string, u Urgency, moves map[byte][]byte) script {
	return script{name, u, func(s []byte, next *Emit) {
		for _, t := range moves[s[0]] {
			next.Copy(s)[0] = t
			next.Move(Move{})
		}
	}}
}

func bytesSystem(rules []Rule, actors ...Actor) System {
	return System{Width: 1, Initial: [][]byte{{0}}, Actors: actors, Rules: rules}
}

func TestBadInputIsNamed(t *testing.T) {
	fine := to("fine", Prompt, map[byte][]byte{0: {1}})
	any := func([]byte) bool { return true }
	var calls int
	boom := func([]byte) bool { panic("boom") }
	for _, c := range []struct {
		name string
		sys  System
		opt  Options
		is   error
		want string
	}{
		{"width", System{Initial: [][]byte{{}}}, Options{}, ErrSystem, "Width is 0"},
		{"no initial", System{Width: 1}, Options{}, ErrSystem, "no initial state"},
		{"long initial", System{Width: 1, Initial: [][]byte{{0}, {1, 2}}}, Options{}, ErrSystem, "initial state 1 has 2 bytes, Width says 1"},
		{"nil actor", bytesSystem(nil, nil), Options{}, ErrSystem, "actor 0 is nil"},
		{"twins", bytesSystem(nil, fine, fine), Options{}, ErrSystem, `two actors are named "fine"`},
		{"urgency", bytesSystem(nil, to("odd", 7, nil)), Options{}, ErrSystem, "actor odd has the unknown urgency 7"},
		{"no predicate", bytesSystem([]Rule{{Name: "r"}}, fine), Options{}, ErrSystem, "rule r sets 0 predicates"},
		{"two predicates", bytesSystem([]Rule{{Name: "r", Bad: any, Settles: any}}, fine), Options{}, ErrSystem, "rule r sets 2 predicates"},
		{"same rule", bytesSystem([]Rule{{Name: "r", Bad: any}, {Name: "r", Bad: any}}, fine), Options{}, ErrSystem, `two rules are named "r"`},
		{"events", bytesSystem(nil, fine), Options{MaxEvents: -2}, ErrSystem, "MaxEvents is -2"},
		{"time", bytesSystem(nil, fine), Options{MaxTime: -1}, ErrSystem, "MaxTime is -1ns"},
		{"workers", bytesSystem(nil, fine), Options{Workers: -1}, ErrSystem, "Workers is -1"},
		{"compact and cycles", bytesSystem([]Rule{{Name: "r", Settles: any}}, fine), Options{Compact: true}, ErrSystem, "hash compaction"},
		{
			"moved actors",
			System{Width: 1, Initial: [][]byte{{0}}, MovesActors: true, Rules: []Rule{{Name: "r", Settles: any}}},
			Options{}, ErrSystem, "rule r asks for fairness per actor",
		},
		{"actor panics", bytesSystem(nil, script{"bomb", Prompt, func(s []byte, next *Emit) { panic("boom") }}), Options{}, ErrActor, "actor bomb panics: boom"},
		{"event panics", bytesSystem(nil, script{"bomb", Environment, func(s []byte, next *Emit) { panic("boom") }}), Options{MaxEvents: 1}, ErrActor, "actor bomb panics: boom"},
		{"invariant panics", bytesSystem([]Rule{{Name: "r", Bad: boom}}, fine), Options{}, ErrSystem, "rule r panics: boom"},
		{"end panics", bytesSystem([]Rule{{Name: "r", Quiescent: boom}}, fine), Options{}, ErrSystem, "rule r panics: boom"},
		{"match set panics", bytesSystem([]Rule{{Name: "r", Settles: boom}}, to("loop", Prompt, map[byte][]byte{0: {0}})), Options{}, ErrSystem, "rule r panics: boom"},
		{"persistence panics", bytesSystem([]Rule{{Name: "r", Persists: boom}}, to("loop", Prompt, map[byte][]byte{0: {0}})), Options{}, ErrSystem, "rule r panics: boom"},
		{
			"step panics",
			bytesSystem([]Rule{{Name: "r", BadStep: func(from, to []byte, a int, m Move) bool { panic("boom") }}}, fine),
			Options{}, ErrSystem, "rule r panics: boom",
		},
		{
			"Canon panics",
			System{Width: 1, Initial: [][]byte{{0}}, Canon: func([]byte) { panic("boom") }},
			Options{}, ErrSystem, "Canon panics: boom",
		},
		{
			"too long", bytesSystem(nil, script{"long", Prompt, func(s []byte, next *Emit) { next.Copy(append(s, 1)); next.Move(Move{}) }}),
			Options{}, ErrActor, "actor long copies a state of 2 bytes where the system declares 1",
		},
		{
			"no copy", bytesSystem(nil, script{"hasty", Prompt, func(s []byte, next *Emit) { next.Move(Move{}) }}),
			Options{}, ErrActor, "actor hasty calls Move without a Copy of its own",
		},
		{
			"not deterministic", bytesSystem(nil, script{"moody", Prompt, func(s []byte, next *Emit) {
				calls++
				next.Copy(s)[0] = byte(calls)
				next.Move(Move{})
			}}),
			Options{Checked: true}, ErrActor, "actor moody is not deterministic",
		},
		{
			"changes its state", bytesSystem(nil, script{"vandal", Prompt, func(s []byte, next *Emit) {
				if s[0] < 3 {
					s[0]++
					next.Copy(s)
					next.Move(Move{})
				}
			}}),
			Options{Checked: true}, ErrActor, "actor vandal changes the state 00 that it is given, to 01",
		},
		{
			"dependent",
			System{
				Width: 1, Initial: [][]byte{{0}}, Independent: func(a, b int) bool { return true },
				Actors: []Actor{to("a", Prompt, map[byte][]byte{0: {1}}), to("b", Prompt, map[byte][]byte{0: {2}})},
			},
			Options{Checked: true}, ErrSystem, "do not commute in state 00",
		},
		{
			"no symmetry",
			System{
				Width: 2, Initial: [][]byte{{0, 0}}, Canon: func(s []byte) { s[0], s[1] = min(s[0], s[1]), max(s[0], s[1]) },
				Actors: []Actor{script{"left", Prompt, func(s []byte, next *Emit) {
					if s[0] < 2 {
						next.Copy(s)[0]++
						next.Move(Move{})
					}
				}}},
			},
			Options{Checked: true}, ErrSystem, "Canon is no symmetry",
		},
		{
			"asymmetric rule",
			System{
				Width: 2, Initial: [][]byte{{0, 0}}, Canon: func(s []byte) { s[0], s[1] = min(s[0], s[1]), max(s[0], s[1]) },
				Actors: []Actor{script{"any", Prompt, func(s []byte, next *Emit) {
					for i := range s {
						if s[i] < 2 {
							next.Copy(s)[i]++
							next.Move(Move{})
						}
					}
				}}},
				Rules: []Rule{{Name: "r", Settles: func(s []byte) bool { return s[0] == 0 }}},
			},
			Options{Checked: true}, ErrSystem, "rule r is not symmetric",
		},
		{
			"not idempotent",
			System{
				Width: 1, Initial: [][]byte{{0}}, Canon: func(s []byte) { s[0] = (s[0] + 1) % 3 },
				Actors: []Actor{to("a", Prompt, map[byte][]byte{1: {0}})},
			},
			Options{Checked: true}, ErrSystem, "Canon is not idempotent",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				opt := c.opt
				if opt.Workers == 0 {
					opt.Workers = workers
				}
				_, err := Run(context.Background(), c.sys, opt)
				if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %v ... %s", err, c.is, c.want)
				}
			}
		})
	}
}

// TestWrongSymmetryIsFoundByItsPath: without the checked mode, a canonical form that is
// no symmetry shows where a counterexample cannot be followed.
func TestWrongSymmetryIsFoundByItsPath(t *testing.T) {
	sys := System{
		Width: 1, Initial: [][]byte{{0}}, Canon: func(s []byte) { s[0] &^= 1 },
		Actors: []Actor{to("a", Prompt, map[byte][]byte{0: {3}, 2: {4}})},
		Rules:  []Rule{{Name: "r", Bad: func(s []byte) bool { return s[0] == 4 }}},
	}
	if _, err := Run(context.Background(), sys, Options{}); !errors.Is(err, ErrActor) || !strings.Contains(err.Error(), "step 2 of a path cannot be taken again") {
		t.Errorf("got %v", err)
	}
}

func TestBudgets(t *testing.T) {
	run := func(opt Options) *Result {
		t.Helper()
		r, err := Run(context.Background(), ring(4, 9), opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := run(Options{}); r.Bound != Complete || r.States != 10000 {
		t.Errorf("no budget: %v after %d states", r.Bound, r.States)
	}
	if r := run(Options{MaxStates: 10000}); r.Bound != Complete {
		t.Errorf("a budget of exactly the states there are: bound %v", r.Bound)
	}
	if r := run(Options{MaxStates: 9999}); r.Bound != StateBound || r.States != 9999 {
		t.Errorf("one less: bound %v after %d states", r.Bound, r.States)
	}
	if r := run(Options{MaxBytes: 1 << 18}); r.Bound != MemoryBound || r.States == 0 || r.Bytes > 1<<20 {
		t.Errorf("256 KiB: bound %v after %d states in %d bytes", r.Bound, r.States, r.Bytes)
	}
	if r := run(Options{MaxTime: 1}); r.Bound != TimeBound || r.States < 1 {
		t.Errorf("a nanosecond: bound %v after %d states", r.Bound, r.States)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(ctx, ring(4, 9), Options{}); err != nil || r.Bound != Cancelled {
		t.Errorf("a cancelled context: %+v, %v", r, err)
	}
}

// TestEdgesGoFirst: a budget that the states alone would keep is kept by dropping edges.
func TestEdgesGoFirst(t *testing.T) {
	for _, budget := range []uint64{0, 1 << 20} {
		c, err := compile(ring(4, 9), &Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(context.Background(), c, Options{Workers: 1, Settled: true, MaxBytes: budget, sizes: sizes{block: 256, batch: 16, solo: 1}})
		if err := e.explore(); err != nil {
			t.Fatal(err)
		}
		if (e.edges == nil) != (budget > 0) || e.result.Bound != Complete || budget > 0 && e.result.Bytes > budget {
			t.Errorf("budget %d: edges dropped %v, bound %v, %d bytes", budget, e.edges == nil, e.result.Bound, e.result.Bytes)
		}
	}
}

// TestCancelWhileRunning cancels from within, before and during the search for cycles.
func TestCancelWhileRunning(t *testing.T) {
	for _, after := range []int{1000, 100000, 250000} {
		ctx, cancel := context.WithCancel(context.Background())
		sys := ring(4, 9)
		n := 0
		inner := sys.Actors[0]
		sys.Actors[0] = script{"counter/0", Prompt, func(s []byte, next *Emit) {
			if n++; n == after {
				cancel()
			}
			inner.Step(s, next)
		}}
		sys.Rules = []Rule{{Name: "r", Settles: func(s []byte) bool { return true }}}
		r, err := Run(ctx, sys, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := Cancelled
		if n < after {
			want = Complete
		}
		if r.Bound != want {
			t.Errorf("cancelled at step %d of %d: bound %v", after, n, r.Bound)
		}
		cancel()
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []Progress
		sys := ring(4, 9)
		inner := sys.Actors[0]
		sys.Actors[0] = script{"counter/0", Prompt, func(s []byte, next *Emit) {
			time.Sleep(time.Millisecond)
			inner.Step(s, next)
		}}
		r, err := Run(context.Background(), sys, Options{Workers: 1, Progress: func(p Progress) { got = append(got, p) }})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) < 10 || len(got) > 100 {
			t.Errorf("%d calls in ten seconds", len(got))
		}
		for i := 1; i < len(got); i++ {
			a, b := got[i-1], got[i]
			if a.States > b.States || a.Transitions >= b.Transitions || b.States > r.States || b.Elapsed-a.Elapsed < 100*time.Millisecond || a.Depth > b.Depth {
				t.Errorf("%+v and then %+v", a, b)
			}
		}
	})
}

// TestCompact compares hash compaction with the exact search.
func TestCompact(t *testing.T) {
	sys := ring(8, 2)
	sys.Width = 60
	sys.Initial = [][]byte{make([]byte, 60)}
	sys.Rules = []Rule{{Name: "full", Bad: func(s []byte) bool { return string(s[:8]) == strings.Repeat("\x02", 8) }}}
	small := sizes{block: 128, batch: 16, solo: 1}
	want, err := Run(context.Background(), sys, Options{sizes: small})
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{MaxBytes: want.Bytes * 3 / 4, sizes: small}
	if r, err := Run(context.Background(), sys, opt); err != nil || r.Bound != MemoryBound {
		t.Fatalf("without compaction: %+v, %v", r, err)
	}
	opt.Compact = true
	var last *Result
	for _, workers := range []int{1, 2, 8} {
		opt.Workers = workers
		got, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Compacted || got.MissProbability <= 0 || got.MissProbability > 1e-9 {
			t.Errorf("compacted %v, missed with probability %g", got.Compacted, got.MissProbability)
		}
		if got.States != want.States || got.Transitions != want.Transitions || !reflect.DeepEqual(got.Violations[0].Steps, want.Violations[0].Steps) {
			t.Errorf("got %d states, %d transitions; want %d, %d", got.States, got.Transitions, want.States, want.Transitions)
		}
		if last != nil && !reflect.DeepEqual(got, last) {
			t.Errorf("%d workers: %+v, not %+v", workers, got, last)
		}
		last = got
	}
}
