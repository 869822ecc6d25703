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

// randomSteps gives each of n states up to so many steps.
func randomSteps(r *rand.Rand, n, degree int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		for range r.IntN(degree + 1) {
			out[i] = append(out[i], byte(r.IntN(n)))
		}
	}
	return out
}

// TestSpentGivesEveryLeastSetOfEvents compares with brute force which sets of events lead to
// a violation, and that what is called inevitable has no good end after its last event.
func TestSpentGivesEveryLeastSetOfEvents(t *testing.T) {
	several, sure := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(7, seed))
		n := 3 + r.IntN(5)
		graph := func(degree int) [][]byte { return randomSteps(r, n, degree) }
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

// TestInevitableFromEveryStart compares with brute force what one event makes inevitable where runs
// begin in several states at rest: from each of them that is not bad itself the event has to lead
// to a state without a good end. That one of them is bad without an event hides nothing of it.
func TestInevitableFromEveryStart(t *testing.T) {
	sure, some, both := 0, 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(8, seed))
		n := 5 + r.IntN(4)
		graph := func(degree int) [][]byte { return randomSteps(r, n, degree) }
		bad := make([]bool, n)
		for i := 2; i < n; i++ {
			bad[i] = r.IntN(2) == 0
		}
		bad[seed%2] = seed%4 > 1 // where runs begin all is well, or not everywhere
		loops := &spender{name: "loops", next: graph(2)}
		loops.next[0], loops.next[1] = nil, nil
		events := [3]*spender{1: {name: "a", urgency: Environment, next: graph(2), counts: 1}, 2: {name: "b", urgency: Environment, next: graph(1), counts: 2}}
		sys := System{
			Width: 3, Initial: [][]byte{{0, 0, 0}, {1, 0, 0}}, Spent: spentOfBytes, Actors: []Actor{loops, events[1], events[2]},
			Rules: []Rule{
				{Name: "quiescent", Quiescent: func(s []byte) bool { return bad[s[0]] }},
				{Name: "cycles are searched for", Persists: func([]byte) bool { return false }},
			},
		}
		res, err := Run(context.Background(), sys, Options{MaxEvents: -1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for kind := 1; kind <= 2; kind++ {
			from := func(start byte) bool {
				return bad[start] || slices.ContainsFunc(events[kind].next[start], func(to byte) bool { return noGoodEndOf(loops, bad, to) })
			}
			want, set := from(0) && from(1), uint64(1)<<(4*(kind-1))
			got := slices.ContainsFunc(res.Violations, func(v Violation) bool {
				at := v.Start
				if k := len(v.Steps); k > 0 {
					at = v.Steps[k-1].To
				}
				return v.Inevitable && spentOfBytes(at) == set
			})
			if got != want {
				t.Errorf("seed %d: event %d makes it inevitable: %v, want %v", seed, kind, got, want)
			}
			if want {
				sure++
			} else if from(0) || from(1) {
				some++
			}
		}
		dooms := func(set uint64) bool {
			from := func(start byte, exactly bool) bool { return eventDooms(sys, loops, bad, start, set, exactly) }
			return from(0, false) && from(1, false) && (from(0, true) || from(1, true))
		}
		for _, set := range []uint64{0x11, 0x02, 0x20, 0x21, 0x12} {
			sureWithin := slices.ContainsFunc(res.Violations, func(v Violation) bool { return v.Inevitable && within(spentAtEnd(v), set) })
			if want := dooms(set); want && !sureWithin {
				t.Errorf("seed %d: events %x make it inevitable, and none of them is said to", seed, set)
			} else if want {
				both++
			}
		}
		for _, v := range res.Violations {
			if set := spentAtEnd(v); v.Inevitable && len(v.Steps) > 0 && !dooms(set) {
				t.Errorf("seed %d: events %x are called inevitable, and are not from everywhere", seed, set)
			}
		}
	}
	if sure < 100 || some < 100 || both < 100 {
		t.Errorf("%d times inevitable from everywhere, %d of them after two events, %d times from somewhere: they say little",
			sure, both, some)
	}
}

