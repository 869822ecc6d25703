package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
)

// Coverage adds up what searches explored.
type Coverage struct {
	States, Transitions uint64
	MaxPods, MaxEvents  int
	Bound               search.Bound // the first that was not Complete
	// closed is the number of events up to which every search with events was complete.
	closed *int
	// closedProbes is the same of each probe; Cut names those that were not finished.
	closedProbes map[*probe]int
	Cut          []string
	outgrown     bool     // what settles wants more nodes than the topology has
	Unanswered   []string // what kept rules from being evaluated, by rule
	searches     int
	Models       map[string]*actor.Model // of the loops that took part, by name
	// asked are the rules that say something: whether any of it had to be asked of whole slices.
	asked map[string]bool
	// seen are the observations of the search of the change, by workload; nil: none. See measure.go.
	seen []Seen
	// inPart are the rules that were searched in part, as whatever breaks them is existing.
	inPart map[string]bool
	// preferred is the search for preferences only, if that is kept apart, and preferredCut says that it was cut off;
	// see apart.go.
	preferred    *Coverage
	preferredCut bool
}

// ask notes the rules that a search begins with, and those of them that are left for the whole.
func (c *Coverage) ask(all, left []BoundRule) {
	if c.asked == nil {
		c.asked = map[string]bool{}
	}
	for _, b := range all {
		if _, noted := c.asked[b.Rule.ID]; !noted {
			c.asked[b.Rule.ID] = false
		}
	}
	for _, b := range left {
		c.asked[b.Rule.ID] = true
	}
}

// asks takes over what another one notes.
func (c *Coverage) asks(d Coverage) {
	if c.asked == nil {
		c.asked = map[string]bool{}
	}
	for rule, whole := range d.asked {
		c.asked[rule] = c.asked[rule] || whole
	}
}

// note keeps what the actors say of themselves.
func (c *Coverage) note(actors []actor.Actor) {
	if c.Models == nil {
		c.Models = map[string]*actor.Model{}
	}
	for _, a := range actors {
		loop, _, _ := strings.Cut(a.Name(), "/")
		loop, _, _ = strings.Cut(loop, "-") // kubelet-start and kubelet-stop are one loop
		c.Models[loop] = a.Model()
	}
}

func (c *Coverage) add(r *search.Result) {
	c.States += r.States
	c.Transitions += r.Transitions
	c.MaxEvents = max(c.MaxEvents, r.Events)
	c.searches++
	c.limit(r.Bound)
}

// addAll adds the last of some results of one search, and of the others the work.
func (c *Coverage) addAll(results []*search.Result) {
	last := len(results) - 1
	for _, r := range results[:last] {
		c.addWork(Coverage{States: r.States, Transitions: r.Transitions})
	}
	c.add(results[last])
}

// close lowers the number of events up to which the searches were complete.
func (c *Coverage) close(n int) {
	if c.closed == nil || n < *c.closed {
		c.closed = &n
	}
}

func (c *Coverage) limit(b search.Bound) {
	if c.Bound == 0 || c.Bound == search.Complete {
		c.Bound = b
	}
}

func (c *Coverage) Merge(d Coverage) {
	c.States += d.States
	c.Transitions += d.Transitions
	c.MaxPods = max(c.MaxPods, d.MaxPods)
	c.MaxEvents = max(c.MaxEvents, d.MaxEvents)
	c.searches += d.searches
	if c.Models == nil {
		c.Models = map[string]*actor.Model{}
	}
	maps.Copy(c.Models, d.Models)
	c.unanswer(d.Unanswered)
	c.asks(d)
	c.addInPart(d.inPart)
	c.Cut = AppendNew(c.Cut, d.Cut)
	c.preferredCut = c.preferredCut || d.preferredCut
	if d.preferred != nil {
		if c.preferred == nil {
			c.preferred = &Coverage{}
		}
		c.preferred.Merge(*d.preferred)
	}
	if d.Bound != 0 {
		c.limit(d.Bound)
	}
}

func Complete(c Coverage) bool { return c.Bound == search.Complete }

