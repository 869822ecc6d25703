package search

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// local is an actor of a random system: byte 0 of a state is a global value, the others
// are components that it moves, each in the same way.
type local struct {
	name    string
	urgency Urgency
	own     int // the only component it moves, or -1: any
	global  bool
	// moves[g][x] lists what a component at x becomes while the global value is g, and
	// what the global value becomes.
	moves [][][][2]byte
}

func (l *local) Name() string                            { return l.name }
func (l *local) Urgency() Urgency                        { return l.urgency }
func (l *local) Describe(from, to []byte, m Move) string { return fmt.Sprint(from, to) }

func (l *local) Step(s []byte, next *Emit) {
	for i := 1; i < len(s); i++ {
		if l.own >= 0 && i != l.own+1 {
			continue
		}
		for k, m := range l.moves[s[0]][s[i]] {
			t := next.Copy(s)
			t[i] = m[0]
			if l.global {
				t[0] = m[1]
			}
			next.Move(Move{Kind: uint16(k), Args: [3]int32{int32(i)}})
		}
	}
}

// shape bounds a random system.
type shape struct {
	globals, locals, components, actors int
	density                             float64
	symmetric                           bool
	urgencies                           []Urgency
}

func randomSystem(r *rand.Rand, sh shape) System {
	sys := System{Width: 1 + sh.components, Initial: [][]byte{make([]byte, 1+sh.components)}}
	if r.IntN(3) == 0 {
		s := make([]byte, 1+sh.components)
		for i := range s[1:] {
			s[1+i] = byte(r.IntN(sh.locals))
		}
		sys.Initial = append(sys.Initial, s, slices.Clone(s))
	}
	for i := range sh.actors {
		l := &local{name: fmt.Sprint("actor/", i), urgency: sh.urgencies[r.IntN(len(sh.urgencies))], own: -1, global: r.IntN(2) == 0}
		if !sh.symmetric {
			l.own = r.IntN(sh.components)
		}
		l.moves = make([][][][2]byte, sh.globals)
		for g := range l.moves {
			l.moves[g] = make([][][2]byte, sh.locals)
			for x := range l.moves[g] {
				for r.Float64() < sh.density {
					l.moves[g][x] = append(l.moves[g][x], [2]byte{byte(r.IntN(sh.locals)), byte(r.IntN(sh.globals))})
				}
			}
		}
		sys.Actors = append(sys.Actors, l)
	}
	if sh.symmetric {
		sys.Canon = func(s []byte) { slices.Sort(s[1:]) }
	}
	sys.Rules = randomRules(r, sh)
	return sys
}

// randomRules are of every kind, symmetric in the components.
func randomRules(r *rand.Rand, sh shape) []Rule {
	state := func(p float64) func(s []byte) bool {
		set := make([]bool, 256)
		for i := range set {
			set[i] = r.Float64() < p
		}
		return func(s []byte) bool {
			sum := int(s[0]) * 31
			for _, x := range s[1:] {
				sum += 1 << x
			}
			return set[sum&255]
		}
	}
	step := func(p float64) func(from, to []byte, a int, m Move) bool {
		f := state(p)
		return func(from, to []byte, a int, m Move) bool { return f([]byte{to[0], byte(a), byte(m.Kind)}) && f(from) }
	}
	return []Rule{
		{Name: "bad", Bad: state(0.1)},
		{Name: "never", Bad: func([]byte) bool { return false }},
		{Name: "bad-step", BadStep: step(0.25)},
		{Name: "quiescent", Quiescent: state(0.5)},
		{Name: "persists", Persists: state(0.6)},
		{Name: "persists-mostly", Persists: state(0.9)},
		{Name: "settles", Settles: state(0.7)},
		{Name: "settles-mostly", Settles: state(0.95)},
		{Name: "recurs", Recurs: step(0.4)},
	}
}

var randomShapes = []shape{
	{globals: 2, locals: 2, components: 2, actors: 3, density: 0.4, urgencies: []Urgency{Prompt}},
	{globals: 2, locals: 3, components: 2, actors: 3, density: 0.35, urgencies: []Urgency{Prompt, Patient}},
	{globals: 3, locals: 3, components: 3, actors: 4, density: 0.3, urgencies: []Urgency{Prompt, Patient, Environment}},
	{globals: 3, locals: 3, components: 3, actors: 5, density: 0.2, urgencies: []Urgency{Prompt, Patient, Patient, Environment}},
	{globals: 2, locals: 3, components: 3, actors: 3, density: 0.3, symmetric: true, urgencies: []Urgency{Prompt, Patient, Environment}},
	{globals: 3, locals: 3, components: 4, actors: 4, density: 0.15, symmetric: true, urgencies: []Urgency{Prompt, Patient, Environment}},
	{globals: 4, locals: 4, components: 3, actors: 5, density: 0.12, urgencies: []Urgency{Prompt, Environment}},
}

// eachRandom runs f on n random systems of every shape.
func eachRandom(t *testing.T, n int, f func(t *testing.T, r *rand.Rand, sys System)) {
	for i, sh := range randomShapes {
		for seed := range n {
			t.Run(fmt.Sprintf("shape%d/seed%d", i, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(i), uint64(seed)))
				f(t, r, randomSystem(r, sh))
			})
		}
	}
}

func TestRunEqualsTwin(t *testing.T) {
	eachRandom(t, 120, func(t *testing.T, r *rand.Rand, sys System) {
		opt := Options{MaxEvents: r.IntN(4) - 1, Settled: true, Workers: 1, sizes: sizes{noEdges: r.IntN(2) == 0}}
		got, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		want, err := twinRun(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, &sys, got, want)
		for _, v := range got.Violations {
			if err := Confirm(sys, v); err != nil {
				t.Errorf("%s: %v", sys.Rules[v.Rule].Name, err)
			}
		}
	})
}

func compare(t *testing.T, sys *System, got, want *Result) {
	t.Helper()
	type counts struct {
		Bound                            Bound
		States, Transitions              uint64
		Events, Depth, Quiescent, Cyclic int
	}
	of := func(r *Result) counts {
		return counts{r.Bound, r.States, r.Transitions, r.Events, r.Depth, r.Quiescent, r.Cyclic}
	}
	if of(got) != of(want) {
		t.Errorf("got %+v, want %+v", of(got), of(want))
	}
	if !slices.EqualFunc(got.Settled, want.Settled, bytes.Equal) {
		t.Errorf("settled: got %v, want %v", got.Settled, want.Settled)
	}
	// Counterexamples may differ, their measures may not; certainty may, where two
	// equally short ones end in different places.
	measure := func(v *Violation) [4]int {
		if v.CycleStart < 0 {
			return [4]int{v.Rule, v.Events, len(v.Steps), 0}
		}
		return [4]int{v.Rule, v.Events, v.CycleStart, len(v.Steps) - v.CycleStart}
	}
	var a, b [][4]int
	for i := range got.Violations {
		a = append(a, measure(&got.Violations[i]))
	}
	for i := range want.Violations {
		b = append(b, measure(&want.Violations[i]))
	}
	if !reflect.DeepEqual(a, b) {
		for _, r := range sys.Rules {
			t.Log(r.Name)
		}
		t.Errorf("violations (rule, events, stem, loop): got %v, want %v", a, b)
	}
}
