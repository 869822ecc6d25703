package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// loose makes a random system whose actors are often independent.
func loose(r *rand.Rand, urgencies []Urgency) System {
	sh := shape{globals: 2, locals: 3, components: 5, actors: 7, density: 0.6, urgencies: urgencies}
	sys := randomSystem(r, sh)
	touches := make([]bool, sh.actors)
	for i, a := range sys.Actors {
		l := a.(*local)
		if touches[i] = r.IntN(6) == 0; !touches[i] {
			l.global = false
			for x := range l.moves[0] { // mostly upwards: a cycle stops the reduction
				l.moves[0][x] = slices.DeleteFunc(l.moves[0][x], func(m [2]byte) bool { return int(m[0]) <= x && r.IntN(4) > 0 })
			}
			l.moves[1] = l.moves[0]
		}
	}
	sys.Independent = func(a, b int) bool {
		x, y := sys.Actors[a].(*local), sys.Actors[b].(*local)
		return x.own != y.own && !(x.global && touches[b]) && !(y.global && touches[a])
	}
	target := byte(1 + r.IntN(2))
	sys.Rules = []Rule{
		{Name: "ends", Quiescent: func(s []byte) bool { return (s[0]+s[1]+s[2]+s[3]+s[4]+s[5])%3 == 0 }},
		{Name: "state", Bad: func(s []byte) bool { return s[1] == target && s[2] == 2 }},
		{Name: "step", BadStep: func(from, to []byte, a int, m Move) bool { return from[1] != to[1] && to[1] == target && from[2] == 1 }},
	}
	for i, a := range sys.Actors {
		if l := a.(*local); l.own < 2 {
			sys.Rules[1].Footprint = append(sys.Rules[1].Footprint, i)
			sys.Rules[2].Footprint = append(sys.Rules[2].Footprint, i)
		}
	}
	for i := 1; i < 3; i++ {
		if sys.Rules[i].Footprint == nil {
			sys.Rules[i].Footprint = []int{}
		}
	}
	return sys
}

// TestReduceKeepsVerdicts compares partial-order reduction with the search without it.
func TestReduceKeepsVerdicts(t *testing.T) {
	var full, reduced, violations uint64
	for i, u := range [][]Urgency{{Prompt}, {Patient, Patient, Environment}, {Prompt, Prompt, Patient, Environment}, {Prompt, Patient}} {
		for seed := range 200 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(seed)))
			sys := loose(r, u)
			opt := Options{MaxEvents: r.IntN(4) - 1, Workers: 1, Checked: seed%5 == 0}
			want, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.Reduce = true
			got, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			full, reduced = full+want.States, reduced+got.States
			if got.Quiescent != want.Quiescent {
				t.Errorf("seed %d/%d: %d quiescent states, want %d", i, seed, got.Quiescent, want.Quiescent)
			}
			brief := func(r *Result) (out []string) {
				for _, v := range r.Violations {
					out = append(out, fmt.Sprintf("%s with %d events", sys.Rules[v.Rule].Name, v.Events))
				}
				return out
			}
			violations += uint64(len(want.Violations))
			if g, w := strings.Join(brief(got), ", "), strings.Join(brief(want), ", "); g != w {
				t.Errorf("seed %d/%d: got %s; want %s", i, seed, g, w)
			}
			for _, v := range got.Violations {
				if err := Confirm(sys, v); err != nil {
					t.Error(err)
				}
			}
		}
	}
	t.Logf("%d states in full, %d reduced, %d violations", full, reduced, violations)
	if reduced*10 > full*8 || violations < 300 {
		t.Errorf("%d of %d states, %d violations: the test has lost its teeth", reduced, full, violations)
	}
}

