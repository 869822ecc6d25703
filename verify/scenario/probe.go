package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A probe searches for the effects of an event that the policy may not have, but that every cluster sees some day: the
// next rollout, the drain of a node. Each has a separate budget. If that runs out, only the probe is unfinished, and
// the result says so.
type probe struct {
	name   string // its name in results
	begins string // from where, in words
	where  string // it may report something, in words, and how grave that is
	asks   rules.Facets
	// scenario is the name of the runs, and from what they begin with: where it has settled, or as start says.
	scenario string
	from     state.Version
	start    start
	lacks    func(s state.State, w int) bool // of a workload of which nothing is asked from there; nil: [pending]
	// of gives what is searched of a variant, and which of the facets are asked for; none: there is nothing to tell.
	of func(Variant) (Variant, rules.Facets)
	// seated says that it tells something only where head has a node for every pod once it is there.
	seated bool
	// more says that it does not report a violation if an earlier search has found one for the same rule and workload.
	more bool
}

// start is where the runs of a probe begin.
type start int

const (
	settled        start = iota
	fresh                // on an empty cluster, with events
	freshOrSettled       // on an empty cluster without events, and settled
)

// probeStates bounds the states of each probe.
const probeStates = 50_000

// probes are searched at every topology beside the scenarios, in that order.
var probes = []*probe{
	nextRollout, nextApply, oneDrain, webhookLoss, poolShrink, failedDrain, idleLoad, endlessJob, firstDrain, firstFix,
	runningJobs,
}

var (
	nextRollout = &probe{
		name: "the next rollout", asks: ofRollouts,
		scenario: ScenarioNext, from: state.Base, of: Variant.nextRollout, lacks: lacking,
		begins: "head at rest, every pod on a node with room for the new pods, but without further devices if nodes are declared",
		where:  "something is rolled out; what the next rollout of base breaks excuses only this",
	}
	nextApply = &probe{
		name: "the next apply under load", asks: rules.TakenBack,
		scenario: ScenarioNext, from: state.Base, of: Variant.reloaded,
		begins: "the same, after one change of load",
		where:  "a number of replicas is declared beside an autoscaler: a warning",
	}
	oneDrain = &probe{
		name: "the drain of one node", asks: rules.Undrained | rules.Evicted | rules.Short,
		scenario: ScenarioSteady, from: state.Head, of: Variant.drained,
		begins: "settled head, with one change of load",
		where: "the policy says nothing of drains, and a budget or a toleration may hold pods; `below-floor` where the " +
			"change makes another thing of a budget",
	}
	webhookLoss = &probe{
		name: "the loss of a webhook's node", asks: rules.Unreplaced,
		scenario: ScenarioSteady, from: state.Head, of: Variant.lost,
		begins: "settled head, maybe after a drain",
		where: "fail-closed webhooks guard their own servers, or each other's, and the policy has no drains or node " +
			"failures",
	}
	poolShrink = &probe{
		name: "the removal of a node from a pool over zones", asks: rules.Unplaced,
		scenario: ScenarioSteady, from: state.Head, of: Variant.shrunk,
		begins: "settled head",
		where:  "a pool may have fewer nodes than it has zones, and a volume is of one zone",
	}
	failedDrain = &probe{
		name: "the drain of one node under a bad revision", asks: rules.Undrained,
		scenario: ScenarioNext, from: state.Base, of: Variant.failed,
		begins: "the next rollout",
		where:  "the change takes `unhealthyPodEvictionPolicy: AlwaysAllow` away",
	}
	idleLoad = &probe{
		name: "a load that comes and goes over memory that stays", asks: rules.Surplus,
		scenario: ScenarioSteady, from: state.Head, of: Variant.idle,
		begins: "settled head, 60 % of the requested memory in use without load",
		where:  "an autoscaler now uses memory and did not before: a warning",
	}
	endlessJob = &probe{
		name: "a Job that does not end", asks: rules.Surplus,
		scenario: ScenarioSteady, from: state.Head, of: Variant.overrun,
		begins: "settled head",
		where:  "the change lets a CronJob's Jobs overlap, or it is due every five minutes or more often",
	}
	firstDrain = &probe{
		name: "the drain of one node under a bad first revision", asks: rules.Undrained, more: true,
		scenario: ScenarioInstall, from: state.Head, start: fresh, of: Variant.firstDrained,
		begins: "an empty cluster",
		where:  "the change adds the workload: a note",
	}
	firstFix = &probe{
		name: "the fix of a bad first revision", asks: rules.MidRollout, more: true,
		scenario: ScenarioNext, from: state.Base, start: fresh, of: Variant.firstFixed,
		begins: "an empty cluster",
		where:  "the change adds a StatefulSet: a note",
	}
	runningJobs = &probe{
		name: "events that take pods of a running Job", asks: rules.Unreplaced | rules.Unplaced,
		scenario: ScenarioInstall, from: state.Head, start: fresh, of: Variant.running,
		begins: "an empty cluster, with one of each drain, lost node and reclaimed node that the policy declares",
		where: "a Job has `backoffLimit: 0`: a warning at most; or Kueue shuts Jobs out (three pods, two nodes, one drain: " +
			"185 states, 37 without)",
	}
	// thisRollout is searched where nodes or devices are few, beside the probes and in place of the scenarios.
	thisRollout = &probe{
		name: "the rollout of the change", asks: rules.MidRollout, seated: true, lacks: lacking,
		scenario: ScenarioChange, from: state.Base, of: Variant.rollout,
		begins: "settled base",
		where:  "nodes or devices are few, and head has a node for every pod once it is there",
	}
	// commonNodes is all that is searched on nodes of a common size.
	commonNodes = &probe{
		name: "nodes of a common size", asks: rules.Evicted | rules.NodesGoDown | rules.Unplaced,
		scenario: ScenarioSteady, from: state.Head, start: freshOrSettled, of: Variant.onCommonNodes,
		begins: "an empty cluster, and settled head, without events",
		where: "a descheduler balances utilization, a pod names its node, or DaemonSets run beside the slice: one rule " +
			"for each",
	}
)

