// Package scenario searches a slice in every situation that a change can meet, at every
// size of cluster that was declared, smallest first.
//
// A [Variant] is a slice with node classes, events, and the numbers of one scale. Its
// scenarios are change (base settles, head is applied), revert, install and steady; beside
// them stand the probes, such as the next rollout and the drain of one node (probe.go). Each is
// a [Problem]: a compiled cluster with its actors and rules, which the engine explores.
//
// What a topology shows of one rule and object is a Pareto front of violations (pareto.go):
// those that no other one covers with fewer events. Base is searched as head is, as the
// baseline. Slices share the time fairly (fair.go); one with many pods is searched on
// several scalings, reduced first and then as declared (scalings.go), and what only a reduced scale
// showed is looked for again as declared by a directed search (at_declared.go, directed.go).
//
// The result does not depend on the number of workers. Its meaning for a merge is not
// said here: see the package judge, and verify/README.md for the definitions.
package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Scenario names, as they stand in results.
const (
	ScenarioChange  = "change"
	ScenarioSteady  = "steady"
	ScenarioInstall = "install"
)

// Violation is a counterexample with everything that its words need.
type Violation struct {
	Problem   *Problem
	Variant   Variant // that it was found in, with both versions
	Bound     BoundRule
	Scenario  string
	ByRun     bool     // found by one run, not by a search
	Swarmed   bool     // found by one of many random runs; ByRun, too
	probe     *probe   // that found it; nil: a search of a scenario
	Passing   bool     // not shown by the largest reduced scale: it counts only as declared
	unapplied bool     // its run never applies the change, so that it is base's own
	Happened  []string // kinds of its events, sorted; nil: not gathered yet
	Cold      bool     // only an empty cluster leads there, not the change; see [scenarioRun.cold]
	Rivals    []string // IDs of workloads that share its blame: it is inevitable that one of them is stuck, or its own
	search.Violation
}

// Key tells findings apart within a release: which rule breaks for whom.
type Key struct{ Rule, Workload string }

func (v Violation) Key() Key {
	return Key{v.Bound.Rule.ID, v.Problem.Cfg.Spec.Workloads[v.Bound.Workload].ID}
}

// Checker holds what all searches of a run share.
type Checker struct {
	Policy *policies.Policy
	Only   []string // rule IDs to check; empty: all
	Rules  []rules.Rule
	Timing actor.Timing
	Budget Budget
	quits  bool // a search that runs out of states makes the others needless
	// PartStates bounds the search for what existing findings alone can come of; 0: nothing does. See inPart.go.
	PartStates uint64
	Largest    Largest
	Whole      bool // search every slice as a whole, for all rules at once, for comparisons; see apart.go
	Twice      bool // search what two scenarios share for each of them, for comparisons; see [rests]
	Unforeseen bool // measure no effects of a change and foretell nothing, for comparisons; see measure.go
	lonely     bool // search each workload by itself only
	foresees   bool // searches of the change measure its effects; see measure.go
	firm       bool // do not search for preferences
	// Enough says of a violation that nothing more is to be searched for once it is found; nil: of none.
	Enough func(Violation) bool
	glance bool // whether a rule is broken at all is asked, not how surely
	// inPart says that PartStates is heeded: not where a remedy is tried.
	inPart bool
}

// Scenarios searches a variant at a topology in every scenario that it has, and gives of
// every rule and workload the Pareto front of all scenarios (see pareto.go).
func (c *Checker) Scenarios(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
	found, cov, err := c.scenariosApart(ctx, v, t)
	return found, cov.withPreferred(), err
}

// scenariosApart is the same, with the searches for preferences only kept apart in the coverage.
func (c *Checker) scenariosApart(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
	c = c.with(v)
	r := c.at(t)
	if r.late() {
		return nil, r.cov, nil
	}
	imageOnly := c.inPart && c.PartStates > 0 && !v.repeats() && v.anotherImage()
	firm, soft, err := c.parted(v, t)
	if err != nil {
		return nil, r.cov, err
	}
	r.Checker, r.imageOnly = firm, imageOnly
	err = r.scenarios(ctx, v, func() error { return r.revert(ctx, v) })
	if err != nil || r.hasEnough() || c.quits && r.cov.Bound == search.StateBound || r.cov.Bound == search.TimeBound {
		return r.found, r.cov, err
	}
	if err := r.probes(ctx, v, probes); err != nil || soft == nil || c.firm || r.hasEnough() {
		return r.found, r.cov, err
	}
	err = r.preferences(ctx, v, soft, imageOnly)
	return r.found, r.cov, err
}

