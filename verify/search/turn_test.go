package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTurn finds the decisive step of the counterexamples of random systems, and compares it with what a fixed point
// over all states with all events that are left says.
func TestTurn(t *testing.T) {
	decided, hopeless, undecided, early := 0, 0, 0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 42))
		sys := climbing(r, []Urgency{Prompt, Prompt, Patient, Environment})
		if seed%3 == 0 {
			sys = randomSystem(r, shape{globals: 2, locals: 3, components: 3, actors: 4, density: 0.3, symmetric: seed%2 == 0, urgencies: []Urgency{Prompt, Patient, Environment}})
		}
		res, err := Run(context.Background(), sys, Options{MaxEvents: 2, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range res.Violations {
			got, err := FindTurn(context.Background(), sys, v, TurnOptions{MaxStates: 100_000})
			if err != nil {
				t.Fatal(err)
			}
			want := turnOf(t, sys, v)
			switch {
			case got.Undecided:
				if undecided++; want != len(v.Steps) {
					t.Errorf("seed %d, %s: undecided, want %d of %d", seed, sys.Rules[v.Rule].Name, want, len(v.Steps))
				}
				continue
			case got.Step != want:
				t.Errorf("seed %d, %s: step %d of %d, want %d", seed, sys.Rules[v.Rule].Name, got.Step, len(v.Steps), want)
			case !ConfirmTurn(sys, v, got):
				t.Errorf("seed %d, %s: the lucky run is none", seed, sys.Rules[v.Rule].Name)
			}
			if got.Step < 0 {
				hopeless++
			} else if decided++; got.Step < len(v.Steps)-1 {
				early++
			}
		}
	}
	t.Logf("%d decided, %d of them before the last step, %d hopeless, %d undecided", decided, early, hopeless, undecided)
	if decided < 200 || early < 50 || hopeless < 50 {
		t.Error("the test has lost its teeth")
	}
}

// turnOf is the last place on a path from which some run with the events that are still to come keeps the rule, or -1.
func turnOf(t *testing.T, sys System, v Violation) int {
	t.Helper()
	c, err := compile(sys, &Options{MaxEvents: -1})
	if err != nil {
		t.Fatal(err)
	}
	x := &turning{compiled: c, w: newWorker(c), rule: v.Rule}
	left := x.eventsOf(v.Steps)
	type node struct {
		state []byte
		left  []Move
		to    []string
		leads bool // to what breaks the rule
		quiet bool
		shows bool
	}
	nodes := map[string]*node{}
	var visit func(s []byte, left []Move) string
	visit = func(s []byte, left []Move) string {
		k := x.key(s, left)
		if nodes[k] != nil {
			return k
		}
		n := &node{state: s, left: left}
		nodes[k] = n
		for _, event := range []bool{false, true} {
			steps, err := x.w.successors(s, event)
			if err != nil {
				t.Fatal(err)
			}
			if !event {
				n.quiet = len(steps) == 0
			}
			for _, st := range steps {
				rest := left
				if event {
					e := slices.Index(left, x.event(st))
					if e < 0 {
						continue
					}
					rest = slices.Delete(slices.Clone(left), e, e+1)
				}
				if x.breaks(st) {
					n.leads = true
					continue
				}
				rule := &sys.Rules[v.Rule]
				n.shows = n.shows || rule.Recurs != nil && rule.Recurs(st.From, st.To, st.Actor, st.Move)
				n.to = append(n.to, visit(st.To, rest))
			}
		}
		return k
	}
	var path []string
	for i := range len(v.Steps) + 1 {
		at := v.Start
		if i > 0 {
			at = v.Steps[i-1].To
		}
		if x.broken(v, i) {
			path = append(path, "")
			continue
		}
		path = append(path, visit(at, left[i]))
	}
	reach := map[string]map[string]bool{}
	for k := range nodes {
		seen := map[string]bool{k: true}
		todo := []string{k}
		for len(todo) > 0 {
			for _, to := range nodes[todo[0]].to {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
			todo = todo[1:]
		}
		reach[k] = seen
	}
	rule := &sys.Rules[v.Rule]
	good := func(k string) bool {
		n := nodes[k]
		if len(n.left) > 0 {
			return false
		}
		if n.quiet {
			return !rule.badEnd(n.state)
		}
		persists := rule.Persists != nil
		for o := range reach[k] {
			m := nodes[o]
			if !reach[o][k] || m.leads || m.quiet || m.shows || rule.Settles != nil && !rule.Settles(m.state) {
				return false
			}
			persists = persists && rule.Persists(m.state)
		}
		return !persists
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == "" {
			continue
		}
		for k := range reach[path[i]] {
			if good(k) {
				return i
			}
		}
	}
	return -1
}
