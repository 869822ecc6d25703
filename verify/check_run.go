package verify

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// job is one slice at one scale and one topology, on head and on base.
type job struct {
	variant  variant
	topology scale.Topology
	slice    int // index of the slice in the run
	rung     int // index of the scale in the slice's plan
	states   uint64
	// beyond says that the topology lies beyond the confident size: the true size of a
	// cluster whose nodes were given. It is searched as far as a small budget lasts.
	beyond bool
}

// outcome is what a job found.
type outcome struct {
	head, base []violation
	cov        coverage
	closed     int // events up to which base was searched to the end
	// closedAside is the same of the searches that stand aside, by name.
	closedAside map[string]int
	holds       bool // the topology has room for what settles
	err         error
	done        bool
}

// sliceResult gathers the outcomes of one slice, smallest topology first.
type sliceResult struct {
	variant    variant
	head, base []violation   // the front of every topology, smallest first
	baseClosed map[place]int // events up to which base was searched to the end
	declared   bool          // a declared size was searched to the end
	searched   int           // declared sizes
	sizes      int           // declared sizes that hold what settles; see [coverage.outgrown]
	cov        coverage
	topologies int
	maxNodes   int
	cut        scale.Topology // the true size, where its search was not finished
	err        error          // not modeled, or too large: inconclusive
	// tried is what ended the search at the declared scale, where that of a reduced one
	// is the result.
	tried search.Bound
}

// run searches all slices over all topologies, each slice with its share of the time
// (see queue). The result does not depend on the number of workers: outcomes are merged
// in order, and one that the smaller ones make superfluous is dropped.
func (c *checker) run(ctx context.Context, plans []plan, r runner) []sliceResult {
	jobs := r.shard.pick(order(plans))
	r.of = len(jobs)
	outcomes := make([]outcome, len(jobs))
	sliceOf := make([]int, len(jobs))
	for i := range jobs {
		sliceOf[i] = jobs[i].slice
	}
	c = c.until(c.searchesEnd())
	q := newQueue(sliceOf, r.workers, c.budget.deadline, time.Now())
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	var wg sync.WaitGroup
	for range r.workers {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			defer changed.Broadcast()
			for ctx.Err() == nil && !c.expired() {
				i, until, wait := q.next(time.Now())
				if wait {
					changed.Wait()
					continue
				}
				if i < 0 {
					return
				}
				hopeless := outgrown(jobs[:i], outcomes, jobs[i])
				mu.Unlock()
				begin := time.Now()
				o := outcome{done: true, cov: coverage{bound: search.StateBound}}
				if !hopeless {
					o = c.until(until).both(ctx, jobs[i])
				}
				mu.Lock()
				now := time.Now()
				limited := o.cov.bound == search.TimeBound
				first := !outcomes[i].done
				outcomes[i] = o
				q.ended(i, now.Sub(begin), limited, now)
				r.report(jobs[i], o, first)
				changed.Broadcast()
			}
		})
	}
	wg.Wait()
	c.lifts.keep(jobs, outcomes)
	return settleRungs(plans, merge(plans, jobs, outcomes))
}

// outgrown says whether a smaller topology of a job's rung, one of several, has run out
// of states.
func outgrown(before []job, outcomes []outcome, j job) bool {
	for i, o := range before {
		if o.slice == j.slice && o.rung == j.rung && o.states > 0 && outcomes[i].cov.bound == search.StateBound {
			return true
		}
	}
	return false
}

// forWording is the part of the time budget that is kept for what findings need after
// the searches: to be shown at the declared size, and to be blamed on a line.
const forWording = 0.15

// searchesEnd is when the searches must end; zero: never.
func (c *checker) searchesEnd() time.Time {
	if c.budget.deadline.IsZero() {
		return time.Time{}
	}
	return c.budget.deadline.Add(-time.Duration(forWording * float64(time.Until(c.budget.deadline))))
}

// until gives the checker with another deadline.
func (c *checker) until(deadline time.Time) *checker {
	out := *c
	out.budget.deadline = deadline
	return &out
}

// runner says how a run is spread and watched.
type runner struct {
	workers  int
	shard    Shard
	progress func(Progress)
	started  time.Time
	of       int
	done     int
	states   uint64
}

// report tells the watcher of one more finished job, first where it was not searched
// before; the caller holds the lock.
func (r *runner) report(j job, o outcome, first bool) {
	if first {
		r.done++
	}
	r.states += o.cov.states
	if r.progress == nil {
		return
	}
	elapsed := time.Since(r.started)
	name := ""
	if len(j.variant.spec.Workloads) > 0 {
		name = j.variant.spec.Workloads[0].ID
	}
	r.progress(Progress{
		Workload: name, Done: r.done, Of: r.of, States: r.states, Elapsed: elapsed,
		StatesPerSecond: float64(r.states) / max(elapsed.Seconds(), 0.001),
	})
}

func (c *checker) expired() bool {
	return !c.budget.deadline.IsZero() && time.Now().After(c.budget.deadline)
}

