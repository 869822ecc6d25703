package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRunEqualsBruteForce decides every rule on small systems by trying everything.
func TestRunEqualsBruteForce(t *testing.T) {
	var tried, loops, inevitable int
	shapes := []shape{
		{globals: 2, locals: 2, components: 2, actors: 3, density: 0.5, urgencies: []Urgency{Prompt, Patient}},
		{globals: 2, locals: 3, components: 1, actors: 4, density: 0.4, urgencies: []Urgency{Prompt, Patient, Environment}},
		{globals: 2, locals: 2, components: 2, actors: 3, density: 0.3, symmetric: true, urgencies: []Urgency{Prompt, Environment}},
		{globals: 3, locals: 3, components: 1, actors: 3, density: 0.3, urgencies: []Urgency{Patient, Environment}},
	}
	for i, sh := range shapes {
		for seed := range 150 {
			r := rand.New(rand.NewPCG(uint64(i)+100, uint64(seed)))
			sys := randomSystem(r, sh)
			maxEvents := r.IntN(3) - 1
			b := newBrute(&sys, maxEvents)
			if b == nil {
				continue
			}
			tried++
			t.Run(fmt.Sprintf("shape%d/seed%d", i, seed), func(t *testing.T) {
				res, err := Run(context.Background(), sys, Options{MaxEvents: maxEvents, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				found := map[int]*Violation{}
				for k := range res.Violations {
					found[res.Violations[k].Rule] = &res.Violations[k]
				}
				for k := range sys.Rules {
					r, v := &sys.Rules[k], found[k]
					if v != nil {
						b.checkCertainty(t, r, v)
						if v.Inevitable {
							inevitable++
						}
					}
					if r.Persists == nil && r.Settles == nil && r.Recurs == nil {
						continue
					}
					events, stem, ok := b.least(r)
					if ok != (v != nil) {
						t.Errorf("%s: violated %v, found %v", r.Name, ok, v != nil)
						continue
					}
					if v == nil {
						continue
					}
					end := len(v.Steps)
					if v.CycleStart >= 0 {
						end = v.CycleStart
						loops++
						if n := len(v.Steps) - end; n <= 7 && b.shorterLoop(r, b.index(v.Steps[end].From), n) {
							t.Errorf("%s: there is a loop of fewer than %d steps", r.Name, n)
						}
					}
					if v.Events != events || end != stem {
						t.Errorf("%s: (events, stem) = (%d, %d), want (%d, %d)", r.Name, v.Events, end, events, stem)
					}
				}
			})
		}
	}
	t.Logf("%d systems, %d loops, %d inevitable", tried, loops, inevitable)
	if tried < 300 || loops < 100 || inevitable < 100 {
		t.Errorf("only %d systems with %d loops and %d inevitable violations: the test has lost its teeth", tried, loops, inevitable)
	}
}

func (b *brute) checkCertainty(t *testing.T, r *Rule, v *Violation) {
	t.Helper()
	from, last := v.Start, -1
	for i, s := range v.Steps {
		if b.sys.Actors[s.Actor].Urgency() == Environment {
			from, last = s.To, i
		}
	}
	if r.BadStep != nil && last >= 0 && last == len(v.Steps)-1 {
		if !v.Inevitable {
			t.Errorf("%s: the event itself is the bad step, yet not inevitable", r.Name)
		}
		return
	}
	if want := !b.escape(r, b.index(from)); v.Inevitable != want {
		t.Errorf("%s: inevitable is %v, want %v", r.Name, v.Inevitable, want)
	}
}
