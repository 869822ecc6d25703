package scenario

import (
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/search"
)

// What time cut off, or what never ran, is counted with about the time that it takes at the speed so far; what states
// cut off is not for more time to finish.
func TestShortfallIsWhatTimeCutOff(t *testing.T) {
	c := &Checker{Budget: Budget{States: 1000}}
	outcome := func(states uint64, bound search.Bound) Outcome {
		return Outcome{done: true, Cov: Coverage{States: states, Bound: bound}}
	}
	tasks := []Task{{}, {states: 300}, {beyond: true}, {}}
	all := []Outcome{outcome(100, search.Complete), outcome(100, search.TimeBound), outcome(100, search.StateBound), {}}
	got := c.shortfall(tasks, all, 3*time.Second)
	if got.Unfinished != 2 || got.Of != 4 {
		t.Errorf("%+v: one search was cut off by time, and one never ran", got)
	}
	// The second explores at most 300 states, and about twice as many as it has; the last what is expected of it.
	if want := time.Duration(float64(3*time.Second) * (100 + expected(tasks[3])) / 300); got.More != want {
		t.Errorf("%v more, want %v", got.More, want)
	}
	if got := c.shortfall(tasks, make([]Outcome, 4), 0); got.Unfinished != 4 || got.More != 0 {
		t.Errorf("%+v: nothing ran", got)
	}
	if got := c.shortfall(tasks[:1], all[:1], time.Second); got.Unfinished != 0 {
		t.Errorf("%+v: everything ran to its end", got)
	}
}
