package search

import (
	"context"
	"errors"
	"strings"
	"testing"
)

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
