package scenario

import (
	"container/heap"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/verify/search"
)

// queue hands out the tasks of a run so that every slice gets its share of the time.
//
// Of the slices that have a task left, the one with the fewest running tasks and then the least used time is next (fair
// queueing), with its smallest topology: cheap slices are done before expensive ones can take the remaining time. With
// a time budget, no slice uses more than an equal part of the workers' time while others wait. A search that runs into
// that limit is put back; the time that a slice leaves over is shared among the others, and a search is taken up again
// only with at least twice the time that it had. Every second turn finishes one slice after another, so that time that
// does not last for all of them decides some.
//
// Time decides what is searched, never what is found: outcomes are merged in the order
// of the tasks. So without a time budget, and where it lasts, the result is the same
// with any number of workers; bounds on states depend on no clock.
//
// The caller holds one lock for all methods.
type queue struct {
	tasks    []queued
	slices   []account
	order    turns // the slices that may have a task to run
	workers  int
	deadline time.Time // of the whole run; zero: none
	running  int       // searches
	left     int       // tasks that are not finished and do not run
	open     int       // slices with an unfinished task
	closed   int       // slices that were finished since the time was last shared
	turns    int       // tasks handed out
	ending   int       // the slice that is being finished, from which on others are looked for
}

// queued is a task and how far it has come.
type queued struct {
	slice    int
	stage    stage
	given    time.Duration // to its last search, where there is a deadline
	fallback bool          // see [Task]
	ends     bool          // handed out to finish its slice
}

type stage uint8

const (
	waiting stage = iota
	running
	cutOff // ran into its slice's limit
	finished
)

// account is a slice's share of the run's time.
type account struct {
	used, limit time.Duration
	running     int   // searches
	tasks       []int // its own, in order
	fallbacks   int   // of them that wait
	done        int   // of them
	turn        int   // its place among the turns; -1: none
	late        bool  // a search of it ran into the limit of one that is being finished
	next        int   // the task that it would run
}

// turns is a heap of slices, the one that comes first on top.
type turns struct {
	accounts []account
	list     []int
}

func (t *turns) Len() int { return len(t.list) }

func (t *turns) Less(i, j int) bool {
	a, b := &t.accounts[t.list[i]], &t.accounts[t.list[j]]
	switch {
	case a.running != b.running:
		return a.running < b.running
	case a.used != b.used:
		return a.used < b.used
	}
	return a.next < b.next
}

func (t *turns) Swap(i, j int) {
	t.list[i], t.list[j] = t.list[j], t.list[i]
	t.accounts[t.list[i]].turn, t.accounts[t.list[j]].turn = i, j
}

func (t *turns) Push(slice any) {
	t.accounts[slice.(int)].turn = len(t.list)
	t.list = append(t.list, slice.(int))
}

func (t *turns) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	t.accounts[last].turn = -1
	return last
}

// newQueue makes the queue of tasks, given by their slices.
func newQueue(sliceOf []int, workers int, deadline, now time.Time) *queue {
	q := &queue{workers: workers, deadline: deadline, left: len(sliceOf)}
	for i, s := range sliceOf {
		q.tasks = append(q.tasks, queued{slice: s})
		for s >= len(q.slices) {
			q.slices = append(q.slices, account{turn: -1})
		}
		q.slices[s].tasks = append(q.slices[s].tasks, i)
	}
	q.order.accounts = q.slices
	for s := range q.slices {
		if len(q.slices[s].tasks) > 0 {
			q.open++
		}
	}
	q.share(now)
	return q
}

// fallBack says which tasks wait until the others of their slice have been tried, which have half of the slice's time
// until then.
func (q *queue) fallBack(tasks []Task) {
	for i := range tasks {
		if tasks[i].fallback {
			q.tasks[i].fallback = true
			q.slices[tasks[i].slice].fallbacks++
		}
	}
	for s := range q.slices {
		q.place(s)
	}
}

// share gives every slice with an unfinished task an equal part of the time that is left.
func (q *queue) share(now time.Time) {
	q.closed = 0
	each := time.Duration(0)
	if !q.deadline.IsZero() && q.open > 0 {
		each = max(q.deadline.Sub(now), 0) * time.Duration(q.workers) / time.Duration(q.open)
	}
	for s := range q.slices {
		if a := &q.slices[s]; a.done < len(a.tasks) {
			a.limit = a.used + each
			q.place(s)
		}
	}
}

// place puts a slice where its turn is, if it has a task that may run.
func (q *queue) place(slice int) {
	a := &q.slices[slice]
	a.next = q.eligible(a)
	switch {
	case a.next < 0 && a.turn >= 0:
		heap.Remove(&q.order, a.turn)
	case a.next < 0:
	case a.turn >= 0:
		heap.Fix(&q.order, a.turn)
	default:
		heap.Push(&q.order, slice)
	}
}

