package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// spender is an actor of a random system: from node i to the nodes of next[i]. An event counts
// itself in the byte that stands at its place.
type spender struct {
	name    string
	urgency Urgency
	next    [][]byte
	counts  int // byte of the state; 0: none
}

func (a *spender) Name() string                        { return a.name }
func (a *spender) Urgency() Urgency                    { return a.urgency }
func (a *spender) Describe(_, _ []byte, m Move) string { return fmt.Sprint(a.name, m.Args[0]) }
func (a *spender) Step(s []byte, next *Emit) {
	if a.counts > 0 && s[a.counts] == 2 {
		return
	}
	for _, to := range a.next[s[0]] {
		t := next.Copy(s)
		t[0] = to
		if a.counts > 0 {
			t[a.counts]++
		}
		next.Move(Move{Args: [3]int32{int32(to)}})
	}
}

func spentOfBytes(s []byte) uint64 { return uint64(s[1]) | uint64(s[2])<<4 }

// TestSpentGivesEveryLeastSetOfEvents compares with brute force which sets of events lead to
// a violation, and that what is called inevitable has no good end after its last event.
func TestSpentGivesEveryLeastSetOfEvents(t *testing.T) {
	several, sure := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(7, seed))
		n := 3 + r.IntN(5)
		graph := func(degree int) [][]byte {
			out := make([][]byte, n)
			for i := range out {
				for range r.IntN(degree + 1) {
					out[i] = append(out[i], byte(r.IntN(n)))
				}
			}
			return out
		}
		bad := make([]bool, n)
		for i := range bad {
			bad[i] = r.IntN(4) == 0
		}
		loops := &spender{name: "loops", next: graph(2)}
		sys := System{
			Width: 3, Initial: [][]byte{{0, 0, 0}}, Spent: spentOfBytes,
			Actors: []Actor{loops, &spender{name: "a", urgency: Environment, next: graph(1), counts: 1}, &spender{name: "b", urgency: Environment, next: graph(1), counts: 2}},
			Rules: []Rule{
				{Name: "quiescent", Quiescent: func(s []byte) bool { return bad[s[0]] }},
				{Name: "persists", Persists: func(s []byte) bool { return bad[s[0]] }},
			},
		}
		res, err := Run(context.Background(), sys, Options{MaxEvents: -1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := leastSpent(sys, func(s []byte) bool { return bad[s[0]] && len(loops.next[s[0]]) == 0 })
		var got []uint64
		for _, v := range res.Violations {
			if err := Confirm(sys, v); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			at := v.Start
			if k := len(v.Steps); k > 0 {
				at = v.Steps[k-1].To
			}
			if v.Rule == 0 {
				got = enterLeast(got, spentOfBytes(at))
			}
			if v.Inevitable {
				sure++
				if v.Rule == 0 && endsWell(sys, loops, v, bad) {
					t.Errorf("seed %d: inevitable, and a good end can be reached", seed)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: sets of events %x, want %x", seed, got, want)
		}
		if len(want) > 1 {
			several++
		}
	}
	if several < 10 || sure < 20 {
		t.Errorf("%d systems with several least sets, %d inevitable violations: they say little", several, sure)
	}
}

// enterLeast keeps the sets that hold no other one.
func enterLeast(list []uint64, set uint64) []uint64 {
	if slices.ContainsFunc(list, func(o uint64) bool { return within(o, set) }) {
		return list
	}
	return append(slices.DeleteFunc(list, func(o uint64) bool { return within(set, o) }), set)
}

// reach visits what can be reached from some states, with events or without.
func reach(sys System, from [][]byte, events bool, visit func(s []byte)) {
	seen := map[string]bool{}
	for len(from) > 0 {
		s := from[0]
		from = from[1:]
		if seen[string(s)] {
			continue
		}
		seen[string(s)] = true
		visit(s)
		for _, a := range sys.Actors {
			x := a.(*spender)
			if x.counts > 0 && (!events || s[x.counts] == 2) {
				continue
			}
			for _, to := range x.next[s[0]] {
				t := slices.Clone(s)
				t[0] = to
				if x.counts > 0 {
					t[x.counts]++
				}
				from = append(from, t)
			}
		}
	}
}

func leastSpent(sys System, bad func(s []byte) bool) []uint64 {
	var out []uint64
	reach(sys, sys.Initial, true, func(s []byte) {
		if bad(s) {
			out = enterLeast(out, spentOfBytes(s))
		}
	})
	slices.Sort(out)
	return out
}

// endsWell reports whether a run can come to rest well after the last event of a violation.
func endsWell(sys System, loops *spender, v Violation, bad []bool) bool {
	at := v.Start
	for _, s := range v.Steps {
		if sys.Actors[s.Actor].Urgency() == Environment {
			at = s.To
		}
	}
	well := false
	reach(sys, [][]byte{at}, false, func(s []byte) { well = well || len(loops.next[s[0]]) == 0 && !bad[s[0]] })
	return well
}
