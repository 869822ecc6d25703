package verify

import (
	"context"
	"maps"
	"slices"
	"strings"

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
	scenarioChange  = "change"
	scenarioSteady  = "steady"
	scenarioInstall = "install"
)

// variant is a slice with its node classes, in the form one scenario needs it.
type variant struct {
	*slice
	spec state.Spec
	// gap is that of the reduced scale (see [scale.Reduce]), and declared what was
	// reduced; 0 and nil as declared.
	gap      int
	declared *state.Spec
	further  []int        // numbers that the user gave, as declared
	rules    []rules.Rule // at this scale; nil: the checker's
}

// with gives the slice on a cluster with the given events.
func (sl *slice) with(classes []state.NodeClass, apply state.Apply, events state.Events) variant {
	v := variant{slice: sl, spec: sl.spec}
	v.spec.Classes, v.spec.Apply, v.spec.Events = classes, apply, events
	return v
}

// manifests gives the variant with other manifests in place of base's and head's.
func (v variant) manifests(pick func(state.Workload) [2]state.Manifest, applies int) variant {
	v.spec.Workloads = slices.Clone(v.spec.Workloads)
	for i, w := range v.spec.Workloads {
		v.spec.Workloads[i].Manifests = pick(w)
	}
	v.spec.Events.Apply = applies
	return v
}

// change is base, with head applied once.
func (v variant) change() variant {
	return v.manifests(func(w state.Workload) [2]state.Manifest { return w.Manifests }, 1)
}

// reapply is base, with base applied once more: what every merge that changes nothing
// does. Its violations are those that were there before.
func (v variant) reapply() variant {
	v.spec.DefaultPriority[state.Head] = v.spec.DefaultPriority[state.Base]
	if v.before != nil {
		v.spec.Scheduler, v.spec.Descheduler = v.before.Scheduler, v.before.Descheduler
		v.spec.ClusterAutoscaler, v.spec.Autoscaler = v.before.ClusterAutoscaler, v.before.Autoscaler
		if len(v.before.Classes) == len(v.spec.Classes) {
			v.spec.Classes = asBefore(v.spec.Classes, v.before.Classes)
		}
	}
	if len(v.baseNodes) == len(v.spec.Classes) {
		v.spec.Classes = slices.Clone(v.spec.Classes)
		for i, n := range v.baseNodes {
			if n != nil {
				v.spec.Classes[i].Node = n
			}
		}
	}
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		return [2]state.Manifest{w.Manifests[state.Base], w.Manifests[state.Base]}
	}, 1)
}

// only is one version alone, never applied again.
func (v variant) only(version state.Version) variant {
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		return [2]state.Manifest{{}, w.Manifests[version]}
	}, 0)
}

// has says whether any workload exists in a version.
func (v variant) has(version state.Version) bool {
	return slices.ContainsFunc(v.spec.Workloads, func(w state.Workload) bool { return w.Manifests[version].Exists() })
}

// violation is a counterexample with what is needed to word it.
type violation struct {
	problem  *problem
	variant  variant // that it was found in, with both versions
	bound    boundRule
	scenario string
	probed   bool     // found by one run, not by a search
	aside    string   // the search that stands aside and found it; "": none
	passing  bool     // not shown by the largest reduced scale: it counts only as declared
	happened []string // kinds of its events, sorted; nil: not gathered yet
	search.Violation
}

// key tells findings apart within a release: which rule breaks for whom.
type key struct{ rule, workload string }

func (v violation) key() key {
	return key{v.bound.rule.ID, v.problem.cfg.Spec.Workloads[v.bound.workload].ID}
}

// coverage adds up what searches explored.
type coverage struct {
	states, transitions uint64
	maxPods, maxEvents  int
	bound               search.Bound // the first that was not Complete
	// closed is the number of events up to which every search with events was complete.
	closed *int
	// closedAside is the same of each search that stands aside, by its name; cut names
	// those that were not finished.
	closedAside map[string]int
	cut         []string
	outgrown    bool     // what settles wants more nodes than the topology has
	unanswered  []string // what kept rules from being evaluated, by rule
	searches    int
	models      map[string]*actor.Model // of the loops that took part, by name
}

// note keeps what the actors say of themselves.
func (c *coverage) note(actors []actor.Actor) {
	if c.models == nil {
		c.models = map[string]*actor.Model{}
	}
	for _, a := range actors {
		loop, _, _ := strings.Cut(a.Name(), "/")
		loop, _, _ = strings.Cut(loop, "-") // kubelet-start and kubelet-stop are one loop
		c.models[loop] = a.Model()
	}
}

