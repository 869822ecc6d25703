package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// searchStates is a budget of one search that no option sets.
const searchStates = 20_000_000

func check(ctx context.Context, ch *render.Changes, opt Options) (*Result, error) {
	return analyse(ctx, ch, opt, false)
}

func verifyRevision(ctx context.Context, rev *render.Revision, opt Options) (*Result, error) {
	return analyse(ctx, &render.Changes{Head: rev}, opt, true)
}

func analyse(ctx context.Context, ch *render.Changes, opt Options, all bool) (*Result, error) {
	a := analysis{opt: opt, started: time.Now(), result: newResult(ch, opt), places: places{}}
	if ch.Base != nil {
		a.places.changes = ch
	}
	rules, err := policies.Select(opt.Policy, opt.Rules)
	if err != nil {
		return nil, err
	}
	a.checker = checker{rules: rules, lifts: lifts{}, budget: budget{states: searchStates, bytes: searchBytes(opt)}}
	if opt.TimeBudget > 0 {
		a.checker.budget.deadline = a.started.Add(opt.TimeBudget)
	}
	if opt.Policy.Timing == "arbitrary" {
		a.checker.timing = actor.Arbitrary
	}
	a.result.releases(ch)
	var refused []applied
	for _, p := range pairs(ch) {
		if p.comparable() {
			changed := slices.ContainsFunc(ch.Changes, func(c render.Change) bool { return c.Release == p.id })
			refused = append(refused, refusals(p, changed, all)...)
		}
	}
	a.besides = newBesides(opt.Policy, ch)
	cut := a.result.pick(ch, scope{all: all, limited: limited(opt.Policy), together: together(rules), beside: a.besides.changed, instead: standIns(refused)})
	a.result.Notices = append(a.result.Notices, idle(rules, cut, ch.Head)...)
	a.result.Notices = append(a.result.Notices, a.besides.notices(cut)...)
	if err := a.search(ctx, cut); err != nil {
		return nil, err
	}
	a.enterShortages(cut)
	a.enterRefusals(refused)
	a.enterRemarks(remarks(ch, all))
	effective := opt.Policy
	if len(cut) > 0 {
		effective = a.besides.policyOf(cut[0].release, a.besides.head)
	}
	a.result.assume(effective, ch, a.models)
	if err := confirm(a.result.Findings); err != nil {
		return nil, err
	}
	for i := range a.result.Findings {
		a.places.quote(&a.result.Findings[i])
	}
	a.result.waive(opt.Policy, opt.Today)
	if slices.ContainsFunc(a.result.Releases, func(rel ReleaseResult) bool { return rel.Cut }) {
		a.result.Coverage.Bound = boundName(search.TimeBound)
	}
	a.result.judge(opt.Policy.Gate)
	a.result.Coverage.ElapsedMs = time.Since(a.started).Milliseconds()
	return a.result, nil
}

// analysis is one run of [Check] or [Verify].
type analysis struct {
	opt     Options
	started time.Time
	result  *Result
	places  places
	checker checker
	besides *besides
	models  map[string]*actor.Model // of the loops that took part
}

func newResult(ch *render.Changes, opt Options) *Result {
	r := &Result{
		SchemaVersion: SchemaVersion, Tool: opt.Tool, Head: Side{ch.Head.Name, ch.Head.Commit},
		Workloads: []Workload{}, Findings: []Finding{}, Releases: []ReleaseResult{},
		Assumptions: []string{}, Waived: []Waived{}, Notices: []string{},
	}
	if ch.Base != nil {
		r.Base = Side{ch.Base.Name, ch.Base.Commit}
	}
	if opt.Shard.Of > 1 {
		r.Shard = fmt.Sprintf("%d/%d", opt.Shard.Index, opt.Shard.Of)
		r.Notices = append(r.Notices, "this is part "+r.Shard+" of the searches: kubesettle merge judges the whole")
	}
	return r
}

