package scenario

import (
	"time"
)

// Runner says how a run is spread and watched.
type Runner struct {
	Workers  int
	Shard    Shard
	Progress func(Progress)
	Started  time.Time
	Of       int
	done     int
	open     map[string]int // searches that are left, by release
	states   uint64
}

// expect tells the watcher how many searches there will be.
func (r *Runner) expect(tasks []Task) {
	r.Of, r.open = len(tasks), map[string]int{}
	for i := range tasks {
		r.open[tasks[i].Variant.Release]++
	}
	r.tell()
}

// report tells the watcher of one more finished task, first where it was not searched
// before; the caller holds the lock.
func (r *Runner) report(j Task, o Outcome, first bool) {
	if first {
		r.done++
		r.open[j.Variant.Release]--
	}
	r.states += o.Cov.States
	r.tell()
}

// tell gives the watcher what is known.
func (r *Runner) tell() {
	if r.Progress == nil {
		return
	}
	done := 0
	for _, n := range r.open {
		if n == 0 {
			done++
		}
	}
	r.Progress(Progress{
		Done: r.done, Of: r.Of, Releases: done, OfReleases: len(r.open), States: r.states,
		StatesPerSecond: float64(r.states) / max(time.Since(r.Started).Seconds(), 0.001),
	})
}

// Shard i of n, from 1; the zero Shard is the whole.
type Shard struct{ Index, Of int }

// Progress of a running check.
type Progress struct {
	Done, Of             int // searches, one a topology
	Releases, OfReleases int // all of whose searches are done
	States               uint64
	StatesPerSecond      float64
}