// all says that every facet of a probe is asked for.
const all = ^rules.Facets(0)

// probed gives the searches of a variant at a topology for some probes alone.
func (c *Checker) probed(list []*probe) func(context.Context, Variant, scale.Topology) ([]Violation, Coverage, error) {
	return func(ctx context.Context, v Variant, t scale.Topology) ([]Violation, Coverage, error) {
		r := c.with(v).at(t)
		err := r.probes(ctx, v, list)
		return r.found, r.cov, err
	}
}

// probes searches for each of the given ones.
func (r *scenarioRun) probes(ctx context.Context, v Variant, list []*probe) error {
	for _, p := range list {
		if err := r.probe(ctx, p, v); err != nil || r.hasEnough() {
			return err
		}
	}
	return nil
}

// probe runs one of them, and adds the violations that no other finding covers.
func (r *scenarioRun) probe(ctx context.Context, p *probe, v Variant) error {
	v, asked := p.of(v)
	own := *r.Checker
	own.Rules = about(r.Rules, p.asks&asked)
	if len(own.Rules) == 0 {
		r.cov.closeProbe(p, AllClosed)
		return nil
	}
	if r.Expired() {
		r.cov.Cut = AppendNew(r.cov.Cut, []string{p.name})
		r.cov.closeProbe(p, NoneClosed)
		return nil
	}
	if p.seated {
		if seats, err := r.seats(ctx, v); err != nil || !seats {
			r.cov.closeProbe(p, AllClosed)
			return err
		}
	}
	if own.Budget.States == 0 || own.Budget.States > probeStates {
		own.Budget.States = probeStates
	}
	other := own.at(r.topology)
	other.lacks = p.whoLacks()
	err := other.begin(ctx, p, v)
	cov := other.cov
	closed := AllClosed
	switch {
	case cov.closed != nil:
		closed = *cov.closed
	case cov.Bound != 0 && cov.Bound != search.Complete:
		closed = NoneClosed
	}
	if cov.Bound != 0 && cov.Bound != search.Complete {
		r.cov.Cut = AppendNew(r.cov.Cut, []string{p.name})
		cov.Bound = search.Complete
	}
	r.cov.closeProbe(p, closed)
	r.cov.Merge(cov)
	if err != nil {
		return err
	}
	had, known := slices.Clone(r.found), KeysOf(r.found)
	for _, x := range other.found {
		if !slices.ContainsFunc(had, func(o Violation) bool { return o.hides(x) && x.Comparable(o) }) &&
			!(p.more && slices.Contains(known, x.Key())) {
			x.probe = p
			r.found = append(r.found, x)
		}
	}
	return nil
}

