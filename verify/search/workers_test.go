package search

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestWorkersDoNotMatter compares whole results, byte for byte, on random systems that
// are cut into the smallest blocks, so that workers really share them.
func TestWorkersDoNotMatter(t *testing.T) {
	eachRandom(t, 25, func(t *testing.T, r *rand.Rand, sys System) {
		opt := Options{MaxEvents: r.IntN(4) - 1, Settled: true, Workers: 1, sizes: sizes{block: 64, batch: 1, solo: 1}}
		want, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 8} {
			opt.Workers = n
			got, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers: got %+v, want %+v", n, got, want)
			}
		}
	})
}

// TestBudgetsDoNotDependOnWorkers cuts searches short by states and by memory.
func TestBudgetsDoNotDependOnWorkers(t *testing.T) {
	eachRandom(t, 12, func(t *testing.T, r *rand.Rand, sys System) {
		for _, opt := range []Options{
			{MaxEvents: -1, Settled: true, MaxStates: uint64(1 + r.IntN(30))},
			{MaxEvents: -1, Settled: true, MaxBytes: uint64(20000 + r.IntN(10000))},
			{MaxEvents: 2, StopAtFirst: true},
		} {
			opt.sizes = sizes{block: 8, batch: 1, solo: 1}
			opt.Workers = 1
			want, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			if opt.MaxStates > 0 && want.States > opt.MaxStates {
				t.Errorf("%d states, budget %d", want.States, opt.MaxStates)
			}
			for _, v := range want.Violations {
				if err := Confirm(sys, v); err != nil {
					t.Error(err)
				}
			}
			opt.Workers = 3
			got, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// mirrored runs an actor on states that are stored back to front behind two bytes more.
type mirrored struct{ Actor }

func mirror(dst, s []byte) {
	for i, x := range s {
		dst[len(dst)-1-i] = x
	}
}

func (m mirrored) Step(s []byte, next *Emit) {
	inner := make([]byte, len(s)-2)
	for i := range inner {
		inner[i] = s[len(s)-1-i]
	}
	in := &Emit{buf: make([]byte, len(inner))}
	in.out = func(mv Move) {
		t := next.Copy(s)
		mirror(t, in.buf)
		next.Move(mv)
	}
	m.Actor.Step(inner, in)
}

// TestTiesDoNotDependOnLayout stores states in another order of bytes, so that every
// hash is another: the same actors must move in the same order in every
// counterexample.
func TestTiesDoNotDependOnLayout(t *testing.T) {
	eachRandom(t, 25, func(t *testing.T, r *rand.Rand, sys System) {
		if sys.Canon != nil {
			t.Skip("the representative depends on the layout")
		}
		other := System{Width: sys.Width + 2}
		for _, s := range sys.Initial {
			c := make([]byte, other.Width)
			mirror(c, s)
			other.Initial = append(other.Initial, c)
		}
		for _, a := range sys.Actors {
			other.Actors = append(other.Actors, mirrored{a})
		}
		inner := func(s []byte) []byte {
			c := make([]byte, len(s))
			mirror(c, s)
			return c[:sys.Width]
		}
		state := func(p func([]byte) bool) func([]byte) bool {
			if p == nil {
				return nil
			}
			return func(s []byte) bool { return p(inner(s)) }
		}
		step := func(p func(from, to []byte, a int, m Move) bool) func(from, to []byte, a int, m Move) bool {
			if p == nil {
				return nil
			}
			return func(from, to []byte, a int, m Move) bool { return p(inner(from), inner(to), a, m) }
		}
		for _, r := range sys.Rules {
			other.Rules = append(other.Rules, Rule{Name: r.Name, Bad: state(r.Bad), BadStep: step(r.BadStep), Quiescent: state(r.Quiescent), Persists: state(r.Persists), Settles: state(r.Settles), Recurs: step(r.Recurs)})
		}
		opt := Options{MaxEvents: r.IntN(4) - 1}
		want, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(context.Background(), other, opt)
		if err != nil {
			t.Fatal(err)
		}
		moves := func(r *Result) (out [][]int) {
			for _, v := range r.Violations {
				list := []int{v.Rule, v.CycleStart, v.Events}
				for _, s := range v.Steps {
					list = append(list, s.Actor, int(s.Move.Kind))
				}
				out = append(out, list)
			}
			return out
		}
		if g, w := moves(got), moves(want); !reflect.DeepEqual(g, w) {
			t.Errorf("got %v, want %v", g, w)
		}
	})
}

// TestStopAtFirst compares a search that ends at the first violation with the whole
// one: the violation must be as short, and as certain.
func TestStopAtFirst(t *testing.T) {
	stopped, certain := 0, 0
	eachRandom(t, 40, func(t *testing.T, r *rand.Rand, sys System) {
		for _, only := range []int{0, 2, 3, 6} { // bad, bad-step, quiescent, settles
			part := sys
			part.Rules = sys.Rules[only : only+1]
			opt := Options{MaxEvents: r.IntN(4) - 1, Workers: 1}
			want, err := Run(context.Background(), part, opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.StopAtFirst = true
			got, err := Run(context.Background(), part, opt)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Violations, want.Violations) {
				t.Errorf("got %+v, want %+v", got.Violations, want.Violations)
			}
			if (got.Bound == FirstFound) && len(got.Violations) == 0 || got.States > want.States {
				t.Errorf("bound %v with %d violations after %d states of %d", got.Bound, len(got.Violations), got.States, want.States)
			}
			if got.States < want.States {
				stopped++
			}
			if len(got.Violations) > 0 && got.Violations[0].Inevitable {
				certain++
			}
		}
	})
	if stopped < 50 || certain < 50 {
		t.Errorf("%d searches stopped, %d certain: the test has lost its teeth", stopped, certain)
	}
}

// TestEdgesDoNotMatter compares searches that keep edges, that keep none, and that drop
// them on the way for want of memory.
func TestEdgesDoNotMatter(t *testing.T) {
	dropped := 0
	eachRandom(t, 40, func(t *testing.T, r *rand.Rand, sys System) {
		for _, loops := range []int{0, 1} { // exact, greedy
			opt := Options{MaxEvents: r.IntN(4) - 1, Settled: true, sizes: sizes{block: 8, batch: 1, solo: 1, loops: loops}}
			want, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			none, less := opt, opt
			none.sizes.noEdges = true
			less.MaxBytes = want.Bytes - 1
			for _, o := range []Options{none, less} {
				got, err := Run(context.Background(), sys, o)
				if err != nil {
					t.Fatal(err)
				}
				if got.Bound == MemoryBound {
					continue // not even without edges
				}
				if o.MaxBytes > 0 {
					dropped++
				}
				got.Bytes = want.Bytes
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%+v: got %+v, want %+v", o, got, want)
				}
			}
		}
	})
	if dropped < 50 {
		t.Errorf("%d searches dropped their edges: the test has lost its teeth", dropped)
	}
}
