package search

import (
	"context"
	"math/rand/v2"
	"testing"
)

// What other checkers are known to miss or to invent must come out right here.

// TestCyclesThatNeverEndAreFound: stateright's "eventually" looks at terminal states
// only, so a cycle that never reaches the goal is missed (known to its authors).
func TestCyclesThatNeverEndAreFound(t *testing.T) {
	sys := bytesSystem([]Rule{{Name: "reaches-2", Persists: func(s []byte) bool { return s[0] != 2 }}},
		to("loop", Prompt, map[byte][]byte{0: {1, 2}, 1: {0}}))
	v := one(t, sys, Options{})
	if v.CycleStart != 0 || len(v.Steps) != 2 || v.Inevitable {
		t.Errorf("got %+v, want the loop 0, 1 and a way out", v)
	}
}

// TestJoinsAreNotConfused: stateright does not tell a state reached by a path that met
// the goal from the same state reached by one that did not. Here the path is part of
// the state, and both ends are judged.
func TestJoinsAreNotConfused(t *testing.T) {
	// 0 -> 1 (goal) -> 3, 0 -> 2 -> 4, where 3 and 4 differ by whether the goal was met
	sys := bytesSystem([]Rule{{Name: "met", Quiescent: func(s []byte) bool { return s[0] == 4 }}},
		to("a", Prompt, map[byte][]byte{0: {1, 2}, 1: {3}, 2: {4}}))
	if v := one(t, sys, Options{}); len(v.Steps) != 2 || v.Inevitable {
		t.Errorf("got %+v, want the two steps to 4", v)
	}
}

// TestChangesAreNotCounted: Kivi calls three changes of a count an oscillation. Five
// changes and then rest are none, and one change in a loop of nine steps is one.
func TestChangesAreNotCounted(t *testing.T) {
	changes := Rule{Name: "oscillation", Recurs: func(from, to []byte, a int, m Move) bool { return from[0]/10 != to[0]/10 }}
	rest := bytesSystem([]Rule{changes}, to("scaler", Prompt, map[byte][]byte{0: {10}, 10: {20}, 20: {30}, 30: {20 + 1}, 21: {10 + 1}}))
	if r, err := Run(context.Background(), rest, Options{}); err != nil || len(r.Violations) != 0 || r.Quiescent != 1 {
		t.Errorf("five changes and rest: %+v, %v", r, err)
	}
	moves := map[byte][]byte{17: {0}}
	for i := byte(0); i < 7; i++ {
		moves[i] = []byte{i + 1}
	}
	moves[7] = []byte{17}
	slow := bytesSystem([]Rule{changes}, to("scaler", Prompt, moves))
	if v := one(t, slow, Options{}); v.CycleStart != 0 || len(v.Steps) != 9 || !v.Inevitable {
		t.Errorf("a slow loop: %+v", v)
	}
}

// TestUnfairCyclesAreNone: a loop that a waiting actor would end is no violation, and
// one whose actor is disabled now and then is.
func TestUnfairCyclesAreNone(t *testing.T) {
	loops := Rule{Name: "settles", Settles: func(s []byte) bool { return s[0] == 9 }}
	fair := bytesSystem([]Rule{loops}, to("spin", Patient, map[byte][]byte{0: {1}, 1: {0}}), to("stop", Patient, map[byte][]byte{0: {9}, 1: {9}}))
	if r, err := Run(context.Background(), fair, Options{}); err != nil || len(r.Violations) != 0 {
		t.Errorf("an enabled actor must move: %+v, %v", r, err)
	}
	weak := bytesSystem([]Rule{loops}, to("spin", Patient, map[byte][]byte{0: {1}, 1: {0}}), to("stop", Patient, map[byte][]byte{0: {9}}))
	if v := one(t, weak, Options{}); len(v.Steps) != 2 || v.Inevitable {
		t.Errorf("weak fairness asks nothing of an actor that is disabled now and then: %+v", v)
	}
	prompt := bytesSystem([]Rule{loops}, to("spin", Prompt, map[byte][]byte{0: {1}, 1: {0}}), to("stop", Patient, map[byte][]byte{0: {9}, 1: {9}}))
	if v := one(t, prompt, Options{}); len(v.Steps) != 2 || !v.Inevitable {
		t.Errorf("a patient actor is not enabled while a prompt one is: %+v", v)
	}
}