// order lists the jobs, of every slice its smallest scale and topology first. Where no
// topology within the bound is one that was declared, the declared size is searched too: for
// the smallest scale of its numbers, and as declared.
func order(plans []plan) []job {
	var jobs []job
	for i, p := range plans {
		for k, r := range p.rungs {
			j := job{variant: r.variant, slice: i, rung: k}
			if len(p.rungs) > 1 {
				j.states = rungStates
			}
			for _, j.topology = range r.topologies {
				jobs = append(jobs, j)
			}
			if k < len(p.rungs)-1 && k > 0 {
				continue
			}
			if t := declaredSize(r); t != nil {
				j.topology, j.beyond = t, true
				jobs = append(jobs, j)
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		return cmp.Or(a.rung-b.rung, a.topology.Total()-b.topology.Total())
	})
	return jobs
}

// declaredSize is the size of a cluster that is searched beyond the bound: that of its real
// nodes, or else the smallest one that was declared, unless it is among the topologies
// already; nil: none.
func declaredSize(r rung) scale.Topology {
	classes := r.variant.spec.Classes
	t := scale.Least(classes)
	if named(classes) {
		t = scale.Largest(classes)
	} else if slices.ContainsFunc(r.topologies, func(o scale.Topology) bool { return scale.Declared(classes, o) }) {
		return nil
	}
	if slices.ContainsFunc(r.topologies, func(o scale.Topology) bool { return slices.Equal(o, t) }) || t.Total() <= r.topologies[len(r.topologies)-1].Total() {
		return nil
	}
	return t
}

// named says whether the cluster's real nodes are known.
func named(classes []state.NodeClass) bool {
	return slices.ContainsFunc(classes, func(c state.NodeClass) bool { return len(c.Names) > 0 && !c.Elastic })
}

// pick keeps every n-th job.
func (s Shard) pick(jobs []job) []job {
	if s.Of <= 1 {
		return jobs
	}
	var out []job
	for i := s.Index - 1; i < len(jobs); i += s.Of {
		out = append(out, jobs[i])
	}
	return out
}

// beyondStates bounds the states of each search beyond the confident size.
const beyondStates = 200_000

// within gives the checker with another bound on the states of a search.
func (c *checker) within(states uint64) *checker {
	out := *c
	out.budget.states = states
	return &out
}

// both searches head, and base as the baseline.
func (c *checker) both(ctx context.Context, j job) (o outcome) {
	o.done, o.closed = true, noneClosed
	switch {
	case j.beyond:
		c = c.within(beyondStates)
	case j.states > 0:
		c = c.within(j.states)
		c.quits = true
	}
	defer func() {
		o.head = unasked(o.head)
		for _, vs := range [][]violation{o.head, o.base} {
			for i := range vs {
				vs[i].variant = j.variant
			}
		}
	}()
	if !j.variant.has(state.Base) {
		o.head, o.cov, o.err = c.scenarios(ctx, j.variant.only(state.Head), j.topology)
		o.holds = !o.cov.outgrown
		return o
	}
	o.head, o.cov, o.err = c.scenarios(ctx, j.variant.change(), j.topology)
	if o.err != nil || c.quits && o.cov.bound == search.StateBound {
		return o
	}
	base, cov, err := c.scenarios(ctx, j.variant.reapply(), j.topology)
	o.base, o.err = base, err
	o.holds = !o.cov.outgrown
	if o.closed = noneClosed; cov.closed != nil && err == nil {
		o.closed = *cov.closed
	}
	o.closedAside = cov.closedAside
	o.cov.merge(cov)
	return o
}

// merge folds outcomes into one result a slice and rung, in job order.
func merge(plans []plan, jobs []job, outcomes []outcome) [][]sliceResult {
	out := make([][]sliceResult, len(plans))
	for i, p := range plans {
		out[i] = make([]sliceResult, len(p.rungs))
		for k, r := range p.rungs {
			out[i][k].variant = r.variant
			out[i][k].cov.bound = search.Complete
		}
	}
	for i, j := range jobs {
		r, o := &out[j.slice][j.rung], outcomes[i]
		switch {
		case r.err != nil, j.states > 0 && r.cov.bound == search.StateBound:
			continue
		case !o.done && j.beyond:
			r.cut = j.topology
			continue
		case !o.done:
			r.cov.limit(search.TimeBound)
			continue
		case o.err != nil:
			r.err = o.err
			continue
		}
		if counts(j, o) {
			r.head = append(r.head, o.head...)
			r.base = append(r.base, o.base...)
		}
		r.keepClosed(placeOf(j.variant, j.topology), o)
		if scale.Declared(j.variant.spec.Classes, j.topology) {
			r.declared = r.declared || complete(o.cov)
			r.searched++
			if o.holds || !complete(o.cov) {
				r.sizes++
			}
		}
		if j.beyond && !complete(o.cov) {
			r.cut = j.topology
			o.cov.bound = search.Complete
		}
		r.cov.merge(o.cov)
		r.topologies++
		r.maxNodes = max(r.maxNodes, j.topology.Total())
	}
	return out
}

// counts says whether what was found at a topology says something about the change: a
// size that nobody declared and on which base itself breaks a rule does not.
func counts(j job, o outcome) bool {
	broken := slices.ContainsFunc(o.base, func(v violation) bool { return v.aside == "" })
	return !broken || scale.Declared(j.variant.spec.Classes, j.topology)
}

// first adds the violations whose key is new.
func first(have, more []violation) []violation {
	for _, v := range more {
		if !slices.ContainsFunc(have, func(o violation) bool { return o.key() == v.key() }) {
			have = append(have, v)
		}
	}
	return have
}

// outgrown says whether no declared size that was searched has room for what settles.
func (sr *sliceResult) outgrown() bool {
	return sr.err == nil && complete(sr.cov) && sr.searched > 0 && sr.sizes == 0
}

func workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// notModeled says whether an error is about what no actor has, or what does not fit the
// abstract state: the verdict is then inconclusive, not an error.
func notModeled(err error) bool {
	return errors.Is(err, actor.ErrUnmodeled) || errors.Is(err, state.ErrTooLarge) || errors.Is(err, scale.ErrTooMany)
}