// scenarios searches the change, and head alone; between makes the searches between them.
func (r *scenarioRun) scenarios(ctx context.Context, v Variant, between func() error) error {
	if v.Has(state.Base) {
		if err := r.settled(ctx, ScenarioChange, v, state.Base); err != nil {
			return err
		}
	}
	if r.quits && r.cov.Bound == search.StateBound || r.late() || r.hasEnough() {
		return nil
	}
	if err := between(); err != nil || r.hasEnough() {
		return err
	}
	if alone := v.only(state.Head); alone.Has(state.Head) && (v.alone || !v.repeats()) && !r.late() {
		if v.Has(state.Base) && Complete(r.cov) {
			r.changed = v.Changed
			defer func() { r.changed = nil }()
		}
		if err := r.empty(ctx, alone); err != nil || r.hasEnough() {
			return err
		}
		return r.settled(ctx, ScenarioSteady, alone, state.Head)
	}
	return nil
}

// hasEnough reports whether a violation was found after which the search may end.
func (r *scenarioRun) hasEnough() bool {
	return r.Enough != nil && slices.ContainsFunc(r.found, r.Enough)
}

// late reports whether the time has run out, so that nothing more is compiled or searched, and notes it.
func (r *scenarioRun) late() bool {
	if !r.Expired() {
		return false
	}
	r.cov.limit(search.TimeBound)
	return true
}

// scenarioRun gathers what the scenarios of one variant find at one topology.
type scenarioRun struct {
	*Checker
	topology scale.Topology
	// lacks says of a workload whether it lacks pods in a settled state, so that a probe asks nothing of it from there;
	// nil: all of them are asked about everywhere.
	lacks func(s state.State, w int) bool
	found []Violation
	cov   Coverage
	rests *rests // of head installed on an empty cluster; nil: not known
	// imageOnly says that the change is a rollout like any other, so that what any may break is searched for in part.
	imageOnly bool
	led       []Violation    // that runs of the change lead to
	crowded   bool           // want of room keeps workloads from being searched by themselves first; see apart.go
	changed   map[int]string // the workloads that the change touches, while head alone is searched to compare; or nil
}

// at begins a run at a topology.
func (c *Checker) at(t scale.Topology) *scenarioRun { return &scenarioRun{Checker: c, topology: t} }

// with gives the checker with the rules of a variant's scale.
func (c *Checker) with(v Variant) *Checker {
	if v.rules == nil {
		return c
	}
	own := *c
	own.Rules = v.rules
	return &own
}

// settled searches, with events, from every state that a version settles in.
func (r *scenarioRun) settled(ctx context.Context, name string, v Variant, from state.Version) error {
	p, err := NewProblem(&v.Spec, r.topology, r.Rules, r.Timing)
	if err != nil {
		return err
	}
	p.foresees(r.foresees && name == ScenarioChange)
	before := p
	if from == state.Base && v.BaseNamespaces != nil { // labels change with the apply
		spec := v.Spec
		spec.Namespaces = v.BaseNamespaces
		if before, err = NewProblem(&spec, r.topology, nil, r.Timing); err != nil {
			return err
		}
	}
	live := func(p *Problem) []byte {
		if name != ScenarioChange {
			return nil
		}
		return v.liveStart(p)
	}
	asLive := live(p)
	done, err := r.apart(p, before != p, func(one *Problem) (*search.Result, error) {
		start := live(one)
		if (start == nil) != (asLive == nil) {
			return nil, nil
		}
		return r.settledAlone(ctx, one, from, start)
	})
	if err != nil || done {
		return err
	}
	initial, known := r.rests.of(before, name)
	if !known {
		var results []*search.Result
		if initial, results, err = before.Settle(ctx, from, r.Budget); err != nil {
			return err
		}
		r.cov.addAll(results)
	}
	if p.Live = asLive; p.Live != nil {
		initial = withState(initial, p.Live)
	}
	if len(initial) == 0 { // the budget ran out before anything settled
		if Complete(r.cov) && (name == ScenarioChange || !v.Has(state.Base)) { // or the cluster outgrows this size
			r.cov.outgrown = true
		}
		return nil
	}
	if r.lacks != nil {
		return r.fromRest(ctx, name, p, initial)
	}
	return r.explore(ctx, name, p, initial, -1)
}

