package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

func check(ctx context.Context, ch *object.Changes, opt Options) (*Result, error) {
	return analyse(ctx, ch, opt, false)
}

func verifyRevision(ctx context.Context, rev *object.Revision, opt Options) (*Result, error) {
	return analyse(ctx, &object.Changes{Head: rev}, opt, true)
}

// prepare cuts the changes into slices, and enters what is known without a search.
func prepare(ch *object.Changes, opt Options,
	all bool) (a *analysis, picked []*slice.Slice, refused []static.Applied, err error) {
	a = &analysis{opt: opt, changes: ch, started: time.Now(), result: newResult(ch, opt), places: judge.NewPlaces(ch),
		whole: map[*slice.Slice]bool{}}
	rules, err := policies.Select(opt.Policy, opt.Rules)
	if err != nil {
		return nil, nil, nil, err
	}
	a.checker = scenario.Checker{Policy: opt.Policy, Only: opt.Rules, Rules: rules, Largest: scenario.Largest{},
		Whole: opt.whole, Twice: opt.twice, PartStates: partStates(opt),
		Budget: scenario.Budget{States: cmp.Or(opt.states, scenario.SearchStates), Bytes: searchBytes(opt), Kept: opt.Kept}}
	if a.opt.recall == nil && !opt.forgets {
		a.opt.recall = scenario.NewRecall(0)
	}
	a.checker.Budget.Recall = a.opt.recall
	if opt.TimeBudget > 0 {
		a.checker.Budget.Deadline = a.started.Add(opt.TimeBudget)
	}
	if opt.Policy.Timing == "arbitrary" {
		a.checker.Timing = actor.Arbitrary
	}
	a.result.releases(ch, &a.opt)
	if !opt.further {
		a.result.unusedFiles(ch)
	}
	changed := changedReleases(ch)
	for _, p := range slice.Pairs(ch) {
		if p.Comparable() && opt.has(p.ID) {
			refused = append(refused, static.Refusals(p, applyMode(opt.Policy), len(changed[p.ID]) > 0, all)...)
			a.result.standsFor(p, all || len(changed[p.ID]) > 0, all)
		}
	}
	a.besides = slice.NewBesides(opt.Policy, ch)
	a.around = slice.NewAround(opt.Policy, ch)
	if n := len(opt.Policy.Cluster.Workloads); n > 0 && len(opt.Policy.Cluster.Sizes()) == 0 {
		a.note(finding.Say(finding.WorkloadsTakeNoRoom, n))
	}
	a.instead, a.loans = static.StandIns(refused), slice.Lend(opt.Policy, ch)
	picked = a.result.pick(ch, &a.opt, a.places, slice.Scope{
		All: all, Limited: slice.Limited(opt.Policy), Together: append(together(rules), opt.Policy.OwnTogether()...),
		Beside: a.besides.Changed, Healed: a.besides.Healed, Instead: a.instead, Loans: a.loans,
		Own: opt.Policy, Shot: opt.Policy.Cluster.Snapshot,
	})
	a.result.Notices = append(a.result.Notices, idle(rules, picked, ch.Head)...)
	a.result.Notices = append(a.result.Notices, a.besides.Notices(picked)...)
	a.result.Notices = append(a.result.Notices, a.snapshotNotices()...)
	return a, picked, refused, nil
}

// partStates bounds the search for what only existing findings can come of; 0 where somebody asks for all of them: they
// gate, or a list of them is held against what is found.
func partStates(opt Options) uint64 {
	if p := opt.Policy; !p.Gate.OnlyNew || p.Baseline != nil || len(p.Waivers) > 0 {
		return 0
	}
	return cmp.Or(opt.partStates, scenario.InPartStates)
}

func analyse(ctx context.Context, ch *object.Changes, opt Options, all bool) (*Result, error) {
	began := time.Now()
	var until time.Time
	if opt.TimeBudget > 0 {
		until = began.Add(opt.TimeBudget)
	}
	if len(opt.PolicyChanges) > 0 && opt.recall == nil && !opt.forgets { // the same searches under two policies
		opt.recall = scenario.NewRecall(0)
	}
	parts, err := analyseParts(ctx, ch, opt, all)
	if err != nil {
		return nil, err
	}
	replanned, err := replan(ctx, ch, opt, parts, until)
	if err != nil {
		return nil, err
	}
	parts = append(parts, replanned...)
	var used []policies.Waiver
	var list []*policies.Policy
	for _, a := range parts {
		list, used = append(list, a.opt.Policy), append(used, a.result.waive(a.opt.Policy, opt.Today)...)
	}
	idle := idleWaivers(list, used, opt.Today)
	for i, a := range parts {
		if i == 0 {
			a.result.Notices = append(a.result.Notices, idle...)
		}
		a.result.waiveBeside(a.changes, &a.opt, opt.Today)
		a.result.accept(a.opt.Policy.Baseline)
	}
	r := joined(parts, parts[0].changes, opt.Scopes)
	for i, a := range parts {
		if i == 0 || a.opt.Policy.Baseline != opt.Policy.Baseline {
			r.stale(a.opt.Policy.Baseline, a.checker.Rules, all)
		}
	}
	judge.Causes(r.Findings)
	if slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.Cut }) {
		r.Coverage.Bound = boundName(search.TimeBound)
	}
	r.judge(opt.Policy.Gate)
	r.Coverage.ElapsedMs = time.Since(began).Milliseconds()
	return r, nil
}

