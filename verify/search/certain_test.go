package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCutSearchesAreNotBegunAgain holds what [engine.cutFrom] goes by: a search that was cut off among what the loops
// reach from its only initial state is cut off again, with the same budget and no rules.
func TestCutSearchesAreNotBegunAgain(t *testing.T) {
	cut := 0
	eachRandom(t, 60, func(t *testing.T, r *rand.Rand, sys System) {
		sys.Initial = sys.Initial[:1]
		opt := Options{MaxEvents: r.IntN(3), MaxStates: 2 + r.Uint64N(12), Workers: 1, Settled: r.IntN(2) == 0}
		res, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		if res.Bound != StateBound || res.Closed >= 0 {
			return
		}
		cut++
		sys.Rules, opt.MaxEvents, opt.Settled = nil, 0, false
		again, err := Run(context.Background(), sys, opt)
		if err != nil || again.Bound == Complete {
			t.Errorf("%d states, then %d that are all: %v", res.States, again.States, err)
		}
	})
	if cut < 30 {
		t.Errorf("%d searches were cut off: the test has lost its teeth", cut)
	}
}

// counted counts the states that an actor is asked about.
type counted struct {
	Actor
	calls *int
}

func (c counted) Step(s []byte, next *Emit) { *c.calls++; c.Actor.Step(s, next) }

// TestCertaintyIsAskedOnce counts the states that are expanded where several rules are violated and the search was cut
// off: none again where it began with them, once for all rules where an event comes first.
func TestCertaintyIsAskedOnce(t *testing.T) {
	line := map[byte][]byte{}
	for i := byte(0); i < 250; i++ {
		line[i] = []byte{i + 1}
	}
	var rules []Rule
	for i := range 4 {
		rules = append(rules, Rule{Name: fmt.Sprint("passes 20, ", i), Bad: func(s []byte) bool { return s[0] == 20 }})
	}
	for _, c := range []struct {
		name   string
		from   byte
		event  map[byte][]byte
		most   uint64
		atMost int // states expanded
	}{
		{name: "from the start", from: 0, most: 125, atMost: 300},
		{name: "after an event", from: 255, event: map[byte][]byte{255: {1}}, most: 125, atMost: 400},
	} {
		calls := 0
		sys := bytesSystem(rules, counted{to("line", Prompt, line), &calls}, to("event", Environment, c.event))
		sys.Initial = [][]byte{{c.from}}
		res, err := Run(context.Background(), sys, Options{MaxEvents: 1, MaxStates: c.most, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if res.Bound != StateBound || len(res.Violations) != len(rules) {
			t.Fatalf("%s: bound %d, %d violations", c.name, res.Bound, len(res.Violations))
		}
		if t.Logf("%s: %d states expanded", c.name, calls); calls > c.atMost {
			t.Errorf("%s: %d states expanded, want at most %d", c.name, calls, c.atMost)
		}
	}
}

// TestCertaintyOfOneOfSeveralStarts: a search that was cut off somewhere else says nothing of what one of its initial
// states leads to.
func TestCertaintyOfOneOfSeveralStarts(t *testing.T) {
	line := map[byte][]byte{0: {1}, 1: {2}}
	for i := byte(100); i < 200; i++ {
		line[i] = []byte{i + 1}
	}
	sys := bytesSystem([]Rule{{Name: "ends at 2", Quiescent: func(s []byte) bool { return s[0] == 2 }}}, to("line", Prompt, line))
	sys.Initial = [][]byte{{0}, {100}}
	res, err := Run(context.Background(), sys, Options{MaxStates: 20, Workers: 1})
	if err != nil || res.Bound != StateBound || len(res.Violations) != 1 || !res.Violations[0].Inevitable {
		t.Errorf("got %+v, %v, want one violation that is inevitable in a search that is cut off", res, err)
	}
}
