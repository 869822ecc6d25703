package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// AtDeclaredCounts searches for a violation of a reduced scale with the declared numbers of pods and nodes, along its
// actions. Whether it is inevitable was decided at the reduced scale.
func (c *Checker) AtDeclaredCounts(ctx context.Context, found Violation) (Violation, bool) {
	return c.directedAt(ctx, found.Variant.unscaled(), found)
}

// directedAt searches for a violation in another form of its variant, at the largest
// topology of that.
func (c *Checker) directedAt(ctx context.Context, v Variant, found Violation) (Violation, bool) {
	if c.Expired() {
		return Violation{}, false
	}
	p, start, ok := c.settledAs(v, found.Scenario, found.probe)
	if !ok {
		return Violation{}, false
	}
	k := slices.IndexFunc(p.bounds, func(b BoundRule) bool {
		return b.Rule.ID == found.Bound.Rule.ID && b.half == found.Bound.half &&
			p.Cfg.Spec.Workloads[b.Workload].ID == found.Key().Workload
	})
	if k < 0 {
		return Violation{}, false
	}
	d := directed{problem: p, rule: k, ctx: ctx, until: c.Budget.Deadline}
	d.guide, d.loop = guideOf(found, p)
	for _, linger := range []bool{true, false} {
		d.linger = linger
		x := d.keptAs(c.Budget, "directed search", start, func() *search.Violation { return d.search(start) })
		if x != nil && d.confirmed(x) {
			x.Inevitable = found.Inevitable
			out := Violation{Problem: p, Variant: v, Bound: p.bounds[k], Scenario: found.Scenario,
				Rivals: found.Rivals, Violation: *x}
			if found.Cold {
				out.Cold, out.Happened = true, found.Happened
			}
			return out, true
		}
	}
	return Violation{}, false
}

// settledAs is a variant at its largest topology, and a state in which a scenario may
// begin.
func (c *Checker) settledAs(v Variant, scenario string, of *probe) (*Problem, []byte, bool) {
	from := state.Head
	switch {
	case of != nil:
		v, _ = of.of(v)
		from = of.from
	case scenario == ScenarioChange:
		v, from = v.Change(), state.Base
	case scenario == ScenarioNext:
		v, from = v.next(), state.Base
	default:
		v = v.only(state.Head)
	}
	p, err := NewProblem(autoscaling.SizedAlong(&v.Spec), scale.Largest(v.Spec.Classes), c.Rules, c.Timing)
	if err != nil {
		return nil, nil, false
	}
	start := gitops.Install(p.Cfg, from).B
	if scenario == ScenarioInstall || of != nil && of.start == fresh {
		return p, start, true
	}
	start, ok := p.calmKept(c.Budget, start)
	return p, start, ok
}

// oneRun lets one run happen with the declared numbers of pods and nodes: base settles,
// head is applied, and what is not inevitable anywhere is left to chance. It shows what
// a reduced scale hides, such as nodes that are full.
func (c *Checker) oneRun(ctx context.Context, v Variant) []Violation {
	v = v.unscaled()
	scenario := ScenarioInstall
	if v.Has(state.Base) {
		scenario = ScenarioChange
	}
	p, start, ok := c.settledAs(v, scenario, nil)
	if !ok {
		return nil
	}
	var guide []guideStep
	for i, a := range p.Actors {
		if a.Name() == "apply" && scenario == ScenarioChange {
			guide = append(guide, guideStep{i, true})
		}
	}
	var out []Violation
	for i, b := range p.bounds {
		if !b.endsBadly() {
			continue
		}
		d := directed{problem: p, rule: i, ctx: ctx, until: c.Budget.Deadline, guide: guide, loop: -1}
		if x := d.keptAs(c.Budget, "one run", start, func() *search.Violation { return d.once(start) }); x != nil {
			out = append(out, Violation{Problem: p, Variant: v, Bound: b, Scenario: scenario, ByRun: true, Violation: *x})
		}
	}
	return out
}

