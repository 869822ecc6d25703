package scenario

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

// Task is one slice at one scale and one topology, on head and on base.
type Task struct {
	Variant  Variant
	Topology scale.Topology
	slice    int // index of the slice in the run
	scaling  int // index of the scale in the slice's plan
	states   uint64
	// beyond says that the topology lies beyond the confident size: the true size of a
	// cluster whose nodes were given. It is searched as far as a small budget lasts.
	beyond bool
	// fallback says that the task is of a reduced scale of a slice that is searched as declared as well: its result
	// counts only where that search does not come to its end.
	fallback bool
	// probes says that only probes, and the rollout of the change, are searched: the cluster is another than the one
	// that is assumed, see [Checker.fewNodes], [Variant.fewDevices] and [Variant.commonNodes].
	probes bool
}

// Outcome is what a task found.
type Outcome struct {
	Head, Base []Violation
	Own        []Violation // what base breaks by itself, in head's surroundings: by runs that never apply the change
	Cov        Coverage
	closed     int // events up to which base was searched to the end
	// closedProbes is the same of the probes.
	closedProbes map[*probe]int
	holds        bool // the topology has room for what settles
	firm         bool // preferences were not searched for

	Err  error
	done bool
}

// SliceResult gathers the outcomes of one slice, smallest topology first.
type SliceResult struct {
	Variant    Variant
	Head, Base []Violation   // the Pareto front of every topology, smallest first
	Own        []Violation   // see [Outcome]
	BaseClosed map[Place]int // events up to which base was searched to the end
	Declared   bool          // a declared size was searched to the end
	searched   int           // declared sizes
	sizes      int           // declared sizes that hold what settles; see [Coverage.outgrown]
	Cov        Coverage
	Topologies int
	MaxNodes   int
	Cut        scale.Topology // the true size, where its search was not finished
	seen       []Seen         // by workload, at all declared sizes; see measure.go
	Swarmed    *Swarmed       // random runs, where a search was not finished; nil: none
	Err        error          // not modeled, or too large: inconclusive
	// preferredCut says that a search for what is preferred was cut off, and preferredBroken that base broke some of it.
	preferredCut, preferredBroken bool
	many                          bool // see [scaling]
	// tried is what ended the search at the declared scale, where that of a reduced one
	// is the result.
	tried search.Bound
}

// Run searches all slices over all topologies, each slice with its share of the time
// (see queue). The result does not depend on the number of workers: outcomes are merged
// in order, and one that the smaller ones make superfluous is dropped.
func (c *Checker) Run(ctx context.Context, plans []Plan, r Runner) []SliceResult {
	tasks := r.Shard.pick(Order(plans))
	r.expect(tasks)
	outcomes := make([]Outcome, len(tasks))
	sliceOf := make([]int, len(tasks))
	for i := range tasks {
		sliceOf[i] = tasks[i].slice
	}
	c = c.until(c.searchesEnd())
	start := time.Now()
	q := newQueue(sliceOf, r.Workers, c.Budget.Deadline, start)
	if r.Shard.Of <= 1 { // no shard knows what the searches of the others come to
		q.fallBack(tasks)
	}
	spent := outgrown{cut: map[[2]int]int{}, running: map[int]func(){}}
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	var wg sync.WaitGroup
	for range r.Workers {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			defer changed.Broadcast()
			for ctx.Err() == nil && !c.Expired() {
				i, until, wait := q.next(time.Now())
				if wait {
					changed.Wait()
					continue
				}
				if i < 0 {
					return
				}
				needless := q.tasks[i].fallback && asDeclared(plans, tasks, outcomes, tasks[i].slice)
				hopeless := needless || spent.before(i, tasks[i])
				ctx, cancel := context.WithCancel(ctx)
				spent.running[i] = cancel
				firm := withoutPreferences(tasks, outcomes, i)
				mu.Unlock()
				begin := time.Now()
				var o Outcome
				if !hopeless {
					own := c.until(until)
					own.firm = firm
					o = own.Both(ctx, tasks[i])
					o.firm = firm
				}
				cancel()
				mu.Lock()
				delete(spent.running, i)
				if needless || spent.before(i, tasks[i]) {
					o = Outcome{done: true, Cov: Coverage{Bound: search.StateBound}}
				}
				now := time.Now()
				limited := o.Cov.Bound == search.TimeBound
				first := !outcomes[i].done
				outcomes[i] = o
				spent.note(tasks, i, o)
				q.ended(i, now.Sub(begin), limited, now)
				r.report(tasks[i], o, first)
				changed.Broadcast()
			}
		})
	}
	wg.Wait()
	if r.Short != nil {
		*r.Short = c.shortfall(tasks, outcomes, time.Since(start))
	}
	c.Largest.Keep(tasks, outcomes)
	return settleScalings(plans, merge(plans, tasks, outcomes))
}

// forWording is the part of the time budget that is kept for what findings need after
// the searches: to be shown at the declared size, and to be blamed on a line.
const forWording = 0.15

// searchesEnd is when the searches must end; zero: never.
func (c *Checker) searchesEnd() time.Time {
	if c.Budget.Deadline.IsZero() {
		return time.Time{}
	}
	return c.Budget.Deadline.Add(-time.Duration(forWording * float64(time.Until(c.Budget.Deadline))))
}

// until gives the checker with another deadline.
func (c *Checker) until(deadline time.Time) *Checker {
	out := *c
	out.Budget.Deadline = deadline
	return &out
}

func (c *Checker) Expired() bool {
	return !c.Budget.Deadline.IsZero() && time.Now().After(c.Budget.Deadline)
}

