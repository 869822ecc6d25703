package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
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

// Violation is a counterexample with what is needed to word it.
type Violation struct {
	Problem   *Problem
	Variant   Variant // that it was found in, with both versions
	Bound     BoundRule
	Scenario  string
	ByRun     bool     // found by one run, not by a search
	Swarmed   bool     // found by one of many runs in drawn orders; ByRun, too
	probe     *probe   // that found it; nil: a search of a scenario
	Passing   bool     // not shown by the largest reduced scale: it counts only as declared
	unapplied bool     // its run never applies the change, so that it is base's own
	Happened  []string // kinds of its events, sorted; nil: not gathered yet
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
	lonely     bool // search each workload by itself only
	// inPart says that PartStates is heeded: not where a remedy is tried.
	inPart bool
}

// Scenarios searches a variant at a topology in every scenario that it has, and gives of
// every rule and workload the Pareto front of all scenarios (see pareto.go).
func (c *Checker) Scenarios(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
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
	if err != nil || c.quits && r.cov.Bound == search.StateBound || r.cov.Bound == search.TimeBound {
		return r.found, r.cov, err
	}
	if err := r.probes(ctx, v, probes); err != nil || soft == nil {
		return r.found, r.cov, err
	}
	err = r.preferences(ctx, v, soft, imageOnly)
	return r.found, r.cov, err
}

// scenarios searches the change, and head alone; between does what stands between them.
func (r *scenarioRun) scenarios(ctx context.Context, v Variant, between func() error) error {
	if v.Has(state.Base) {
		if err := r.settled(ctx, ScenarioChange, v, state.Base); err != nil {
			return err
		}
	}
	if r.quits && r.cov.Bound == search.StateBound || r.late() {
		return nil
	}
	if err := between(); err != nil {
		return err
	}
	if alone := v.only(state.Head); alone.Has(state.Head) && (v.alone || !v.repeats()) && !r.late() {
		if err := r.empty(ctx, alone); err != nil {
			return err
		}
		return r.settled(ctx, ScenarioSteady, alone, state.Head)
	}
	return nil
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
	// unfit says of a state that it is none to begin from; nil: every settled one is.
	unfit func(state.State) bool
	found []Violation
	cov   Coverage
	rests *rests // of head installed on an empty cluster; nil: not known
	// imageOnly says that the change is a rollout like any other, so that what any may break is searched for in part.
	imageOnly bool
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
	if r.unfit != nil && len(initial) > 0 {
		initial = slices.DeleteFunc(initial, func(b []byte) bool { return r.unfit(state.State{C: p.Cfg, B: b}) })
		if len(initial) == 0 { // another rule's: what does not run cannot be rolled out either
			return nil
		}
	}
	if len(initial) == 0 { // the budget ran out before anything settled
		if Complete(r.cov) && (name == ScenarioChange || !v.Has(state.Base)) { // or the cluster outgrows this size
			r.cov.outgrown = true
		}
		return nil
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
		r.found = enterPareto(r.found, v)
	}
	return nil
}

// happened notes the events of a violation, and whether they are base's own.
func (v *Violation) happened() {
	v.Happened = v.Kinds()
	v.unapplied = v.Scenario == ScenarioChange && v.Problem.Cfg.Spec.Events.Apply > 0 &&
		!slices.Contains(v.Happened, "apply")
}

// last is the state that a counterexample ends in.
func (v Violation) last() []byte {
	if n := len(v.Steps); n > 0 {
		return v.Steps[n-1].To
	}
	return v.Start
}

// Simpler reports whether a counterexample needs fewer events or, with as many, fewer steps.
// One without any shows nothing: how the pods came where they rest tells more.
func (v Violation) Simpler(o Violation) bool {
	if v.Events != o.Events {
		return v.Events < o.Events
	}
	if mute := v.mute(); mute != o.mute() {
		return !mute
	}
	return len(v.Steps) < len(o.Steps)
}

// mute reports whether a counterexample neither takes a step nor ends before one that is
// refused: the wrong state is there from the start, at rest.
func (v Violation) mute() bool {
	if len(v.Steps) > 0 {
		return false
	}
	s := state.State{C: v.Problem.Cfg, B: v.Start}
	for _, p := range s.C.ClassesOf[v.Bound.Workload] {
		drain, _, _ := nodes.DrainRefusal(s, p)
		quota, _ := workloads.QuotaRefusal(s, p)
		if s.Pending(p) > 0 || s.Waiting(p) > 0 || drain != "" || quota != "" {
			return false
		}
	}
	return true
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