// eventDooms reports whether a run from a node at rest has no good end after an event of a set, though it had one before.
// exactly: after all of them.
func eventDooms(sys System, loops *spender, bad []bool, start byte, set uint64, exactly bool) bool {
	if noGoodEndOf(loops, bad, start) && !exactly {
		return true
	}
	seen := map[string]bool{}
	for todo := [][]byte{{start, 0, 0}}; len(todo) > 0; {
		s := todo[0]
		if todo = todo[1:]; seen[string(s)] {
			continue
		}
		seen[string(s)] = true
		for _, a := range sys.Actors {
			x := a.(*spender)
			for _, to := range x.next[s[0]] {
				next := []byte{to, s[1], s[2]}
				if x.counts > 0 {
					next[x.counts]++
				}
				if !within(spentOfBytes(next), set) {
					continue
				}
				if x.counts > 0 && !noGoodEndOf(loops, bad, s[0]) && noGoodEndOf(loops, bad, to) && (!exactly || spentOfBytes(next) == set) {
					return true
				}
				todo = append(todo, next)
			}
		}
	}
	return false
}

// noGoodEndOf reports whether every run of the loops from a node ends in a bad one at rest.
func noGoodEndOf(loops *spender, bad []bool, from byte) bool {
	reached := func(from byte) (out []byte) {
		out = []byte{from}
		for i := 0; i < len(out); i++ {
			for _, to := range loops.next[out[i]] {
				if !slices.Contains(out, to) {
					out = append(out, to)
				}
			}
		}
		return out
	}
	atRest := func(i byte) bool { return len(loops.next[i]) == 0 }
	return !slices.ContainsFunc(reached(from), func(i byte) bool {
		return atRest(i) && !bad[i] || !slices.ContainsFunc(reached(i), atRest) // a cycle that is never left keeps the rule
	})
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

// TestCutSearchesSayWhatTheyDoNotKnow ends searches anywhere: what is called inevitable then is so in the whole, and what
// the whole calls inevitable is called so, undecided, or not found.
func TestCutSearchesSayWhatTheyDoNotKnow(t *testing.T) {
	undecided, sure := 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(9, seed))
		n := 6 + r.IntN(6)
		bad := make([]bool, n)
		for i := 2; i < n; i++ {
			bad[i] = r.IntN(2) == 0
		}
		loops := &spender{name: "loops", next: randomSteps(r, n, 2)}
		loops.next[0], loops.next[1] = nil, nil
		sys := System{
			Width: 3, Initial: [][]byte{{0, 0, 0}, {1, 0, 0}}, Spent: spentOfBytes,
			Actors: []Actor{loops, &spender{name: "a", urgency: Environment, next: randomSteps(r, n, 2), counts: 1},
				&spender{name: "b", urgency: Environment, next: randomSteps(r, n, 1), counts: 2}},
			Rules: []Rule{{Name: "persists", Persists: func(s []byte) bool { return bad[s[0]] }}},
		}
		run := func(most uint64) []Violation {
			res, err := Run(context.Background(), sys, Options{MaxEvents: -1, Workers: 1, MaxStates: most})
			if err != nil {
				t.Fatal(err)
			}
			return res.Violations
		}
		whole := run(0)
		inevitable := func(set uint64, in func(a, b uint64) bool) bool {
			return slices.ContainsFunc(whole, func(v Violation) bool { return v.Inevitable && in(spentAtEnd(v), set) })
		}
		for _, v := range run(2 + uint64(r.IntN(40))) {
			set := spentAtEnd(v)
			switch {
			case v.Undecided:
				undecided++
				if v.Inevitable {
					t.Errorf("seed %d: both undecided and inevitable", seed)
				}
			case v.Inevitable:
				if sure++; !inevitable(set, within) {
					t.Errorf("seed %d: events %x are called inevitable, and the whole does not say so", seed, set)
				}
			case inevitable(set, func(a, b uint64) bool { return a == b }):
				t.Errorf("seed %d: events %x are called possible, and the whole says inevitable", seed, set)
			}
		}
	}
	if undecided < 50 || sure < 100 {
		t.Errorf("%d undecided, %d inevitable: they say little", undecided, sure)
	}
}

// spentAtEnd is the set of events of a violation.
func spentAtEnd(v Violation) uint64 {
	at := v.Start
	if k := len(v.Steps); k > 0 {
		at = v.Steps[k-1].To
	}
	return spentOfBytes(at)
}