// begin searches a probe's variant from where it begins.
func (r *scenarioRun) begin(ctx context.Context, p *probe, v Variant) error {
	switch p.start {
	case fresh:
		return r.installed(ctx, p.scenario, v, p.from)
	case freshOrSettled:
		if err := r.empty(ctx, v); err != nil {
			return err
		}
	}
	return r.settled(ctx, p.scenario, v, p.from)
}

// about are the rules that have any of some facets.
func about(list []rules.Rule, facets rules.Facets) []rules.Rule {
	return slices.DeleteFunc(slices.Clone(list), func(r rules.Rule) bool { return !r.Facets.Any(facets) })
}

// seats reports whether every pod has a node wherever head settles.
func (r *scenarioRun) seats(ctx context.Context, v Variant) (bool, error) {
	p, err := NewProblem(&v.Spec, r.topology, nil, r.Timing)
	if err != nil {
		return false, err
	}
	rests, results, err := p.Settle(ctx, state.Head, r.Budget)
	if err != nil {
		return false, err
	}
	r.cov.addAll(results)
	return len(rests) > 0 && !slices.ContainsFunc(rests, func(b []byte) bool {
		return slices.Contains(lack(p, b, lacking), true)
	}), nil
}

// installed searches, with events, from a version on an empty cluster.
func (r *scenarioRun) installed(ctx context.Context, name string, v Variant, from state.Version) error {
	p, err := NewProblem(&v.Spec, r.topology, r.Rules, r.Timing)
	if err != nil || len(p.bounds) == 0 {
		return err
	}
	done, err := r.apart(p, false,
		func(one *Problem) (*search.Result, error) { return r.from(ctx, one, one.Installs(from), -1) })
	if err != nil || done {
		return err
	}
	return r.explore(ctx, name, p, p.Installs(from), -1)
}

// closeProbe notes up to how many events a probe left nothing out.
func (c *Coverage) closeProbe(p *probe, n int) {
	if c.closedProbes == nil {
		c.closedProbes = map[*probe]int{}
	}
	c.closedProbes[p] = n
}

// KeepClosed notes how far base was searched at a place.
func (sr *SliceResult) KeepClosed(p Place, o Outcome) {
	if sr.BaseClosed == nil {
		sr.BaseClosed = map[Place]int{}
	}
	sr.BaseClosed[p] = o.closed
	for probe, n := range o.closedProbes {
		sr.BaseClosed[Place{p.at, probe}] = n
	}
}

// Retakes reports whether a violation is the next apply taking back what an autoscaler owns.
func (v Violation) Retakes() bool { return v.probe == nextApply }

// AfterUpkeep reports whether a violation is of a loss that any drain may come before: who upgrades a
// cluster drains all of its nodes, and does not ask whose pods come together.
func (v Violation) AfterUpkeep() bool { return v.probe == webhookLoss }

// Shrinks reports whether a violation is of a pool that gives up a separate node accord.
func (v Violation) Shrinks() bool { return v.probe == poolShrink }

// Unguarded reports whether a violation is one that the change took a guard away from.
func (v Violation) Unguarded() bool { return v.probe == failedDrain || v.probe == endlessJob }

// FirstFailed reports whether a violation takes a first revision that never gets ready.
func (v Violation) FirstFailed() bool { return v.probe == firstDrain || v.probe == firstFix }

// Idle is the share of their requested memory, in percent, that a violation assumes pods without load to use; 0: it
// assumes nothing.
func (v Violation) Idle() int {
	if v.probe == idleLoad {
		return idleMemory
	}
	return 0
}

// Deadlocks reports whether a violation is one without a way out on a cluster of its size, from where every pod had a
// node: a rollout, or a pod that does not come back.
func (v Violation) Deadlocks() bool {
	return v.Inevitable && (v.probe != nil || v.Bound.Rule.Facets.Any(rules.MidRollout))
}

// Unspread reports whether a violation is of a hard spread that the change no longer lets tell revisions apart.
func (v Violation) Unspread() bool {
	return v.Bound.Rule.Facets.Any(rules.Unspread) && !v.Bound.Property.Wish && v.Variant.Dropped.Spread
}
