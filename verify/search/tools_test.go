package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestSimulate(t *testing.T) {
	quiescent, violated := 0, 0
	eachRandom(t, 20, func(t *testing.T, r *rand.Rand, sys System) {
		opt := Options{MaxEvents: r.IntN(4) - 1}
		walk, err := Simulate(context.Background(), sys, opt, 7, 30)
		if err != nil {
			t.Fatal(err)
		}
		if err := Replay(sys, walk.Start, walk.Steps); err != nil {
			t.Error(err)
		}
		again, _ := Simulate(context.Background(), sys, opt, 7, 30)
		if !reflect.DeepEqual(walk, again) {
			t.Error("the same seed gives another walk")
		}
		res, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		known := map[int]bool{}
		for _, v := range res.Violations {
			known[v.Rule] = true
		}
		for _, i := range walk.Violated {
			violated++
			if !known[i] {
				t.Errorf("the walk violates %s, the search says it holds", sys.Rules[i].Name)
			}
		}
		if walk.Quiescent {
			quiescent++
		}
	})
	if quiescent == 0 || violated == 0 {
		t.Error("no walk ended, or none broke a rule")
	}
}

func TestReplayRefuses(t *testing.T) {
	sys := bytesSystem([]Rule{
		{Name: "settles", Settles: func(s []byte) bool { return s[0] == 9 }},
		{Name: "bad", Bad: func(s []byte) bool { return s[0] == 2 }},
	},
		to("prompt", Prompt, map[byte][]byte{0: {1}}),
		to("patient", Patient, map[byte][]byte{0: {2}, 1: {2}, 2: {1}}),
		to("idle", Patient, map[byte][]byte{1: {1}, 2: {2}}),
	)
	st := func(actor int, from, to byte) Step { return Step{Actor: actor, From: []byte{from}, To: []byte{to}} }
	for _, c := range []struct {
		v    Violation
		want string
	}{
		{Violation{Start: []byte{3}}, "the start is no initial state"},
		{Violation{Start: []byte{0}, Rule: 5}, "there is no rule 5"},
		{Violation{Start: []byte{0}, Steps: []Step{st(7, 0, 1)}}, "step 1: there is no actor 7"},
		{Violation{Start: []byte{0}, Steps: []Step{st(1, 0, 2)}}, "step 1: patient is not enabled"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1), st(1, 2, 1)}}, "step 2 (patient) starts elsewhere than step 1 ended"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1)}, Events: 1, CycleStart: -1}, "0 events, the violation says 1"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1)}, CycleStart: -1}, "does not end in a violation of rule settles"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1), st(1, 1, 2)}, CycleStart: 1}, "the loop does not close"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1)}, CycleStart: 1}, "the loop has no steps"},
		{Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1), st(1, 1, 2), st(1, 2, 1)}, CycleStart: 1}, "not fair: idle is enabled all along and never moves"},
		{Violation{Rule: 1, Start: []byte{0}, Steps: []Step{st(0, 0, 1), st(2, 1, 1), st(1, 1, 2), st(1, 2, 1)}, CycleStart: 1}, "does not violate rule bad"},
	} {
		if err := Confirm(sys, c.v); !errors.Is(err, ErrReplay) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	good := Violation{Start: []byte{0}, Steps: []Step{st(0, 0, 1), st(2, 1, 1), st(1, 1, 2), st(1, 2, 1)}, CycleStart: 1}
	if err := Confirm(sys, good); err != nil {
		t.Error(err)
	}
}

func TestDOT(t *testing.T) {
	sys := bytesSystem([]Rule{{Name: "bad", Bad: func(s []byte) bool { return s[0] == 2 }}},
		to("loop", Prompt, map[byte][]byte{0: {1}, 3: {3}}),
		to("event", Environment, map[byte][]byte{0: {2}, 1: {3}, 3: {0}}),
	)
	var b strings.Builder
	if err := DOT(context.Background(), &b, sys, Options{MaxEvents: 1}, func(s []byte) string { return fmt.Sprint(s[0]) }); err != nil {
		t.Fatal(err)
	}
	want := `digraph states {
	n0 [label="0"]
	n0 -> n1 [label="loop"]
	n0 -> n2 [label="event", style=dashed]
	n1 [label="1", peripheries=2]
	n1 -> n3 [label="event", style=dashed]
	n2 [label="2", peripheries=2, style=filled]
	n3 [label="3"]
	n3 -> n3 [label="loop"]
}
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	if err := DOT(context.Background(), &b, ring(4, 9), Options{MaxStates: 10}, nil); err != nil || !strings.Contains(b.String(), "more [shape=none") {
		t.Errorf("a cut graph: %v\n%s", err, b.String())
	}
}

// TestNoAllocationPerTransition expands a block of states again when all memory has
// its size: the few allocations are of the block, not of its transitions.
func TestNoAllocationPerTransition(t *testing.T) {
	c, err := compile(ring(5, 9), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(context.Background(), c, Options{Workers: 1})
	e.keepOrder = true
	if err := e.explore(); err != nil {
		t.Fatal(err)
	}
	var block []uint32
	for _, b := range e.layers.buckets {
		block = append(block, b.order...)
	}
	block = block[:blockStates]
	transitions := 0
	allocs := testing.AllocsPerRun(5, func() {
		if err := e.expandBlock(block, false); err != nil {
			t.Fatal(err)
		}
		if err := e.insertBlock(); err != nil {
			t.Fatal(err)
		}
		transitions = len(e.places)
	})
	t.Logf("%.0f allocations, %d transitions", allocs, transitions)
	if allocs > 10 || transitions < 5*blockStates {
		t.Errorf("%.0f allocations for %d transitions", allocs, transitions)
	}
}
