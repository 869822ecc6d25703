package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// If a slice was not searched to the end as declared, the rest of the budget goes to random runs at its declared size
// (see [search.Swarm]). They can find a violation, and never make a slice pass: everything else stays open.
const (
	// swarmSteps is how many steps one swarm takes at least; where the search was cut, as many as swarmOf of its
	// states, up to mostSwarm. restSteps look for states in which a version may settle; the swarm begins in up to
	// swarmRests of them.
	swarmSteps, swarmOf, mostSwarm = 50_000, 4, 1_000_000
	restSteps, swarmRests          = 2_000, 16
	// swarmLate is how many findings of a swarm are told where the budget has ended: to word one takes time as well.
	swarmLate = 16
	// swarmShare is the part of the time that is left, for one slice.
	swarmShare = 3
)

// Swarmed is the outcome of random runs.
type Swarmed struct {
	finding.Swarmed
	most uint64 // steps of each swarm
}

// Swarm adds to the result of a slice that was not searched to the end as declared the findings of random runs at its
// largest declared size.
func (c *Checker) Swarm(ctx context.Context, sr *SliceResult) {
	if sr.Err != nil || sr.Variant.AsDeclared() && Complete(sr.Cov) && sr.Cut == nil || c.Expired() || ctx.Err() != nil {
		return
	}
	whole := c
	if end := c.Budget.Deadline; !end.IsZero() {
		c = c.until(time.Now().Add(time.Until(end) / swarmShare))
	}
	v := sr.Variant.unscaled()
	from, scenarios := v.only(state.Head), []string{ScenarioInstall, ScenarioSteady}
	if v.Has(state.Base) {
		from, scenarios = v, []string{ScenarioChange}
	}
	done := Swarmed{most: swarmSteps}
	if !Complete(sr.Cov) {
		done.most = min(max(done.most, sr.Cov.States/swarmOf), mostSwarm)
	}
	var found []Violation
	for _, scenario := range scenarios {
		known := append(slices.Clone(sr.Head), found...)
		more := c.swarm(ctx, from, scenario, &done, func(b BoundRule, k Key) bool {
			return !slices.ContainsFunc(known, func(o Violation) bool { return o.Key() == k })
		})
		more, own := whereApplied(more)
		found, sr.Own = append(found, more...), append(sr.Own, own...)
	}
	if done.Steps == 0 {
		return
	}
	if whole.Expired() {
		found = found[:min(len(found), swarmLate)]
	}
	done.Found = len(found)
	sr.Swarmed = &done
	sr.Head = append(sr.Head, found...)
	if len(found) > 0 && v.Has(state.Base) {
		sr.Base = append(sr.Base, c.swarmedBefore(ctx, v.Reapply(), found, &done)...)
	}
}

// swarmedBefore looks on base for the violations of head: along the same actions, and by separate runs.
func (c *Checker) swarmedBefore(ctx context.Context, base Variant, found []Violation, done *Swarmed) []Violation {
	out := c.swarm(ctx, base, ScenarioChange, done, func(_ BoundRule, k Key) bool {
		return slices.ContainsFunc(found, func(v Violation) bool { return v.Key() == k })
	})
	for _, v := range found {
		if x, ok := c.directedAt(ctx, base, v); ok {
			x.happened()
			out = append(out, x)
		}
	}
	return out
}

// swarm looks for violations of some rules of a variant at its largest topology.
func (c *Checker) swarm(ctx context.Context, v Variant, scenario string, done *Swarmed,
	wanted func(BoundRule, Key) bool) (out []Violation) {
	p, starts := c.swarmStarts(ctx, v, scenario)
	if p == nil {
		return nil
	}
	drop := map[judgment]bool{}
	for _, b := range p.bounds {
		k := Key{b.Rule.ID, p.Cfg.Spec.Workloads[b.Workload].ID}
		drop[b.judgment()] = b.Property.Wish || scenario == ScenarioInstall && b.Rule.Running || !wanted(b, k)
	}
	if p.drop(drop); len(p.bounds) == 0 {
		return nil
	}
	events := -1
	if scenario == ScenarioInstall {
		events = 0
	}
	res := p.swarmed(ctx, c.Budget, false, starts, search.SwarmOptions{MaxSteps: done.most, MaxEvents: events})
	done.Nodes, done.Steps = len(p.Cfg.Nodes), done.Steps+res.States
	done.Pods = max(done.Pods, mostDeclared(p.Cfg))
	for _, x := range res.Violations {
		f := Violation{Problem: p, Variant: v, Bound: p.bounds[x.Rule], Scenario: scenario, ByRun: true, Swarmed: true,
			Violation: x}
		f.happened()
		out = append(out, f)
	}
	return out
}

// swarmStarts is a variant at its largest topology, and states in which a scenario may begin; nil where none is found.
func (c *Checker) swarmStarts(ctx context.Context, v Variant, scenario string) (*Problem, [][]byte) {
	p, start, ok := c.settledAs(v, scenario, nil)
	switch {
	case !ok:
		return nil, nil
	case scenario == ScenarioInstall:
		return p, p.Installs(state.Head)
	}
	from := state.Head
	if scenario == ScenarioChange {
		from = state.Base
	}
	var begin [][]byte
	for _, s := range gitops.Installs(p.Cfg, from) {
		begin = append(begin, s.B)
	}
	starts := p.swarmed(ctx, c.Budget, true, begin, search.SwarmOptions{MaxSteps: restSteps, MaxRests: swarmRests}).Settled
	starts = slices.DeleteFunc(starts, func(b []byte) bool { return state.State{C: p.Cfg, B: b}.IsOutgrown() })
	if !slices.ContainsFunc(starts, func(b []byte) bool { return string(b) == string(start) }) {
		starts = append(starts, start)
	}
	return p, starts
}

// swarmed takes runs of a problem, or gives what they came to earlier. Its states are their steps.
func (p *Problem) swarmed(ctx context.Context, bud Budget, calm bool, initial [][]byte,
	opt search.SwarmOptions) *search.Result {
	sys := p.System
	if calm {
		sys = p.still
	}
	sys.Initial = initial
	q := question{sys: sys, calm: calm,
		of: fmt.Sprintf("random runs, %d steps, %d events, %d rests", opt.MaxSteps, opt.MaxEvents, opt.MaxRests)}
	a, err := p.kept(bud, q, func() (answer, error) {
		if !bud.Deadline.IsZero() {
			opt.MaxTime = max(time.Until(bud.Deadline), time.Millisecond)
		}
		got, err := search.Swarm(ctx, sys, opt)
		if err != nil {
			return answer{}, err
		}
		r := &search.Result{Bound: search.Complete, States: got.Steps, Violations: got.Violations, Settled: got.Rests}
		if got.Late {
			r.Bound = search.TimeBound
		}
		return answer{Result: r}, nil
	})
	if err != nil {
		return &search.Result{}
	}
	return a.Result
}