// TestLoopVisitsWhatFairnessAsks: the shortest cycle through the bad state is not fair;
// the reported one must take the detour.
func TestLoopVisitsWhatFairnessAsks(t *testing.T) {
	sys := bytesSystem([]Rule{{Name: "settles", Settles: func(s []byte) bool { return s[0] != 1 }}},
		to("a", Prompt, map[byte][]byte{0: {1}, 1: {0}}),
		to("b", Prompt, map[byte][]byte{0: {2}, 1: {2}}),
		to("c", Prompt, map[byte][]byte{2: {3}, 3: {0}}),
	)
	v := one(t, sys, Options{})
	if err := Confirm(sys, *v); err != nil {
		t.Error(err)
	}
	if n := len(v.Steps) - v.CycleStart; v.CycleStart != 0 || n != 4 {
		t.Errorf("a loop of %d steps after %d, want 4 after 0: %+v", n, v.CycleStart, v.Steps)
	}
}

// TestManyActors: with more actors than the exact search of a loop keeps apart, the
// loop is still fair.
func TestManyActors(t *testing.T) {
	sys := System{Width: 70, Initial: [][]byte{make([]byte, 70)}, Rules: []Rule{{Name: "settles", Settles: func([]byte) bool { return false }}}}
	for i := range 70 {
		sys.Actors = append(sys.Actors, script{string(rune('A' + i)), Prompt, func(s []byte, next *Emit) {
			if s[(i+69)%70] != s[i] == (i > 0) {
				next.Copy(s)[i] ^= 1
				next.Move(Move{})
			}
		}})
	}
	v := one(t, sys, Options{MaxStates: 5000})
	if err := Confirm(sys, *v); err != nil {
		t.Error(err)
	}
}

// TestFewerEventsWin: a longer path with fewer events is the better counterexample, and
// a state that can be had with fewer events can still have the events saved.
func TestFewerEventsWin(t *testing.T) {
	sys := bytesSystem([]Rule{{Name: "bad", Bad: func(s []byte) bool { return s[0] == 5 }}, {Name: "late", Bad: func(s []byte) bool { return s[0] == 7 }}},
		to("loop", Prompt, map[byte][]byte{0: {1}, 1: {2}, 2: {3}, 3: {4}, 4: {5}}),
		to("event", Environment, map[byte][]byte{0: {5}, 5: {6}, 6: {7}}),
	)
	r, err := Run(context.Background(), sys, Options{MaxEvents: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) != 2 || r.Violations[0].Events != 0 || len(r.Violations[0].Steps) != 5 {
		t.Fatalf("got %+v, want five steps and no event first", r.Violations)
	}
	if v := r.Violations[1]; v.Events != 2 || len(v.Steps) != 7 || !v.Inevitable {
		t.Errorf("got %+v, want two events and seven steps", v)
	}
}

// one runs a search that must find exactly one violation.
func one(t *testing.T, sys System, opt Options) *Violation {
	t.Helper()
	r, err := Run(context.Background(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) != 1 {
		t.Fatalf("%d violations, want one: %+v", len(r.Violations), r)
	}
	return &r.Violations[0]
}

// TestLoopsBeyondTheirBudget makes the exact search of a loop give up at once: the loop
// that is reported then is still one, is fair and violates the rule.
func TestLoopsBeyondTheirBudget(t *testing.T) {
	longer := 0
	eachRandom(t, 30, func(t *testing.T, r *rand.Rand, sys System) {
		opt := Options{MaxEvents: r.IntN(4) - 1}
		exact, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.sizes = sizes{loops: 1}
		greedy, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(greedy.Violations) != len(exact.Violations) {
			t.Fatalf("%d violations, want %d", len(greedy.Violations), len(exact.Violations))
		}
		for i, v := range greedy.Violations {
			if err := Confirm(sys, v); err != nil {
				t.Error(err)
			}
			switch n := len(exact.Violations[i].Steps); {
			case v.CycleStart != exact.Violations[i].CycleStart || len(v.Steps) < n:
				t.Errorf("%+v is better than %+v", v, exact.Violations[i])
			case len(v.Steps) > n:
				longer++
			}
		}
	})
	if longer == 0 {
		t.Error("no loop was longer: the test has lost its teeth")
	}
}