// eligible is the first task of a slice that may run, or -1.
func (q *queue) eligible(a *account) int {
	if !q.deadline.IsZero() && a.used >= a.limit {
		return -1
	}
	busy, late := false, false // with a task that is no fallback
	for _, i := range a.tasks {
		switch j := &q.tasks[i]; {
		case j.fallback && busy:
			return -1
		case late && !j.fallback:
		case j.stage == waiting:
			return i
		case j.stage == running:
			busy = busy || !j.fallback
		case j.stage == cutOff && !j.fallback && a.fallbacks > 0:
			late = true
		case j.stage == cutOff && (q.deadline.IsZero() || a.limit-a.used >= 2*j.given):
			return i
		}
	}
	return -1
}

// next gives the task to run and when it must end (zero: no limit), or a negative number
// where there is none; wait says that there may be one once a running one has ended.
func (q *queue) next(now time.Time) (task int, until time.Time, wait bool) {
	task = q.pick()
	if q.turns++; q.turns%2 == 0 && !q.deadline.IsZero() {
		if i := q.finish(now); i >= 0 {
			task, q.tasks[i].ends = i, true
		}
	}
	if task < 0 && !q.deadline.IsZero() {
		q.share(now) // whoever still waits is at its limit, and a worker is free
		if task = q.pick(); task < 0 {
			task = q.again(now)
		}
	}
	if task < 0 {
		return -1, time.Time{}, q.running > 0 && (!q.deadline.IsZero() || q.left > 0)
	}
	j, a := &q.tasks[task], &q.slices[q.tasks[task].slice]
	first := j.stage == waiting
	j.stage = running
	a.running++
	q.running++
	q.left--
	if !q.deadline.IsZero() {
		j.given = min(a.limit-a.used, q.deadline.Sub(now))
		if a.fallbacks > 0 && !j.fallback {
			j.given /= 2
		}
		until = now.Add(j.given)
	}
	if first && j.fallback {
		a.fallbacks--
	}
	q.place(j.slice)
	return task, until, false
}

// pick finds the first task that may run of the slice that comes first, or gives -1.
func (q *queue) pick() int {
	if len(q.order.list) == 0 {
		return -1
	}
	return q.slices[q.order.list[0]].next
}

// finishShare is the part of the time left that a slice which is being finished may take: 1 in so many.
const finishShare = 8

// finish is the next task of the first slice that is not done, and did not take that much; -1: none.
func (q *queue) finish(now time.Time) int {
	for ; q.ending < len(q.slices); q.ending++ {
		if a := &q.slices[q.ending]; a.done < len(a.tasks) && !a.late {
			a.limit = max(a.limit, a.used+q.deadline.Sub(now)/finishShare)
			return q.eligible(a)
		}
	}
	return -1
}

// again finds a search that was cut off and can have twice its time if it gets all that
// is left, or gives -1.
func (q *queue) again(now time.Time) int {
	left := q.deadline.Sub(now)
	i := slices.IndexFunc(q.tasks, func(j queued) bool { return j.stage == cutOff && left >= 2*j.given })
	if i >= 0 {
		a := &q.slices[q.tasks[i].slice]
		a.limit = a.used + left
	}
	return i
}

// ended books a search that took so long; limited says that time ended it.
func (q *queue) ended(task int, took time.Duration, limited bool, now time.Time) {
	j := &q.tasks[task]
	a := &q.slices[j.slice]
	a.running--
	q.running--
	a.used += took
	if limited {
		j.stage, a.late = cutOff, a.late || j.ends
		q.left++
		q.place(j.slice)
		return
	}
	j.stage = finished
	a.done++
	q.place(j.slice)
	if a.done < len(a.tasks) {
		return
	}
	q.open--
	if q.closed++; q.closed*16 >= q.open {
		q.share(now) // their unused time goes to the others; of many, not after each
	}
}

// outgrown holds, by slice and scaling, the first task that ran out of states where there are several scalings. The
// results of larger topologies of the scaling are of no use then: running searches of them are given up. An undeclared
// size decides nothing.
type outgrown struct {
	cut     map[[2]int]int
	running map[int]func() // by task: how to give it up
}

// before reports whether a smaller topology of a task's scaling has run out of states.
func (g outgrown) before(i int, j Task) bool {
	first, some := g.cut[[2]int{j.slice, j.scaling}]
	return some && first < i
}

// note takes in what one of the tasks came to.
func (g outgrown) note(tasks []Task, i int, o Outcome) {
	at := [2]int{tasks[i].slice, tasks[i].scaling}
	if first, some := g.cut[at]; o.Cov.Bound != search.StateBound || tasks[i].states == 0 || tasks[i].undeclared() ||
		some && first <= i {
		return
	}
	g.cut[at] = i
	for k, giveUp := range g.running {
		if g.before(k, tasks[k]) {
			giveUp()
		}
	}
}

// Runner says how a run is spread and watched.
type Runner struct {
	Workers  int
	Shard    Shard
	Progress func(Progress)
	Started  time.Time
	Of       int
	Short    *Shortfall // records how far the time fell short; nil: nothing does
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

// tell gives the watcher the current state.
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