func (c *coverage) add(r *search.Result) {
	c.states += r.States
	c.transitions += r.Transitions
	c.maxEvents = max(c.maxEvents, r.Events)
	c.searches++
	c.limit(r.Bound)
}

// addAll adds the last of some results of one search, and of the others the work.
func (c *coverage) addAll(results []*search.Result) {
	last := len(results) - 1
	for _, r := range results[:last] {
		c.addWork(coverage{states: r.States, transitions: r.Transitions})
	}
	c.add(results[last])
}

// close lowers the number of events up to which the searches were complete.
func (c *coverage) close(n int) {
	if c.closed == nil || n < *c.closed {
		c.closed = &n
	}
}

func (c *coverage) limit(b search.Bound) {
	if c.bound == 0 || c.bound == search.Complete {
		c.bound = b
	}
}

func (c *coverage) merge(d coverage) {
	c.states += d.states
	c.transitions += d.transitions
	c.maxPods = max(c.maxPods, d.maxPods)
	c.maxEvents = max(c.maxEvents, d.maxEvents)
	c.searches += d.searches
	if c.models == nil {
		c.models = map[string]*actor.Model{}
	}
	maps.Copy(c.models, d.models)
	c.unanswer(d.unanswered)
	c.cut = appendNew(c.cut, d.cut)
	if d.bound != 0 {
		c.limit(d.bound)
	}
}

// checker holds what all searches of a run share.
type checker struct {
	rules  []rules.Rule
	timing actor.Timing
	budget budget
	quits  bool // a search that runs out of states makes the others needless
	lifts  lifts
}

// scenarios searches a variant at a topology in every scenario that it has, and gives of
// every rule and workload the front of all scenarios (see front.go).
func (c *checker) scenarios(ctx context.Context, v variant, t scale.Topology) ([]violation, coverage, error) {
	if v.rules != nil {
		own := *c
		own.rules = v.rules
		c = &own
	}
	r := scenarioRun{checker: c, topology: t}
	if v.has(state.Base) {
		if err := r.settled(ctx, scenarioChange, v, state.Base); err != nil {
			return nil, r.cov, err
		}
	}
	if c.quits && r.cov.bound == search.StateBound {
		return r.found, r.cov, nil
	}
	if err := r.revert(ctx, v); err != nil {
		return nil, r.cov, err
	}
	if alone := v.only(state.Head); alone.has(state.Head) && !v.repeats() {
		if err := r.empty(ctx, alone); err != nil {
			return nil, r.cov, err
		}
		if err := r.settled(ctx, scenarioSteady, alone, state.Head); err != nil {
			return nil, r.cov, err
		}
	}
	if err := r.next(ctx, v); err != nil {
		return nil, r.cov, err
	}
	err := r.maintenance(ctx, v)
	return r.found, r.cov, err
}

// repeats says whether both versions are the same manifests, so that everything that
// can be seen of head alone was seen before its apply.
func (v variant) repeats() bool {
	return !slices.ContainsFunc(v.spec.Workloads, func(w state.Workload) bool {
		return !w.Manifests[state.Base].Same(&w.Manifests[state.Head])
	})
}

// scenarioRun gathers what the scenarios of one variant find at one topology.
type scenarioRun struct {
	*checker
	topology scale.Topology
	running  bool // begin only where every pod has a node
	found    []violation
	cov      coverage
}

// settled searches, with events, from every state that a version settles in.
func (r *scenarioRun) settled(ctx context.Context, name string, v variant, from state.Version) error {
	p, err := newProblem(&v.spec, r.topology, r.rules, r.timing)
	if err != nil {
		return err
	}
	initial, results, err := p.settle(ctx, from, r.budget)
	if err != nil {
		return err
	}
	r.cov.addAll(results)
	if r.running && len(initial) > 0 {
		initial = slices.DeleteFunc(initial, func(b []byte) bool { return pendingAnywhere(state.State{C: p.cfg, B: b}) })
		if len(initial) == 0 { // another rule's: what does not run cannot be rolled out either
			return nil
		}
	}
	if len(initial) == 0 { // the budget ran out before anything settled
		if complete(r.cov) && (name == scenarioChange || !v.has(state.Base)) { // or the cluster outgrows this size
			r.cov.outgrown = true
		}
		return nil
	}
	return r.explore(ctx, name, p, initial, -1)
}