func TestReduceRefuses(t *testing.T) {
	any := func([]byte) bool { return true }
	free := func(a, b int) bool { return true }
	for _, c := range []struct {
		change func(sys *System, opt *Options)
		why    string
	}{
		{func(s *System, o *Options) { s.Independent = nil }, "System.Independent is not set"},
		{func(s *System, o *Options) { s.MovesActors = true }, "Canon exchanges actors"},
		{func(s *System, o *Options) { o.Settled = true }, "terminal cycles"},
		{func(s *System, o *Options) { s.Rules = []Rule{{Name: "r", Settles: any}} }, "rule r is on fair cycles"},
		{func(s *System, o *Options) { s.Rules = []Rule{{Name: "r", Bad: any}} }, "rule r is on states or steps and says nothing of its Footprint"},
		{func(s *System, o *Options) { s.Rules = []Rule{{Name: "r", Bad: any, Footprint: []int{9}}} }, "there is no actor 9"},
	} {
		sys, opt := ring(3, 2), Options{Reduce: true}
		sys.Independent = free
		c.change(&sys, &opt)
		_, err := Run(context.Background(), sys, opt)
		if !errors.Is(err, ErrSystem) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("got %v, want a refusal: %s", err, c.why)
		}
	}
}

// TestReduceLosesFairCycles shows why rules on cycles are refused: the proviso lets a state
// go by with one new successor, so b is put off until a has left its loop, and of the loop
// there is only the part in which b is never served, which is not fair.
func TestReduceLosesFairCycles(t *testing.T) {
	climb := map[byte][]byte{0: {1}, 1: {0, 2}, 2: {3}}
	move := func(i int, to func(byte) []byte) func(s []byte, next *Emit) {
		return func(s []byte, next *Emit) {
			for _, x := range to(s[i]) {
				next.Copy(s)[i] = x
				next.Move(Move{})
			}
		}
	}
	sys := System{
		Width: 2, Initial: [][]byte{{0, 0}}, Independent: func(a, b int) bool { return true },
		Actors: []Actor{
			script{"a", Prompt, move(0, func(x byte) []byte { return climb[x] })},
			script{"b", Prompt, move(1, func(y byte) []byte { return []byte{1 - y} })},
		},
	}
	opt := Options{Workers: 1, Reduce: true}
	c, err := compile(sys, &opt)
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(context.Background(), c, opt)
	if err := e.explore(); err != nil {
		t.Fatal(err)
	}
	if e.store.states != 5 || e.store.find([]byte{0, 1}) != none {
		t.Errorf("%d states, want 5 without b's step in the loop", e.store.states)
	}
	sys.Rules = []Rule{{Name: "loop", Recurs: func(from, to []byte, _ int, _ Move) bool { return from[0] == 1 && to[0] == 0 }}}
	res, err := Run(context.Background(), sys, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Violations) != 1 {
		t.Error("the system has a fair cycle that violates the rule")
	}
}

// TestCanonKeepsVerdicts compares the search of canonical states with that of all.
func TestCanonKeepsVerdicts(t *testing.T) {
	var full, quotient uint64
	for i, sh := range randomShapes {
		if !sh.symmetric {
			continue
		}
		for seed := range 150 {
			r := rand.New(rand.NewPCG(uint64(i)+50, uint64(seed)))
			sys := randomSystem(r, sh)
			opt := Options{MaxEvents: r.IntN(4) - 1, Workers: 1, Checked: seed%10 == 0}
			got, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			sys.Canon = nil
			want, err := Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			full, quotient = full+want.States, quotient+got.States
			brief := func(r *Result) (out []string) {
				for _, v := range r.Violations {
					stem := len(v.Steps)
					if v.CycleStart >= 0 {
						stem = v.CycleStart
					}
					out = append(out, fmt.Sprintf("%s: %d events, %d steps", sys.Rules[v.Rule].Name, v.Events, stem))
				}
				return out
			}
			if g, w := strings.Join(brief(got), "; "), strings.Join(brief(want), "; "); g != w {
				t.Errorf("seed %d/%d: got %s; want %s", i, seed, g, w)
			}
		}
	}
	t.Logf("%d states in full, %d canonical", full, quotient)
	if quotient*3 > full*2 {
		t.Errorf("%d of %d states: the test has lost its teeth", quotient, full)
	}
}