// search verifies the slices and enters findings and coverage.
func (a *analysis) search(ctx context.Context, cut []*slice) error {
	ctx, stop := bounded(ctx, memory(a.opt))
	defer stop()
	plans := make([]plan, len(cut))
	jobs := 0
	for i, sl := range cut {
		p, invented := sl.suit(a.besides.policyOf(sl.release, a.besides.head))
		a.result.note(invented)
		a.result.note(sl.notes)
		sl.runsBeside(p)
		sl.maintained = p.Events.Drain == nil && !p.Events.NoDrain
		if a.besides.compared {
			sl.ranBeside(a.besides.policyOf(sl.release, a.besides.base))
		}
		sl.watched(a.checker.rules)
		if limited(a.opt.Policy) {
			sl.daemonKeys()
		}
		classes := p.NodeClasses(sl.relevant)
		a.result.note(sl.crowd(classes))
		if a.besides.compared {
			sl.before.Classes = asBefore(classes, a.besides.policyOf(sl.release, a.besides.base).NodeClasses(sl.relevant))
		}
		sl.shapes(classes)
		var err error
		if plans[i], err = a.plan(sl.with(classes, applyMode(a.opt.Policy), budgets(p, sl.spec.Workloads))); err != nil {
			return err
		}
		jobs += len(order(plans[i : i+1]))
	}
	r := runner{workers: workers(a.opt.Workers), shard: a.opt.Shard, progress: a.opt.Progress, started: a.started, of: jobs}
	cov := coverage{bound: search.Complete}
	for i, sr := range a.checker.run(ctx, plans, r) {
		if sr.err != nil {
			if !notModeled(sr.err) {
				return sr.err
			}
			a.undecided(sr.variant.slice, sr.err.Error())
			continue
		}
		if outOfMemory(ctx) && !complete(sr.cov) {
			sr.cov.bound = search.MemoryBound
		}
		a.checker.addProbe(ctx, plans[i], &sr)
		cov.merge(sr.cov)
		a.enterResult(ctx, sr)
	}
	if err := ctx.Err(); err != nil && !outOfMemory(ctx) {
		return err
	}
	a.models = cov.models
	c := &a.result.Coverage
	c.States, c.Transitions, c.MaxPods, c.MaxEvents, c.Bound = cov.states, cov.transitions, cov.maxPods, cov.maxEvents, boundName(cov.bound)
	a.result.Findings = across(a.result.Findings)
	sortFindings(a.result.Findings)
	return nil
}

// enterResult enters what was found for a slice, how far it was searched, and what it leaves open.
func (a *analysis) enterResult(ctx context.Context, sr sliceResult) {
	a.enter(ctx, sr)
	a.result.Coverage.Topologies += sr.topologies
	a.result.Coverage.MaxNodes = max(a.result.Coverage.MaxNodes, sr.maxNodes)
	if sr.cut != nil {
		a.result.Notices = append(a.result.Notices, fmt.Sprintf("%s: at the true size of %d nodes only a part was explored; what holds, holds up to %d nodes",
			sr.variant.spec.Workloads[0].ID, sr.cut.Total(), sr.maxNodes))
	}
	a.holdsReduced(&sr)
	for _, name := range sr.cov.cut {
		a.result.Notices = append(a.result.Notices, fmt.Sprintf("%s: %s was searched in part only", sr.variant.spec.Workloads[0].ID, name))
	}
	if !complete(sr.cov) {
		a.undecided(sr.variant.slice, "the "+boundName(sr.cov.bound)+" budget ran out before every topology was explored")
	}
	switch {
	case sr.cut != nil && !sr.declared:
		a.undecided(sr.variant.slice, fmt.Sprintf("the declared size of %d nodes was not searched to the end", sr.cut.Total()))
	case sr.outgrown() && a.opt.Shard.Of <= 1:
		a.undecided(sr.variant.slice, fmt.Sprintf("up to %d nodes the cluster wants more nodes before it settles: raise bound.nodes of the policy", sr.maxNodes))
	}
	for _, s := range sr.cov.unanswered {
		a.undecided(sr.variant.slice, s)
		a.result.Notices = append(a.result.Notices, s)
	}
}

// enter words what was found for a slice, and compares it with base: of every rule and
// object the gravest violation, as base does not have it.
func (a *analysis) enter(ctx context.Context, sr sliceResult) {
	alike := a.besides.changed(sr.variant.slice.release) == "" && len(sr.variant.baseNodes) == 0
	found := specific(sr.head)
	for _, k := range keysOf(found) {
		mine := slices.DeleteFunc(slices.Clone(found), func(v violation) bool { return v.key() != k })
		if list := a.candidates(ctx, &sr, mine, alike); len(list) > 0 {
			a.enterOne(ctx, sr, choose(list))
		}
	}
	if complete(sr.cov) { // else: what head was not seen to break is not thereby mended
		a.enterFixed(sr)
	}
}

