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

// parting makes a random system of parts that have to do with each other, in any order and in cycles, until they part:
// from then on each only rises, in patient steps and the prompt ones that follow on them. Byte 0 says whether they have
// parted, the last one counts events, the others are the parts.
func parting(r *rand.Rand) System {
	const parts, most = 3, 6
	sys := System{Width: parts + 2, Initial: [][]byte{make([]byte, parts+2)}}
	common := func(name string, u Urgency, event byte) {
		type move struct{ from, part, to, apart byte }
		var moves []move
		for range 2 + r.IntN(5) {
			moves = append(moves, move{byte(r.IntN(3)), byte(1 + r.IntN(parts)), byte(r.IntN(3)), byte(r.IntN(2))})
		}
		sys.Actors = append(sys.Actors, script{name, u, func(s []byte, next *Emit) {
			for _, m := range moves {
				if s[0] == 0 && s[m.part] == m.from && s[parts+1]+event <= 2 {
					t := next.Copy(s)
					t[0], t[m.part], t[parts+1] = m.apart, m.to, s[parts+1]+event
					next.Move(Move{})
				}
			}
		}})
	}
	common("common", Patient, 0)
	common("hasty", Patient, 0)
	common("event", Environment, 1)
	var sets [][]int
	for p := 1; p <= parts; p++ {
		for _, u := range []Urgency{Patient, Prompt} {
			rises := [most][]byte{}
			for x := range rises {
				for y := x + 1; y < most; y++ {
					if r.IntN(most-x) == 0 {
						rises[x] = append(rises[x], byte(y))
					}
				}
			}
			if u == Patient {
				sets = append(sets, []int{len(sys.Actors)})
			}
			sys.Actors = append(sys.Actors, script{fmt.Sprint(u, " of part ", p), u, func(s []byte, next *Emit) {
				if s[0] == 1 && (s[p]%2 == 1) == (u == Prompt) {
					for _, y := range rises[s[p]] {
						next.Copy(s)[p] = y
						next.Move(Move{})
					}
				}
			}})
		}
	}
	sys.Ample = func(s []byte) [][]int {
		if s[0] == 0 {
			return nil
		}
		return sets
	}
	sys.Spent = func(s []byte) uint64 { return uint64(s[parts+1]) }
	sys.Rules = slices.DeleteFunc(randomRules(r, shape{}), func(r Rule) bool { return r.Bad != nil || r.BadStep != nil })
	return sys
}

// TestAmpleKeepsFindings compares searches in which one part comes to its end after the other with such in which they
// do so in every order: the same ends, and the same violations after as many events and steps.
func TestAmpleKeepsFindings(t *testing.T) {
	var full, reduced uint64
	found := 0
	for seed := range 300 {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		sys := parting(r)
		opt := Options{MaxEvents: r.IntN(4) - 1, Workers: 1, Settled: true, sizes: sizes{noEdges: r.IntN(2) == 0}}
		less, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		whole := sys
		whole.Ample = nil
		more, err := Run(context.Background(), whole, opt)
		if err != nil {
			t.Fatal(err)
		}
		full, reduced, found = full+more.States, reduced+less.States, found+len(more.Violations)
		if less.Quiescent != more.Quiescent || less.Cyclic != more.Cyclic || !slices.EqualFunc(less.Settled, more.Settled, bytes.Equal) {
			t.Errorf("seed %d: %d ends and %d cycles, want %d and %d", seed, less.Quiescent, less.Cyclic, more.Quiescent, more.Cyclic)
		}
		if a, b := measures(less), measures(more); !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d: violations (rule, events, stem, loop, inevitable): %v, want %v", seed, a, b)
		}
		for _, v := range less.Violations {
			if err := Confirm(whole, v); err != nil {
				t.Errorf("seed %d: %s: %v", seed, sys.Rules[v.Rule].Name, err)
			}
		}
	}
	t.Logf("%d states, %d without; %d violations", reduced, full, found)
	if reduced*5 > full*4 || found < 300 {
		t.Errorf("%d states of %d, %d violations: the test has lost its teeth", reduced, full, found)
	}
}

// measures are those of violations; whether more than one event makes it inevitable hangs on the path.
func measures(r *Result) (out [][5]int) {
	for i := range r.Violations {
		v := &r.Violations[i]
		m := [5]int{v.Rule, v.Events, len(v.Steps), 0, 0}
		if v.CycleStart >= 0 {
			m[2], m[3] = v.CycleStart, len(v.Steps)-v.CycleStart
		}
		if v.Events <= 1 && v.Inevitable {
			m[4] = 1
		}
		out = append(out, m)
	}
	return out
}