// analysePart is all of an analysis but the judgement, for the releases that the policy is for.
func analysePart(ctx context.Context, ch *object.Changes, opt Options, all bool) (*analysis, error) {
	ch, err := render.WithMade(ch, recipes(opt.Policy))
	if err != nil {
		return nil, err
	}
	a, picked, refused, err := prepare(ch, opt, all)
	if err != nil {
		return nil, err
	}
	if err := a.search(ctx, picked); err != nil {
		return nil, err
	}
	a.enterShortages(picked)
	if !opt.searched {
		a.enterRefusals(refused)
		remarks := append(static.Remarks(ch, all), a.evictions(ch)...)
		a.enterRemarks(static.Of(static.Reached(remarks, opt.Policy), opt.has))
	}
	a.mendStatic(ctx, ch, all)
	judge.Within(a.result.Findings)
	a.holdUp(ch)
	a.hedgeSwitched(ch.Head)
	a.blameHealing(ch)
	effective := opt.Policy
	if len(picked) > 0 {
		effective = a.besides.PolicyOf(picked[0].Release, a.besides.Head)
	}
	a.assume(effective, ch, a.models)
	if err := judge.Confirm(a.result.Findings); err != nil {
		return nil, err
	}
	for i := range a.result.Findings {
		a.places.Quote(&a.result.Findings[i])
	}
	return a, nil
}

// analysis is one run of [Check] or [Verify].
type analysis struct {
	opt     Options
	changes *object.Changes
	started time.Time
	result  *Result
	places  judge.Places
	checker scenario.Checker
	besides *slice.Besides
	around  *slice.Around
	// loans are what the releases of one cluster lend each other.
	loans slice.Loans
	// instead is what is there of an object that the API server refuses; nil: nothing.
	instead map[*object.Object]*object.Object
	models  map[string]*actor.Model // of the loops that took part
	// entered are the workloads of the result that byWorkload has the places of.
	entered    [][2]string
	byWorkload map[[2]string][]int
	noted      map[string]bool // assumptions
	mending    []mending       // what may mend findings that took no search
	// whole are the slices of which nothing was left out at the declared size: no arithmetic knows better.
	whole map[*slice.Slice]bool
	// deliveries are the releases by ID, and the order in which they are applied; filled as they are asked for.
	deliveries map[string]delivered
}

func newResult(ch *object.Changes, opt Options) *Result {
	r := &Result{
		SchemaVersion: SchemaVersion, Tool: opt.Tool, Head: Side{ch.Head.Name, ch.Head.Commit},
		Workloads: []Workload{}, Findings: []finding.Finding{}, Releases: []ReleaseResult{},
		Assumptions: []finding.Note{}, Waived: []Waived{}, Notices: []finding.Note{},
	}
	if ch.Base != nil {
		r.Base = Side{ch.Base.Name, ch.Base.Commit}
	}
	if opt.Shard.Of > 1 {
		r.Shard = fmt.Sprintf("%d/%d", opt.Shard.Index, opt.Shard.Of)
		r.Notices = append(r.Notices, finding.Say(finding.PartOfSearches, r.Shard))
	}
	return r
}

// search verifies the slices and enters findings and coverage.
func (a *analysis) search(ctx context.Context, picked []*slice.Slice) error {
	runs := ctx // what holds a path, or one workload at a time, goes on where the memory ran out
	ctx, stop := bounded(ctx, memory(a.opt))
	defer stop()
	cov := scenario.Coverage{Bound: search.Complete}
	plans, tasks, err := a.plan(ctx, picked, &cov)
	if err != nil {
		return err
	}
	r := scenario.Runner{Workers: scenario.Workers(a.opt.Workers), Shard: a.opt.Shard, Progress: a.opt.Progress,
		Started: a.started, Of: tasks}
	for i, sr := range a.checker.Run(ctx, plans, r) {
		if sr.Err != nil {
			a.undecided(sr.Variant.Slice, sr.Err.Error())
			continue
		}
		if outOfMemory(ctx) && !scenario.Complete(sr.Cov) {
			sr.Cov.Bound = search.MemoryBound
		}
		a.checker.AddRun(ctx, plans[i], &sr)
		if a.opt.Shard.Of <= 1 && !a.opt.calm {
			a.checker.Swarm(runs, &sr)
		}
		sizes := a.checker.ByRule(runs, &sr)
		cov.Merge(sr.Cov)
		a.enterSizes(&sr, sizes)
		a.enterResult(ctx, sr)
	}
	if err := ctx.Err(); err != nil && !outOfMemory(ctx) {
		return err
	}
	a.models = cov.Models
	c := &a.result.Coverage
	c.States, c.Transitions = cov.States, cov.Transitions
	c.MaxPods, c.MaxEvents, c.Bound = cov.MaxPods, cov.MaxEvents, boundName(cov.Bound)
	a.result.Findings = judge.Across(a.result.Findings)
	judge.SortFindings(a.result.Findings)
	return nil
}