// enterOne words one violation and enters it.
func (a *analysis) enterOne(ctx context.Context, sr sliceResult, j judged) {
	v := j.violation
	sr.variant = v.variant // of the scale that it was found at
	f, w := a.finding(ctx, v)
	if v.passing && f.Reduced != nil && !f.Reduced.Lifted {
		return // it is the numbers of one reduced scale that break the rule
	}
	f.Status, f.AtDeclaredScale = j.status, j.declared && (f.Reduced == nil || f.Reduced.Lifted)
	if f.Status != Existing && a.places.changes != nil && sr.variant.has(state.Base) && !v.probed {
		found := a.checker.culprits(ctx, sr.variant, v)
		f.Blame = a.places.blame(sr.variant.slice, found)
		f.Fix = a.mend(ctx, sr, v, found)
	}
	f.Recovers = w.recovers(ctx, a.checker.budget)
	s := a.severity(ctx, v, &f, j.declared)
	if !a.checker.paced(ctx, v) {
		s, f.Timing = atMostWarning(s), "arbitrary"
	}
	if j.unsure {
		s = atMostWarning(s)
		a.undecided(v.variant.slice, fmt.Sprintf("%s at %d nodes: base was not searched far enough to tell whether the change brings it", f.Rule, v.topology().Total()))
	}
	f.Severity = string(s)
	f.Locations = a.places.locations(w, f.Blame)
	a.result.Findings = append(a.result.Findings, f)
}

// candidates are the violations of one rule and object that may be shown. They count at the
// sizes that were declared; where none of these was searched, one at another size counts if
// it shows at the largest as well. On an assumed cluster each has to.
func (a *analysis) candidates(ctx context.Context, sr *sliceResult, mine []violation, alike bool) []judged {
	assumed := a.opt.Policy.Cluster.Assumed
	within := slices.DeleteFunc(slices.Clone(mine), func(v violation) bool { return !v.declaredSize() })
	declared := true
	switch {
	case !assumed && len(within) > 0:
	case !assumed && sr.declared && complete(sr.cov):
		return nil // only sizes that nobody declared show it
	default:
		v, shows, decided := a.declared(ctx, mine[0].variant, mine[0])
		if !shows && decided && !assumed {
			return nil
		}
		if declared = shows; !shows || len(within) == 0 {
			within = []violation{v}
		}
		if o, ok := a.checker.lifts[v.variant.liftKey()]; ok && !slices.Equal(v.topology(), mine[0].topology()) {
			sr.base = append(sr.base, o.base...)
			sr.keepClosed(v.place(), o)
		}
	}
	var out []judged
	for _, v := range within {
		j := sr.judge(v, alike)
		j.declared = declared
		certainty := "possible"
		if v.Inevitable {
			certainty = "inevitable"
		}
		j.severity = severity(v.bound, Finding{AtDeclaredScale: declared, Certainty: certainty, Events: v.kinds()}, assumed)
		out = append(out, j)
	}
	return out
}

// severity is that of a finding. One that rests on the number of assumed nodes is hedged.
func (a *analysis) severity(ctx context.Context, v violation, f *Finding, declared bool) rules.Severity {
	assumed := a.opt.Policy.Cluster.Assumed
	nodes := f.Scale.Nodes
	if declared {
		nodes = scale.Largest(v.variant.spec.Classes).Total()
	}
	if !assumed || declared && (f.Status == Existing || a.checker.anywhere(ctx, v)) {
		return severity(v.bound, *f, assumed)
	}
	f.hedge(v.variant, nodes)
	return atMostWarning(severity(v.bound, *f, assumed))
}

// specific leaves out what the catch-all of convergence says of a workload for which a
// more telling rule names the oscillation.
func specific(vs []violation) []violation {
	return slices.DeleteFunc(slices.Clone(vs), func(v violation) bool {
		return v.bound.rule.Class == rules.Convergence && v.bound.property.Recurs != nil && slices.ContainsFunc(vs, func(o violation) bool {
			return o.bound.rule.Class == rules.Oscillation && o.key().workload == v.key().workload
		})
	})
}