// AppendNew adds the texts that a list does not have.
func AppendNew(have, more []string) []string {
	if have == nil {
		have = []string{}
	}
	for _, s := range more {
		if !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return have
}

func (c *Coverage) unanswer(texts []string) {
	for _, s := range texts {
		if !slices.Contains(c.Unanswered, s) {
			c.Unanswered = append(c.Unanswered, s)
		}
	}
}

// Shortfall is how far the time fell short of the searches. The searched states follow from their budgets, in an order
// that no clock decides; time only cuts them off.
type Shortfall struct {
	Unfinished, Of int // searches
	// More is about how long the remaining ones take, at the speed of those that ran; 0: none ran.
	More time.Duration
}

// shortfall counts what time cut off in a run that took so long.
func (c *Checker) shortfall(tasks []Task, outcomes []Outcome, took time.Duration) Shortfall {
	out := Shortfall{Of: len(tasks)}
	explored, left := 0.0, 0.0
	for i, o := range outcomes {
		states := float64(o.Cov.States)
		explored += states
		if o.done && o.Cov.Bound != search.TimeBound {
			continue
		}
		out.Unfinished++
		left += max(min(max(expected(tasks[i]), 2*states), c.most(tasks[i]))-states, 0)
	}
	if explored > 0 {
		out.More = time.Duration(float64(took) * left / explored)
	}
	return out
}

// most is how many states a search of a task may explore.
func (c *Checker) most(j Task) float64 {
	switch {
	case j.beyond:
		return float64(min(c.Budget.States, beyondStates))
	case j.states > 0:
		return float64(min(c.Budget.States, j.states))
	}
	return float64(c.Budget.States)
}

// merge folds outcomes into one result a slice and scaling, in task order.
func merge(plans []Plan, tasks []Task, outcomes []Outcome) [][]SliceResult {
	out := make([][]SliceResult, len(plans))
	for i, p := range plans {
		out[i] = make([]SliceResult, len(p.scalings))
		for k := range p.scalings {
			out[i][k] = mergeScaling(plans, tasks, outcomes, i, k)
		}
	}
	return out
}

// asDeclared reports whether all that was to be searched of a slice as declared was searched to the end.
func asDeclared(plans []Plan, tasks []Task, outcomes []Outcome, slice int) bool {
	last := len(plans[slice].scalings) - 1
	r := mergeScaling(plans, tasks, outcomes, slice, last)
	return r.settles()
}

// mergeScaling folds the outcomes of one scaling of a slice into its result.
func mergeScaling(plans []Plan, tasks []Task, outcomes []Outcome, slice, scaling int) SliceResult {
	s := plans[slice].scalings[scaling]
	r := SliceResult{Variant: s.variant, many: s.many, Cov: Coverage{Bound: search.Complete}}
	of := func(yield func(j Task, o Outcome) bool) {
		for i, j := range tasks {
			if j.slice == slice && j.scaling == scaling && !yield(j, outcomes[i]) {
				return
			}
		}
	}
	whole := false // the declared sizes were searched to the end
	for j, o := range of {
		if !j.undeclared() && j.Variant.premise == "" && !j.probes {
			if whole = o.done && o.Err == nil && Complete(o.Cov); !whole {
				break
			}
		}
	}
	for j, o := range of {
		r.take(j, o, whole)
	}
	return r
}

// take adds an outcome, in task order. whole says that the declared sizes were searched to the end: then an undeclared
// size decides nothing.
func (r *SliceResult) take(j Task, o Outcome, whole bool) {
	r.foresee(j, o)
	switch {
	case r.Err != nil, j.states > 0 && r.Cov.Bound == search.StateBound:
		return
	case !o.done && j.beyond:
		r.Cut = j.Topology
		return
	case !o.done:
		r.Cov.limit(search.TimeBound)
		return
	case o.Err != nil:
		r.Err = o.Err
		return
	case whole && j.undeclared() && o.Cov.Bound == search.StateBound:
		r.Cov.addWork(o.Cov)
		r.Cov.Cut = AppendNew(r.Cov.Cut, []string{smallerSizes})
		return
	}
	if broken := r.takePreferred(&o); counts(j, o, broken) {
		r.Head = append(r.Head, o.Head...)
		r.Base = append(r.Base, o.Base...)
		r.Own = append(r.Own, o.Own...)
	}
	r.KeepClosed(placeOf(j.Variant, j.Topology), o)
	if j.Variant.premise == "" && !j.undeclared() {
		r.Declared = r.Declared || Complete(o.Cov)
		r.searched++
		if o.holds || !Complete(o.Cov) {
			r.sizes++
		}
	}
	if j.beyond && !Complete(o.Cov) {
		r.Cut = j.Topology
		o.Cov.Bound = search.Complete
	}
	r.Cov.Merge(o.Cov)
	if j.probes {
		return
	}
	r.Topologies++
	r.MaxNodes = max(r.MaxNodes, j.Topology.Total())
}

// smallerSizes names searches of fewer nodes than were declared.
const smallerSizes = "a cluster smaller than declared"

// counts reports whether the findings at a topology say something about the change: those at an undeclared size on
// which base itself breaks a rule do not. broken says that it breaks a preference.
func counts(j Task, o Outcome, broken bool) bool {
	broken = broken || slices.ContainsFunc(o.Base, func(v Violation) bool { return v.probe == nil })
	return !broken || scale.Declared(j.Variant.Spec.Classes, j.Topology)
}

// first adds the violations whose key is new.
func first(have, more []Violation) []Violation {
	for _, v := range more {
		if !slices.ContainsFunc(have, func(o Violation) bool { return o.Key() == v.Key() }) {
			have = append(have, v)
		}
	}
	return have
}

// Whole reports whether a slice was searched to the end as it is declared, at every size that is.
func (sr *SliceResult) Whole() bool {
	return sr.Err == nil && sr.Variant.AsDeclared() && Complete(sr.Cov) && sr.Declared && sr.Cut == nil && !sr.Outgrown()
}

// Outgrown reports whether no declared size that was searched has room for what settles.
func (sr *SliceResult) Outgrown() bool {
	return sr.Err == nil && Complete(sr.Cov) && sr.searched > 0 && sr.sizes == 0
}
