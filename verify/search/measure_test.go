package search

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestMeasure holds the ranges of a search, screened or not, with one worker or several, against the numbers of the
// states that a plain walk over random systems reaches.
func TestMeasure(t *testing.T) {
	screened := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 41))
		sys := climbing(r, []Urgency{Prompt, Prompt, Patient, Environment})
		sys.Measure = &Measure{Numbers: 4, Of: func(s []byte, calm bool, into []Range) {
			into[0].Add(int(s[1]))
			into[1].Add(int(s[2]) - int(s[1]))
			if s[1] == 2 {
				into[2].Add(int(s[2]))
			}
			if calm {
				into[3].Add(int(s[3]) + int(s[4]))
			}
		}}
		opt := Options{MaxEvents: 2, Workers: 1 + int(seed%3)}
		opt.sizes.batch, opt.sizes.block, opt.sizes.solo = 1, 4, 1
		want := walked(t, sys, opt.MaxEvents)
		res, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(res.Ranges, want) {
			t.Errorf("seed %d: ranges %v, want %v", seed, res.Ranges, want)
		}
		res, err = RunScreened(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		if res == nil {
			continue
		}
		if screened++; !reflect.DeepEqual(res.Ranges, want) {
			t.Errorf("seed %d: screened, ranges %v, want %v", seed, res.Ranges, want)
		}
	}
	if screened < 50 {
		t.Errorf("%d systems were screened to the end", screened)
	}
}

// walked measures every state that is reached with so many events, one after the other.
func walked(t *testing.T, sys System, events int) []Range {
	t.Helper()
	c, err := compile(sys, &Options{MaxEvents: events})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(c)
	out := sys.Measure.ranges()
	type at struct {
		state string
		spent int
	}
	seen := map[at]bool{}
	var todo []at
	reach := func(s []byte, spent int) {
		if x := (at{string(s), spent}); !seen[x] {
			seen[x] = true
			todo = append(todo, x)
		}
	}
	for _, s := range sys.Initial {
		reach(s, 0)
	}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for k, event := range []bool{false, true} {
			if event && x.spent == events {
				continue
			}
			steps, err := w.successors([]byte(x.state), event)
			if err != nil {
				t.Fatal(err)
			}
			if !event {
				prompt := slices.ContainsFunc(steps, func(s Step) bool { return sys.Actors[s.Actor].Urgency() == Prompt })
				sys.Measure.Of([]byte(x.state), !prompt, out)
			}
			for _, s := range steps {
				reach(s.To, x.spent+k)
			}
		}
	}
	return out
}