// endsBadly reports whether a rule is about where a cluster comes to rest, on any run.
func (b BoundRule) endsBadly() bool {
	return !b.Property.Wish && (b.Property.Quiescent != nil || b.Property.Persists != nil)
}

// once takes the first choice everywhere and gives the violation that the end is.
func (d *directed) once(start []byte) *search.Violation {
	d.start, d.frames = start, []frame{{at: start}}
	for range settlingSteps {
		last := &d.frames[len(d.frames)-1]
		choices, quiet := d.choices(last.at, last.place)
		if quiet && len(choices) == 0 {
			if v := d.path(frame{}, -1); d.confirmed(v) {
				return v
			}
			return nil
		}
		if d.stopped() {
			return nil
		}
		next := frame{at: last.at, place: choices[0].place}
		if c := choices[0]; c.step != nil {
			next.at, next.step, next.moved = c.step.To, *c.step, true
		}
		d.frames = append(d.frames, next)
	}
	return nil
}

// AddRun adds to the result of a slice that was searched at a reduced scale only what
// a run with the declared numbers shows.
func (c *Checker) AddRun(ctx context.Context, p Plan, sr *SliceResult) {
	if sr.Variant.AsDeclared() || sr.Err != nil || c.Expired() {
		return
	}
	v := sr.Variant.unscaled()
	sr.Head = first(sr.Head, c.oneRun(ctx, v))
	if v.Has(state.Base) {
		sr.Base = first(sr.Base, c.oneRun(ctx, v.Reapply()))
	}
}

// Largest are what searches at the largest topology of a slice gave, each searched once
// however many findings ask for it; nil keeps none. It is not safe for concurrent use.
type Largest map[largestKey]Outcome

// largestKey is a slice at one scale of its numbers.
type largestKey struct {
	slice   *slice.Slice
	gap     int
	premise string
}

func (v Variant) LargestKey() largestKey { return largestKey{v.Slice, v.gap, v.Premise()} }

// Keep takes in the tasks that were searched at their largest topology, to the end or to where a search
// there would run out of states as well.
func (l Largest) Keep(tasks []Task, outcomes []Outcome) {
	if l == nil {
		return
	}
	for i, j := range tasks {
		o := outcomes[i]
		alike := o.Cov.Bound == search.StateBound && j.states == 0 && !j.beyond && !j.probes && j.Variant.AsDeclared()
		if o.done && o.Err == nil && (o.Cov.Bound == search.Complete || alike) &&
			slices.Equal(j.Topology, scale.Largest(j.Variant.Spec.Classes)) {
			l[j.Variant.LargestKey()] = o
		}
	}
}

// largestStates bounds the search there: as that of the slice, where it was searched at several scales.
func (v Variant) largestStates() uint64 {
	if v.unscaled().Pods() > FewPods {
		return scalingStates
	}
	return v.States()
}

// AtLargest looks for a violation at the largest topology as well.
func (c *Checker) AtLargest(ctx context.Context, v Variant, of Violation,
	largest scale.Topology) (found Violation, shows Answer) {
	o, known := c.Largest[v.LargestKey()]
	if !known && c.Expired() {
		return Violation{}, Undecided
	}
	if !known {
		o = c.Within(min(v.largestStates(), c.Budget.States)).Both(ctx, Task{Variant: v, Topology: largest})
		if c.Largest != nil {
			c.Largest[v.LargestKey()] = o
		}
	}
	i := slices.IndexFunc(o.Head, func(x Violation) bool { return x.Key() == of.Key() })
	switch {
	case o.Err != nil:
		return Violation{}, Undecided
	case i >= 0:
		return o.Head[i], Yes
	case o.Cov.Bound != search.Complete, of.Bound.Property.Soft && !o.preferred():
		return Violation{}, Undecided
	}
	return Violation{}, No
}