// enterFixed words what base broke and head does not.
func (a *analysis) enterFixed(sr sliceResult) {
	was := slices.DeleteFunc(specific(sr.base), func(v violation) bool { return !v.declaredSize() })
	is := keysOf(sr.head)
	for _, k := range keysOf(was) {
		if slices.Contains(is, k) {
			continue
		}
		v := was[slices.IndexFunc(was, func(o violation) bool { return o.key() == k })]
		w := newWording(v, v.variant.slice, a.places, true)
		f := w.finding()
		f.Status, f.AtDeclaredScale = Fixed, true
		f.Severity = string(severity(v.bound, f, a.opt.Policy.Cluster.Assumed))
		f.Locations = a.places.locations(w, nil)
		a.result.Findings = append(a.result.Findings, f)
	}
}

// declared says whether a violation counts at the size that was declared: it was found
// within it, or shows there too, and then what shows there is given in its place, as the
// smaller size may break the rule for a reason of its own. On an assumed cluster it has
// to show at the largest size, so that nothing rests on an invented number of nodes.
// decided is false where the budget did not last to tell.
func (a *analysis) declared(ctx context.Context, v variant, found violation) (counts violation, shows, decided bool) {
	classes, t := v.spec.Classes, scale.Topology(found.problem.cfg.Topology)
	within := scale.Declared(classes, t)
	if !a.opt.Policy.Cluster.Assumed && within {
		return found, true, true
	}
	largest := scale.Largest(classes)
	if slices.Equal(largest, t) {
		return found, true, true
	}
	lifted, shows, decided := a.checker.lift(ctx, v, found.key(), largest)
	if shows && !within {
		found = lifted
	}
	return found, shows, decided
}

// undecided marks a slice's workloads as inconclusive.
func (a *analysis) undecided(sl *slice, reason string) {
	for i := range a.result.Workloads {
		w := &a.result.Workloads[i]
		if w.Release == sl.release && slices.ContainsFunc(sl.workloads, func(x state.Workload) bool { return x.ID == w.ID }) {
			w.Verdict, w.Reason = Inconclusive, reason
		}
	}
}

// note adds assumptions, each once.
func (r *Result) note(assumptions []string) {
	for _, s := range assumptions {
		if !slices.Contains(r.Assumptions, s) {
			r.Assumptions = append(r.Assumptions, s)
		}
	}
}

// assume says under which assumptions the result stands, and what the actors may hide.
func (r *Result) assume(p *policies.Policy, ch *render.Changes, models map[string]*actor.Model) {
	add := func(s string) { r.note([]string{s}) }
	if p.Cluster.Assumed {
		add("no cluster was declared: a generic elastic three-zone cluster is assumed; no finding rests on its capacity (declare cluster.nodes or cluster.nodePools in the policy)")
	}
	if p.Timing == "arbitrary" {
		add("timing is arbitrary, as the policy says: every order of the loops' steps was explored, however slow one of them and however fast another; what a loop reads is never stale, and none stops halfway. What only such an order shows says so, and is a warning")
	}
	add("each release has its nodes to itself: workloads of other releases, and those that no placement rule or priority connects, take no room")
	if p.Controllers.Descheduler != nil {
		add("the descheduler, and the utilization it computes, sees the pods of one slice at a time")
	}
	for _, loop := range slices.Sorted(maps.Keys(models)) {
		if hides := models[loop].MayHide; len(hides) > 0 {
			add("may hide (" + loop + "): " + strings.Join(hides, "; "))
		}
	}
	for _, s := range p.Unsupported() {
		add("in the policy but not checked yet: " + s)
	}
	for _, rel := range ch.Head.Releases {
		for _, n := range rel.Notes {
			add(rel.ID + ": " + n)
		}
	}
	r.note(foreign(ch.Head))
}

func applyMode(p *policies.Policy) state.Apply {
	if p.Apply == "server-side" {
		return state.ServerSide
	}
	return state.ClientSide
}

func complete(c coverage) bool { return c.bound == search.Complete }

// boundName is a bound as it stands in results.
func boundName(b search.Bound) string {
	switch b {
	case search.StateBound:
		return "states"
	case search.MemoryBound:
		return "memory"
	case search.TimeBound, search.Cancelled:
		return "time"
	}
	return "complete"
}