// empty searches, without events, from head on an empty cluster.
func (r *scenarioRun) empty(ctx context.Context, v Variant) error {
	rules := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return rule.Running })
	p, err := NewProblem(&v.Spec, r.topology, rules, r.Timing)
	if err != nil {
		return err
	}
	p.foresees(r.foresees && v.arrives)
	done, err := r.apart(p, false,
		func(one *Problem) (*search.Result, error) { return r.from(ctx, one, one.Installs(state.Head), 0) })
	if err != nil || done {
		return err
	}
	p.settles = !r.Twice
	return r.explore(ctx, ScenarioInstall, p, p.Installs(state.Head), 0)
}

func (r *scenarioRun) explore(ctx context.Context, name string, p *Problem, initial [][]byte, events int) error {
	if name == ScenarioChange && r.imageOnly {
		if done, err := r.inPartFirst(ctx, p, initial); done || err != nil {
			return err
		}
	}
	results, err := p.explore(ctx, initial, events, r.Budget)
	if err != nil {
		return err
	}
	return r.enter(ctx, name, p, initial, results)
}

// enter takes in what the searches of a problem gave, of which the last counts.
func (r *scenarioRun) enter(ctx context.Context, name string, p *Problem, initial [][]byte,
	results []*search.Result) (err error) {
	r.cov.addAll(results)
	res := results[len(results)-1]
	r.see(p, res)
	if p.settles && len(results) == 1 && (res.Bound == search.Complete || res.Bound == search.StateBound) {
		r.rests = &rests{p, res.Settled}
	}
	r.cov.close(closedBy(res))
	r.cov.note(p.Actors)
	r.cov.unanswer(p.unanswered())
	r.cov.MaxPods = max(r.cov.MaxPods, mostDeclared(p.Cfg))
	blame := newSharedBlame(r, p, initial)
	for _, x := range res.Violations {
		v := Violation{Problem: p, Bound: p.bounds[x.Rule], Scenario: name, Violation: x}
		v.happened()
		if r.glance {
			r.found = append(r.found, v)
			continue
		}
		if !v.Inevitable && v.FromLive() && v.Events <= 1 {
			sure, err := r.doomedLive(ctx, v)
			if err != nil {
				return err
			}
			v.Inevitable, v.Undecided = sure == Yes, sure == Undecided
		}
		if !v.Inevitable {
			sure, rivals, err := blame.inevitable(ctx, v)
			if err != nil {
				return err
			}
			v.Inevitable, v.Rivals, v.Undecided = sure == Yes, rivals, sure != Yes && (v.Undecided || sure == Undecided)
		}
		if unsure := v.Bound.Property.Unsure; unsure != nil && v.Inevitable {
			v.Inevitable = !unsure(state.State{C: p.Cfg, B: v.last()})
		}
		if v.Bound.Property.Wish && !v.Inevitable {
			continue
		}
		switch {
		case name == ScenarioChange && !v.unapplied:
			r.led = append(r.led, v)
		case r.cold(v):
			v.Cold, v.Happened = true, slices.Sorted(slices.Values(append(v.Happened, "cold-start")))
		}
		r.found = enterPareto(r.found, v)
	}
	return nil
}

// mostDeclared is the most pods of one slice that its manifests ask for, without surge; a
// DaemonSet asks for one a node.
func mostDeclared(c *state.Config) int {
	total, spec := 0, c.Spec
	for w, wl := range spec.Workloads {
		most := 0
		if c.PerNode(w) {
			most = len(c.Nodes)
		}
		for _, m := range wl.Manifests {
			if !m.Exists() {
				continue
			}
			most = max(most, m.Replicas(), m.JobPods(&spec.Events))
			if m.HPA != nil {
				most = max(most, int(m.HPA.Spec.MaxReplicas))
			}
		}
		total += most
	}
	return total
}

// SearchStates is a budget of one search that no option sets.
const SearchStates = 20_000_000

// rests are the states that a problem comes to rest in: what the search of an installation explores is what the
// scenario that begins where it has settled would explore once more. A search that was cut off by the number of its
// states gives those that it saw, which the other one would see as well.
type rests struct {
	p      *Problem
	states [][]byte
}

// of gives the states in which a scenario of head alone begins, where they are known: those that [Problem.Settle] would
// give. A search with rules gives the same ones where it lumps the same pods: quiescence and terminal cycles are no
// matter of rules, and of a cycle both give the least state.
func (r *rests) of(p *Problem, scenario string) (states [][]byte, known bool) {
	if r == nil || scenario != ScenarioSteady || !r.p.lumps.Same(p.calmLumps) {
		return nil, false
	}
	return slices.DeleteFunc(slices.Clone(r.states),
		func(b []byte) bool { return state.State{C: p.Cfg, B: b}.IsOutgrown() }), true
}
