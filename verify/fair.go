package verify

import (
	"slices"
	"time"
)

// queue hands out the jobs of a run so that every slice gets its share of the time.
//
// Of the slices that have a job left, the one with the fewest running jobs and then the
// least used time is next (fair queueing), with its smallest topology: cheap slices are
// done before expensive ones can take what is left. With a time budget, no slice uses
// more than an equal part of the workers' time while others wait. A search that runs
// into that limit is put back; what a slice leaves over is shared among the others, and
// a search is taken up again only with at least twice the time that it had.
//
// Time decides what is searched, never what is found: outcomes are merged in the order
// of the jobs. So without a time budget, and where it lasts, the result is the same
// with any number of workers; bounds on states depend on no clock.
//
// The caller holds one lock for all methods.
type queue struct {
	jobs     []queued
	slices   []account
	workers  int
	deadline time.Time // of the whole run; zero: none
}

// queued is a job and how far it has come.
type queued struct {
	slice int
	stage stage
	given time.Duration // to its last search, where there is a deadline
}

type stage uint8

const (
	waiting stage = iota
	running
	cutOff // ran into its slice's limit
	finished
)

// account is what a slice has of the run's time.
type account struct {
	used, limit time.Duration
	running     int // searches
}

// newQueue makes the queue of jobs, given by their slices.
func newQueue(sliceOf []int, workers int, deadline, now time.Time) *queue {
	q := &queue{workers: workers, deadline: deadline}
	for _, s := range sliceOf {
		q.jobs = append(q.jobs, queued{slice: s})
		for s >= len(q.slices) {
			q.slices = append(q.slices, account{})
		}
	}
	q.share(now)
	return q
}

// share gives every slice with an unfinished job an equal part of the time that is left.
func (q *queue) share(now time.Time) {
	open := make([]bool, len(q.slices))
	count := 0
	for _, j := range q.jobs {
		if j.stage != finished && !open[j.slice] {
			open[j.slice] = true
			count++
		}
	}
	if q.deadline.IsZero() || count == 0 {
		return
	}
	each := max(q.deadline.Sub(now), 0) * time.Duration(q.workers) / time.Duration(count)
	for i := range q.slices {
		if open[i] {
			q.slices[i].limit = q.slices[i].used + each
		}
	}
}

// next gives the job to run and when it must end (zero: no limit), or a negative number
// where there is none; wait says that there may be one once a running one has ended.
func (q *queue) next(now time.Time) (job int, until time.Time, wait bool) {
	job = q.pick()
	if job < 0 && !q.deadline.IsZero() {
		q.share(now) // whoever still waits is at its limit, and a worker is free
		if job = q.pick(); job < 0 {
			job = q.again(now)
		}
	}
	if job < 0 {
		busy := slices.ContainsFunc(q.slices, func(a account) bool { return a.running > 0 })
		open := slices.ContainsFunc(q.jobs, func(j queued) bool { return j.stage == waiting || j.stage == cutOff })
		return -1, time.Time{}, busy && !q.deadline.IsZero() || busy && open
	}
	j, a := &q.jobs[job], &q.slices[q.jobs[job].slice]
	j.stage = running
	a.running++
	if !q.deadline.IsZero() {
		j.given = min(a.limit-a.used, q.deadline.Sub(now))
		until = now.Add(j.given)
	}
	return job, until, false
}

// pick finds the first job that may run of the slice that comes first, or gives -1.
func (q *queue) pick() int {
	best := -1
	for i, j := range q.jobs {
		a := &q.slices[j.slice]
		switch {
		case j.stage != waiting && j.stage != cutOff:
		case !q.deadline.IsZero() && (a.used >= a.limit || j.stage == cutOff && a.limit-a.used < 2*j.given):
		case best < 0 || a.before(&q.slices[q.jobs[best].slice]):
			best = i
		}
	}
	return best
}

// again finds a search that was cut off and can have twice its time if it gets all that
// is left, or gives -1.
func (q *queue) again(now time.Time) int {
	left := q.deadline.Sub(now)
	i := slices.IndexFunc(q.jobs, func(j queued) bool { return j.stage == cutOff && left >= 2*j.given })
	if i >= 0 {
		a := &q.slices[q.jobs[i].slice]
		a.limit = a.used + left
	}
	return i
}

// before says whether a slice comes before another.
func (a *account) before(o *account) bool {
	if a.running != o.running {
		return a.running < o.running
	}
	return a.used < o.used
}

// ended books a search that took so long; limited says that time ended it.
func (q *queue) ended(job int, took time.Duration, limited bool, now time.Time) {
	j := &q.jobs[job]
	a := &q.slices[j.slice]
	a.running--
	a.used += took
	j.stage = finished
	if limited {
		j.stage = cutOff
		return
	}
	if !slices.ContainsFunc(q.jobs, func(o queued) bool { return o.slice == j.slice && o.stage != finished }) {
		q.share(now) // what it leaves is the others'
	}
}
