package main

import (
	"fmt"
	"sync"
	"time"
)

// The phases of a run, as [deadline] names them.
const (
	phaseRendering = "rendering"
	phaseComparing = "comparing base with head"
	phaseSearching = "the searches"
	phaseReporting = "writing the reports"
	phasePosting   = "posting the result"
)

// graceShare and [grace] are what a run may take beyond its time budget: each phase ends by
// itself when its time is up, and what does not heed that is ended from outside.
const graceShare = 0.1

// deadline ends a run that is still in a phase when its time is up. A nil *deadline ends
// nothing: a test's process is the test's own.
type deadline struct {
	after func(time.Duration, func()) (stop func() bool) // the clock
	end   func(code int)                                 // the process
	say   func(error)

	mu    sync.Mutex
	stop  func() bool
	late  func(err error) int // says it elsewhere too, and gives the exit code; nil: that of an analysis that failed
	over  func(err error)     // has the run go on without the phase that is late; nil: it ends
	ended bool
}

func newDeadline(say func(error), end func(code int)) *deadline {
	return &deadline{
		after: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
		end:   end, say: say,
	}
}

// hear has a command say in its own way what ended it.
func (d *deadline) hear(late func(err error) int) {
	if d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.late = late
	}
}

// pass has a run go on without an analysis that does not end in time; nil: such a one ends the run.
func (d *deadline) pass(over func(err error)) {
	if d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.over = over
	}
}

// set begins a phase that must be over after a time, with what a budget of it is.
func (d *deadline) set(phase string, budget, left time.Duration) {
	if d == nil {
		return
	}
	d.clear()
	if budget <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stop = d.after(max(left, 0)+beyond(budget), func() { d.expire(phase, budget) })
}

// clear ends a phase.
func (d *deadline) clear() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		d.stop()
		d.stop = nil
	}
}

func (d *deadline) expire(phase string, budget time.Duration) {
	d.mu.Lock()
	late, over, ended := d.late, d.over, d.ended
	d.over, d.ended = nil, over == nil
	d.mu.Unlock()
	if ended {
		return
	}
	why := fmt.Errorf("the time budget of %s (--time-budget) ended, and %s did not within another %s: nothing was decided; "+
		"name fewer PATHs, split the run with --shard, or give it more time", budget, phase, beyond(budget))
	if over != nil {
		over(why)
		return
	}
	err := &exit{exitAnalysis, why}
	if phase == phaseReporting || phase == phasePosting {
		err.err = fmt.Errorf("%s took too long, and was stopped before it wrote everything", phase)
	}
	d.say(err)
	code := exitAnalysis
	if late != nil {
		code = late(err)
	}
	d.end(code)
}

// beyond is what a phase may take past its time.
func beyond(budget time.Duration) time.Duration {
	return time.Duration(graceShare*float64(budget)) + grace
}