// Order lists the tasks: of every slice those as declared first, then those of its reduced scales, smallest scale
// first; of each scale the smallest topology first. Where no topology within the bound is one that was declared, the
// declared size is searched too: for the smallest scale of its numbers, and as declared.
func Order(plans []Plan) []Task {
	var tasks []Task
	for i, p := range plans {
		for k, r := range p.scalings {
			j := Task{Variant: r.variant, slice: i, scaling: k}
			if len(p.scalings) > 1 {
				j.states, j.fallback = scalingStates, !r.variant.AsDeclared() && p.declares()
			}
			if r.many {
				j.states = apartStates
			}
			for _, j.Topology = range r.topologies {
				tasks = append(tasks, j)
			}
			if k == 0 {
				other := j
				other.probes = true
				for _, other.Topology = range p.few {
					tasks = append(tasks, other)
				}
				for _, v := range p.otherNodes(r.variant) {
					other.Variant, other.Topology = v, scale.Largest(v.Spec.Classes)
					tasks = append(tasks, other)
				}
			}
			if k < len(p.scalings)-1 && k > 0 {
				continue
			}
			if t := declaredSize(r); t != nil {
				j.Topology, j.beyond = t, true
				tasks = append(tasks, j)
			}
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int {
		return cmp.Or(BoolRank(a.fallback)-BoolRank(b.fallback), a.scaling-b.scaling,
			BoolRank(a.probes)-BoolRank(b.probes), a.Topology.Total()-b.Topology.Total())
	})
	return tasks
}

// declaredSize is the size of a cluster that is searched beyond the bound: that of its real nodes, or else the smallest
// declared one, unless it is among the topologies already; nil: none.
func declaredSize(r scaling) scale.Topology {
	classes := r.variant.Spec.Classes
	t := scale.Least(classes)
	if named(classes) {
		t = scale.Largest(classes)
	} else if slices.ContainsFunc(r.topologies, func(o scale.Topology) bool { return scale.Declared(classes, o) }) {
		return nil
	}
	if slices.ContainsFunc(r.topologies, func(o scale.Topology) bool { return slices.Equal(o, t) }) ||
		t.Total() <= r.topologies[len(r.topologies)-1].Total() {
		return nil
	}
	return t
}

// named reports whether the cluster's real nodes are known.
func named(classes []state.NodeClass) bool {
	return slices.ContainsFunc(classes, func(c state.NodeClass) bool { return len(c.Names) > 0 && !c.Elastic })
}

// pick keeps every n-th task.
func (s Shard) pick(tasks []Task) []Task {
	if s.Of <= 1 {
		return tasks
	}
	var out []Task
	for i := s.Index - 1; i < len(tasks); i += s.Of {
		out = append(out, tasks[i])
	}
	return out
}

const (
	// beyondStates bounds the states of each search beyond the confident size.
	beyondStates = 200_000
	// undeclaredStates bounds the states of a search at an undeclared size, of a slice with many pods: it may show a
	// smaller counterexample than the declared size has, and decides nothing.
	undeclaredStates = 50_000
)

// undeclared reports whether a topology is of an undeclared size.
func (j *Task) undeclared() bool { return !scale.Declared(j.Variant.Spec.Classes, j.Topology) }

// Within gives the checker with another bound on the states of a search.
func (c *Checker) Within(states uint64) *Checker {
	out := *c
	out.Budget.States = states
	return &out
}

// Both searches head, and base as the baseline.
func (c *Checker) Both(ctx context.Context, j Task) (o Outcome) {
	o.done, o.closed = true, NoneClosed
	own := *c
	own.inPart = true
	c = &own
	switch {
	case j.beyond:
		c = c.Within(min(c.Budget.States, beyondStates))
	case j.states > 0 && j.undeclared():
		c = c.Within(min(c.Budget.States, undeclaredStates))
		c.quits = true
	case j.states > 0:
		c = c.Within(min(c.Budget.States, j.states))
		c.quits = true
	}
	defer func() {
		for _, vs := range [][]Violation{o.Head, o.Base, o.Own} {
			for i := range vs {
				vs[i].Variant = j.Variant
			}
		}
	}()
	scenarios := c.scenariosApart
	switch {
	case j.Variant.probes != nil:
		scenarios = c.probed(j.Variant.probes)
	case j.probes:
		scenarios = c.probed(append(slices.Clone(probes), thisRollout))
	}
	c.foresees = j.foretells() && !c.Unforeseen
	if !j.Variant.Has(state.Base) {
		o.Head, o.Cov, o.Err = scenarios(ctx, j.Variant.arriving(), j.Topology)
		o.holds = !o.Cov.outgrown
		return o
	}
	o.Head, o.Cov, o.Err = scenarios(ctx, j.Variant.Change(), j.Topology)
	c.foresees = false
	o.Head, o.Own = whereApplied(o.Head)
	if o.Err != nil || c.quits && o.Cov.Bound == search.StateBound {
		return o
	}
	baseline := j.Variant.Reapply()
	baseline.alone = slices.ContainsFunc(o.Head,
		func(v Violation) bool { return v.Scenario == ScenarioInstall || v.Scenario == ScenarioSteady })
	base, cov, err := scenarios(ctx, baseline, j.Topology)
	o.Base, o.Err = base, err
	o.holds = !o.Cov.outgrown
	if o.closed = NoneClosed; cov.closed != nil && err == nil {
		o.closed = *cov.closed
	}
	o.closedProbes = cov.closedProbes
	o.Cov.Merge(cov)
	return o
}

func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// NotModeled reports whether an error is about a feature that no actor has, or that does not fit the abstract state:
// the verdict is then inconclusive, not an error.
func NotModeled(err error) bool {
	return errors.Is(err, actor.ErrUnmodeled) || errors.Is(err, state.ErrTooLarge) || errors.Is(err, scale.ErrTooMany)
}