// enterResult enters what was found for a slice, how far it was searched, and what it leaves open.
func (a *analysis) enterResult(ctx context.Context, sr scenario.SliceResult) {
	a.enter(ctx, sr)
	if a.opt.Shard.Of <= 1 && sr.Whole() {
		a.whole[sr.Variant.Slice] = true
	}
	a.result.Coverage.Topologies += sr.Topologies
	a.result.Coverage.MaxNodes = max(a.result.Coverage.MaxNodes, sr.MaxNodes)
	if sr.Cut != nil {
		a.result.Notices = append(a.result.Notices,
			finding.Say(finding.SizeSearchedInPart, sr.Cut.Total(), sr.MaxNodes).On(sr.Variant.Spec.Workloads[0].ID))
	}
	a.holdsReduced(&sr)
	a.enterRuns(&sr)
	for _, name := range sr.Cov.Cut {
		a.result.Notices = append(a.result.Notices,
			finding.Say(finding.SearchedInPart, name).On(sr.Variant.Spec.Workloads[0].ID))
	}
	if !scenario.Complete(sr.Cov) {
		a.undecided(sr.Variant.Slice, "the "+boundName(sr.Cov.Bound)+" budget ran out before every topology was explored")
	}
	switch {
	case sr.Cut != nil && !sr.Declared:
		a.undecided(sr.Variant.Slice,
			fmt.Sprintf("the declared size of %d nodes was not searched to the end", sr.Cut.Total()))
	case sr.Outgrown() && a.opt.Shard.Of <= 1:
		a.undecided(sr.Variant.Slice,
			fmt.Sprintf("with up to %d nodes the cluster still needs more nodes to settle: raise bound.nodes of the policy",
				sr.MaxNodes))
	}
	for _, s := range sr.Cov.Unanswered {
		a.undecided(sr.Variant.Slice, s)
		a.result.Notices = append(a.result.Notices, finding.Say(finding.Unanswered, s))
	}
}

// enterSizes enters at which size the rules were verified on a slice, and words which of them were as declared where
// the slice as a whole was not.
func (a *analysis) enterSizes(sr *scenario.SliceResult, sizes []scenario.RuleSize) {
	var names, inPart []string
	for _, s := range sizes {
		a.result.Coverage.rule(RuleCoverage{Rule: s.Rule, Pods: s.Pods, Nodes: s.Nodes, AsDeclared: s.Declared,
			Bound: boundName(s.Bound)})
		if sr.Cov.InPart(s.Rule) {
			inPart = append(inPart, s.Rule)
		}
		if s.Declared && s.Bound == search.Complete {
			names = append(names, s.Rule)
		}
	}
	if len(inPart) > 0 {
		a.note(finding.Say(finding.RulesInPart).On(sr.Variant.Spec.Workloads[0].ID).With(inPart...))
	}
	if len(names) > 0 && len(names)+len(inPart) < len(sizes) {
		a.note(finding.Say(finding.SearchedAsDeclared).On(sr.Variant.Spec.Workloads[0].ID).With(names...))
	}
}

// enter words what was found for a slice, and compares it with base.
func (a *analysis) enter(ctx context.Context, sr scenario.SliceResult) {
	if a.opt.watch != nil {
		for _, v := range slices.Concat(sr.Head, sr.Base) {
			a.opt.watch(v)
		}
	}
	alike := a.besides.Changed(sr.Variant.Slice.Release) == "" && len(sr.Variant.BaseNodes) == 0
	found, open := a.judge().Findings(ctx, &sr, alike)
	for _, reason := range open {
		a.undecided(sr.Variant.Slice, reason)
	}
	if found = a.onTrust(sr.Variant.Slice, found); len(found) == 0 {
		return
	}
	a.result.Notices = append(a.result.Notices, judge.Untried(found)...)
	if !sr.Variant.Slice.Resized {
		a.result.Findings = append(a.result.Findings, found...)
		return
	}
	a.result.Findings = judge.Sizes(a.result.Findings, found)
}

// judge is what the findings of the run are made with.
func (a *analysis) judge() *judge.Judge {
	c := &a.opt.Policy.Cluster
	return &judge.Judge{Checker: &a.checker, Places: a.places, Plain: a.opt.plain, Assumed: c.Assumed,
		Doubted: c.Stale(a.opt.Today) > 0 || c.Grows() != "", Instead: a.instead, FixStates: a.opt.fixing}
}