// empty searches, without events, from head on an empty cluster.
func (r *scenarioRun) empty(ctx context.Context, v variant) error {
	rules := slices.DeleteFunc(slices.Clone(r.rules), func(rule rules.Rule) bool { return rule.Running })
	p, err := newProblem(&v.spec, r.topology, rules, r.timing)
	if err != nil {
		return err
	}
	return r.explore(ctx, scenarioInstall, p, p.installs(state.Head), 0)
}

func (r *scenarioRun) explore(ctx context.Context, name string, p *problem, initial [][]byte, events int) error {
	results, err := p.explore(ctx, initial, events, r.budget)
	if err != nil {
		return err
	}
	r.cov.addAll(results)
	res := results[len(results)-1]
	r.cov.close(closedBy(res))
	r.cov.note(p.actors)
	r.cov.unanswer(p.unanswered())
	r.cov.maxPods = max(r.cov.maxPods, mostDeclared(p.cfg))
	for _, x := range res.Violations {
		v := violation{problem: p, bound: p.bounds[x.Rule], scenario: name, Violation: x}
		if !v.Inevitable {
			if v.Inevitable, err = r.inevitable(ctx, v); err != nil {
				return err
			}
		}
		if unsure := v.bound.property.Unsure; unsure != nil && v.Inevitable {
			v.Inevitable = !unsure(state.State{C: p.cfg, B: v.last()})
		}
		if v.bound.property.Wish && !v.Inevitable {
			continue
		}
		v.happened = v.kinds()
		r.found = enterFront(r.found, v)
	}
	return nil
}

// last is the state that a counterexample ends in.
func (v violation) last() []byte {
	if n := len(v.Steps); n > 0 {
		return v.Steps[n-1].To
	}
	return v.Start
}

// simpler says whether a counterexample needs fewer events or, with as many, fewer steps.
// One without any shows nothing: how the pods came where they rest tells more.
func (v violation) simpler(o violation) bool {
	if v.Events != o.Events {
		return v.Events < o.Events
	}
	if mute := v.mute(); mute != o.mute() {
		return !mute
	}
	return len(v.Steps) < len(o.Steps)
}

// mute says whether a counterexample neither takes a step nor ends before one that is
// refused: the wrong state is there from the start, at rest.
func (v violation) mute() bool {
	if len(v.Steps) > 0 {
		return false
	}
	s := state.State{C: v.problem.cfg, B: v.Start}
	for _, p := range s.C.ClassesOf[v.bound.workload] {
		drain, _, _ := nodes.DrainRefusal(s, p)
		quota, _ := workloads.QuotaRefusal(s, p)
		if s.Pending(p) > 0 || s.Waiting(p) > 0 || drain != "" || quota != "" {
			return false
		}
	}
	return true
}

// inevitable says whether every fair run from the state after a violation's last event
// gets stuck for the workload in one way or another: rules that share a workload's
// stuck states between them (a rollout that cannot complete, a pod that cannot be
// placed) are one fate, and only together inevitable.
func (r *scenarioRun) inevitable(ctx context.Context, v violation) (bool, error) {
	if v.bound.property.Persists == nil {
		return false, nil
	}
	var fates []func(state.State) bool
	for _, rule := range rules.All() { // whichever of them are on
		for _, prop := range rule.Properties(v.problem.cfg, v.bound.workload) {
			if prop.Persists != nil {
				fates = append(fates, prop.Persists)
			}
		}
	}
	if len(fates) < 2 {
		return false, nil
	}
	any := rules.Property{Persists: func(s state.State) bool {
		return slices.ContainsFunc(fates, func(f func(state.State) bool) bool { return f(s) })
	}}
	sys := v.problem.system
	sys.Rules = []search.Rule{v.problem.searchRule("any fate", any)}
	sys.Initial = [][]byte{v.afterLastEvent()}
	opt := r.budget.options()
	opt.MaxEvents = 0
	res, err := search.Run(ctx, sys, opt)
	if err != nil {
		return false, err
	}
	r.cov.add(res)
	return res.Bound == search.Complete && len(res.Violations) == 1 && res.Violations[0].Inevitable, nil
}

// afterLastEvent is the state from which on the control loops are alone.
func (v violation) afterLastEvent() []byte {
	at := v.Start
	for _, st := range v.Steps {
		if v.problem.actors[st.Actor].Latency() == actor.Event {
			at = st.To
		}
	}
	return at
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
