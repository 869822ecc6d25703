package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// climbing makes a random system that seldom cycles and whose actors move one component
// each, with what is needed to screen it.
func climbing(r *rand.Rand, urgencies []Urgency) System {
	sh := shape{globals: 2, locals: 3, components: 5, actors: 7, density: 0.5, urgencies: urgencies}
	sys := randomSystem(r, sh)
	touches := make([]bool, sh.actors)
	for i, a := range sys.Actors {
		l := a.(*local)
		touches[i] = r.IntN(4) == 0
		l.global = l.global && touches[i]
		for g := range l.moves {
			for x := range l.moves[g] {
				l.moves[g][x] = slices.DeleteFunc(l.moves[g][x], func(m [2]byte) bool { return int(m[0]) <= x && r.IntN(40) > 0 })
			}
		}
		if !touches[i] {
			l.moves[1] = l.moves[0]
		}
	}
	sys.Confluent = func(s []byte, a int) bool {
		x := sys.Actors[a].(*local)
		for b := range sys.Actors {
			y := sys.Actors[b].(*local)
			if b != a && (x.own == y.own || x.global || y.global && touches[a]) {
				return false
			}
		}
		return x.own > 1 // what the rules look at
	}
	sys.Wakes = func(a int) (prompt []int, some bool) {
		x := sys.Actors[a].(*local)
		for b := range sys.Actors {
			if y := sys.Actors[b].(*local); y.urgency == Prompt && (x.own == y.own || x.global) {
				prompt = append(prompt, b)
			}
		}
		return prompt, a%3 > 0
	}
	sys.Rules = screenRules(r)
	return sys
}

func screenRules(r *rand.Rand) []Rule {
	target := byte(1 + r.IntN(2))
	sum := func(s []byte) (n int) {
		for _, x := range s {
			n += int(x)
		}
		return n
	}
	rest := r.IntN(7)
	return []Rule{
		{Name: "state", Bad: func(s []byte) bool { return s[1] == target && s[2] == 2 }},
		{Name: "step", BadStep: func(from, to []byte, a int, m Move) bool { return from[1] != to[1] && to[1] == target && from[2] == 1 }},
		{Name: "ends", Quiescent: func(s []byte) bool { return sum(s)%7 == rest }},
		{Name: "persists", Persists: func(s []byte) bool { return sum(s)%5 == 0 }},
		{Name: "settles", Settles: func(s []byte) bool { return sum(s)%9 != rest }},
		{Name: "recurs", Recurs: func(from, to []byte, a int, m Move) bool { return a%2 == 0 }},
	}
}

// TestScreenKeepsResults compares screened searches with plain ones: the same violations
// by the same paths, the same states in which everything rests, or nothing at all where
// there is a cycle.
func TestScreenKeepsResults(t *testing.T) {
	var plain, kept uint64
	screened, violations, cyclic := 0, 0, 0
	for i, u := range [][]Urgency{{Prompt}, {Prompt, Prompt, Patient, Environment}, {Prompt, Patient}, {Prompt, Prompt, Prompt, Environment}} {
		for seed := range 300 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(seed)))
			sys := climbing(r, u)
			opt := Options{MaxEvents: r.IntN(4) - 1, Workers: 1 + seed%2, Settled: seed%3 == 0}
			want, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, off := range [][2]bool{{}, {true, false}, {false, true}} {
				part := sys
				if off[0] {
					part.Confluent = nil
				}
				if off[1] {
					part.Wakes = nil
				}
				got, err := RunScreened(context.Background(), part, opt)
				if err != nil {
					t.Fatal(err)
				}
				if got == nil {
					if !cycles(t, sys, opt) {
						t.Errorf("seed %d/%d: not screened, and there is no cycle", i, seed)
					}
					cyclic++
					continue
				}
				if !reflect.DeepEqual(got.Violations, want.Violations) {
					t.Errorf("seed %d/%d, without %v: got %s; want %s", i, seed, off, outlined(sys, got), outlined(sys, want))
				}
				if got.Bound != want.Bound || !reflect.DeepEqual(got.Settled, want.Settled) {
					t.Errorf("seed %d/%d, without %v: bound %d, %d settled; want %d, %d", i, seed, off, got.Bound, len(got.Settled), want.Bound, len(want.Settled))
				}
				screened++
				violations += len(got.Violations)
				if len(got.Violations) == 0 && off == [2]bool{} {
					plain, kept = plain+want.States, kept+got.States
				}
			}
		}
	}
	t.Logf("%d screened, %d violations, %d cyclic; of %d states %d kept where nothing is found", screened, violations, cyclic, plain, kept)
	if screened < 1000 || violations < 1000 || cyclic < 100 || kept*10 > plain*8 {
		t.Error("the test has lost its teeth")
	}
}

// cycles reports whether some run goes in a circle without events.
func cycles(t *testing.T, sys System, opt Options) bool {
	t.Helper()
	sys.Rules = []Rule{{Name: "any", Recurs: func(_, _ []byte, _ int, _ Move) bool { return true }}}
	opt.sizes.screens = true
	res, err := Run(context.Background(), sys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return len(res.Violations) > 0
}

func outlined(sys System, r *Result) (out []string) {
	for _, v := range r.Violations {
		out = append(out, fmt.Sprintf("%s after %d steps with %d events", sys.Rules[v.Rule].Name, len(v.Steps), v.Events))
	}
	return out
}
