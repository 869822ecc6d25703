package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
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

// prepare cuts the changes into slices, and enters the facts that need no search.
func prepare(ch *object.Changes, opt Options,
	all bool) (a *Analysis, picked []*slice.Slice, refused []static.Applied, err error) {
	a = &Analysis{Options: opt, Changes: ch, Result: newResult(ch, opt), started: time.Now(), places: judge.NewPlaces(ch),
		whole: map[*slice.Slice]bool{}, broken: map[*slice.Slice][]string{}, all: all, stood: map[string][][3]string{}}
	on, err := policies.Select(opt.Policy, opt.Rules)
	if err != nil {
		return nil, nil, nil, err
	}
	a.checker = scenario.Checker{Policy: opt.Policy, Only: opt.Rules, Rules: on, Largest: scenario.Largest{},
		Whole: opt.Whole, Twice: opt.Twice, Unforeseen: opt.Unforeseen, PartStates: partStates(opt),
		Budget: scenario.Budget{States: cmp.Or(opt.States, scenario.SearchStates), Bytes: searchBytes(opt),
			Kept: opt.Kept}}
	if a.Options.Recall == nil && !opt.Forgets {
		a.Options.Recall = scenario.NewRecall(0)
	}
	a.checker.Budget.Recall = a.Options.Recall
	if opt.TimeBudget > 0 {
		a.checker.Budget.Deadline = a.started.Add(opt.TimeBudget)
	}
	if opt.Policy.Timing == "arbitrary" {
		a.checker.Timing = actor.Arbitrary
	}
	a.ties = slice.NewNeighbours(opt.Policy, ch)
	enterReleases(a.Result, ch, &a.Options, a.ties)
	if !opt.Further {
		unusedFiles(a.Result, ch, opt.Policy)
		enterUnreadKinds(a.Result, ch, opt.Policy, opt.Has)
	}
	changed := changedReleases(ch)
	for _, p := range slice.Pairs(ch) {
		if p.Comparable() && opt.Has(p.ID) {
			refused = append(refused, static.Refusals(p, applyMode(opt.Policy), len(changed[p.ID]) > 0, all)...)
			standsFor(a.Result, p, all || len(changed[p.ID]) > 0, all)
		}
	}
	a.besides = slice.NewBesides(opt.Policy, ch, a.ties)
	a.around = slice.NewAround(opt.Policy, a.ties, ch)
	if n := len(opt.Policy.Cluster.Workloads); n > 0 && len(opt.Policy.Cluster.Sizes()) == 0 {
		a.note(finding.Say(finding.WorkloadsTakeNoRoom, n))
	}
	a.instead = static.StandIns(refused)
	edges := static.Edges(ch, a.ties, opt.Policy)
	on = append(on, policies.Edges(opt.Policy, opt.Rules, edges)...)
	a.checker.Rules = on
	scope := slice.Scope{
		All: all, Limited: slice.Limited(opt.Policy), Together: append(together(on), opt.Policy.OwnTogether()...),
		Beside: a.besides.Changed, Healed: a.besides.Healed, Asked: asked(edges, ch), Instead: a.instead,
		Own: opt.Policy, Shot: opt.Policy.Cluster.Snapshot,
	}
	var unjoined []finding.Note
	scope.Loans, unjoined = slice.Lend(a.ties, ch, scope)
	a.note(unjoined...)
	if scope.Joints = a.displaced(ch, scope); len(scope.Joints) > 0 {
		scope.Loans, _ = slice.Lend(a.ties, ch, scope)
	}
	picked = pick(a.Result, ch, &a.Options, a.places, scope)
	a.note(a.roomLeftOut(ch, picked)...)
	a.Result.Notices = append(a.Result.Notices, idle(on, picked, ch.Head)...)
	a.Result.Notices = append(a.Result.Notices, hiddenParts(ch.Head)...)
	a.Result.Notices = append(a.Result.Notices, a.besides.Notices(picked)...)
	a.Result.Notices = append(a.Result.Notices, a.snapshotNotices()...)
	return a, picked, refused, nil
}

// partStates bounds the search for findings that can only be existing ones; 0 if all of them are needed: they gate, or
// a list of them is compared with the findings.
func partStates(opt Options) uint64 {
	if p := opt.Policy; !p.Gate.OnlyNew || p.Baseline != nil || len(p.Waivers) > 0 {
		return 0
	}
	return cmp.Or(opt.PartStates, scenario.InPartStates)
}

// Analyse is all of an analysis but the judgement, for the releases that the policy is for.
func Analyse(ctx context.Context, ch *object.Changes, opt Options, all bool) (*Analysis, error) {
	ch, err := render.WithMade(ch, recipes(opt.Policy))
	if err != nil {
		return nil, err
	}
	a, picked, refused, err := prepare(ch, opt, all)
	if err != nil {
		return nil, err
	}
	var remarks []static.Remark
	a.Result.Notices = append(a.Result.Notices, static.Aimless(ch)...)
	if !opt.NoRemarks { // before the search, which takes all of the time that is left
		list, assumed := static.Remarks(ch, a.ties, all)
		for _, n := range assumed {
			a.note(n)
		}
		remarks = slices.Concat(list, a.evictions(ch),
			static.DeclaredTraffic(ch, a.ties, opt.Policy), unrendered(ch, a.ties))
		remarks = static.Of(static.Reached(remarks, opt.Policy), opt.Has)
		a.anew = static.NotRolled(remarks, refused)
	}
	a.addUp(picked)
	if err := a.search(ctx, picked); err != nil {
		return nil, err
	}
	a.enterShortages(picked)
	if !opt.NoRemarks {
		a.enterRefusals(refused)
		a.enterRemarks(remarks)
	}
	a.mendStatic(ctx, ch, all)
	judge.Within(a.Result.Findings)
	a.holdUp(ch)
	a.hedgeSwitched(ch.Head)
	a.hedgeIdle(ch.Head)
	a.hedgeUnknown(ch.Head)
	a.hedgeMade(ch.Head)
	a.hedgeUnrun(picked)
	a.blameHealing(ch)
	effective := opt.Policy
	if len(picked) > 0 {
		effective = a.besides.PolicyOf(picked[0].Release, a.besides.Head)
	}
	a.assume(effective, ch, a.models)
	if err := judge.Confirm(a.Result.Findings); err != nil {
		return nil, err
	}
	for i := range a.Result.Findings {
		a.places.Quote(&a.Result.Findings[i])
	}
	if slices.ContainsFunc(a.Result.Releases, func(rel finding.ReleaseResult) bool { return rel.Cut }) {
		a.Result.Coverage.Bound = boundName(search.TimeBound)
	}
	return a, nil
}

// Rules are those that the part was checked with, as they are tuned.
func (a *Analysis) Rules() []rules.Rule { return a.checker.Rules }

func newResult(ch *object.Changes, opt Options) *finding.Result {
	r := &finding.Result{
		SchemaVersion: finding.SchemaVersion, Tool: opt.Tool, Head: sideOf(ch.Head),
		Workloads: []finding.Workload{}, Findings: []finding.Finding{}, Releases: []finding.ReleaseResult{},
		Assumptions: []finding.Note{}, Waived: []finding.Waived{}, Notices: []finding.Note{},
	}
	if ch.Base != nil {
		r.Base = sideOf(ch.Base)
	}
	if opt.Shard.Of > 1 {
		r.Shard = fmt.Sprintf("%d/%d", opt.Shard.Index, opt.Shard.Of)
		r.Notices = append(r.Notices, finding.Say(finding.PartOfSearches, r.Shard))
	}
	return r
}

func sideOf(rev *object.Revision) finding.Side {
	return finding.Side{Name: rev.Name, Commit: rev.Commit}
}

// search verifies the slices and enters findings and coverage.
func (a *Analysis) search(ctx context.Context, picked []*slice.Slice) error {
	runs := ctx // what holds a path, or one workload at a time, goes on where the memory ran out
	ctx, stop := bounded(ctx, memory(a.Options))
	defer stop()
	cov := scenario.Coverage{Bound: search.Complete}
	plans, tasks, err := a.plan(ctx, picked, &cov)
	if err != nil {
		return err
	}
	var short scenario.Shortfall
	r := scenario.Runner{Short: &short, Workers: scenario.Workers(a.Options.Workers), Shard: a.Options.Shard,
		Progress: a.Options.Progress, Started: a.started, Of: tasks}
	for i, sr := range a.checker.Run(ctx, plans, r) {
		if sr.Err != nil {
			a.undecided(sr.Variant.Slice, sr.Err.Error())
			continue
		}
		if outOfMemory(ctx) && !scenario.Complete(sr.Cov) {
			sr.Cov.Bound = search.MemoryBound
		}
		a.checker.AddRun(ctx, plans[i], &sr)
		if a.Options.Shard.Of <= 1 && !a.Options.Calm {
			a.checker.Swarm(runs, &sr)
		}
		sizes := a.checker.ByRule(runs, &sr)
		cov.Merge(sr.Cov)
		a.enterSizes(&sr, sizes)
		a.enterResult(ctx, sr)
		if f := a.checker.Forecast(&sr); f != nil && a.Changes.Base != nil && !a.Options.Plain &&
			a.Options.Shard.Of <= 1 && !a.supposes(f.Release) {
			a.foretell(sr.Variant.Slice, *f)
		}
		if a.Options.Certify {
			proved, err := a.checker.Certified(&sr)
			if err != nil {
				return err
			}
			a.Result.Coverage.Certified = append(a.Result.Coverage.Certified, proved...)
		}
	}
	if err := ctx.Err(); err != nil && !outOfMemory(ctx) {
		return err
	}
	if short.Unfinished > 0 && !a.checker.Budget.Deadline.IsZero() && ctx.Err() == nil {
		more := max(1, int(short.More.Seconds()+0.5))
		a.Result.Notices = append(a.Result.Notices,
			finding.Say(finding.TimeFellShort, short.Unfinished, short.Of, more, short.More > 0))
	}
	a.models = cov.Models
	c := &a.Result.Coverage
	c.States, c.Transitions = cov.States, cov.Transitions
	c.MaxPods, c.MaxEvents, c.Bound = cov.MaxPods, cov.MaxEvents, boundName(cov.Bound)
	a.Result.Findings = finding.Across(a.Result.Findings)
	finding.Sort(a.Result.Findings)
	return nil
}

// enterResult enters the findings of a slice, how far it was searched, and the questions that it leaves open.
func (a *Analysis) enterResult(ctx context.Context, sr scenario.SliceResult) {
	a.enter(ctx, sr)
	if a.Options.Shard.Of <= 1 && sr.Whole() {
		a.whole[sr.Variant.Slice] = true
	}
	a.Result.Coverage.Topologies += sr.Topologies
	a.Result.Coverage.MaxNodes = max(a.Result.Coverage.MaxNodes, sr.MaxNodes)
	if sr.Cut != nil {
		a.Result.Notices = append(a.Result.Notices,
			finding.Say(finding.SizeSearchedInPart, sr.Cut.Total(), sr.MaxNodes).On(sr.Variant.Spec.Workloads[0].ID))
	}
	a.holdsReduced(&sr)
	a.enterRuns(&sr)
	for _, name := range sr.Cov.Cut {
		a.Result.Notices = append(a.Result.Notices,
			finding.Say(finding.SearchedInPart, name).On(sr.Variant.Spec.Workloads[0].ID))
	}
	if !scenario.Complete(sr.Cov) {
		a.undecided(sr.Variant.Slice,
			"the "+boundName(sr.Cov.Bound)+" budget ran out before every topology was explored")
	}
	switch {
	case sr.Cut != nil && !sr.Declared:
		a.undecided(sr.Variant.Slice,
			fmt.Sprintf("the declared size of %d nodes was not searched to the end", sr.Cut.Total()))
	case sr.Outgrown() && a.Options.Shard.Of <= 1:
		a.undecided(sr.Variant.Slice,
			fmt.Sprintf("with up to %d nodes the cluster still needs more nodes to settle: raise bound.nodes of the policy",
				sr.MaxNodes))
	}
	for _, u := range sr.Variant.Slice.Unrun {
		a.undecided(sr.Variant.Slice, fmt.Sprintf("what %s makes of %s is unknown: %s", u.Policy, u.Workload, u.Why))
	}
	for _, s := range sr.Cov.Unanswered {
		a.undecided(sr.Variant.Slice, s)
		a.Result.Notices = append(a.Result.Notices, finding.Say(finding.Unanswered, s))
	}
}

// enterSizes enters at which size the rules were verified on a slice, and words which of them were as declared where
// the slice as a whole was not.
func (a *Analysis) enterSizes(sr *scenario.SliceResult, sizes []scenario.RuleSize) {
	var names, inPart []string
	for _, s := range sizes {
		a.Result.Coverage.AddRule(finding.RuleCoverage{Rule: s.Rule, Pods: s.Pods, Nodes: s.Nodes,
			AsDeclared: s.Declared,
			Bound:      boundName(s.Bound)})
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

// enter words the violations of a slice, and compares them with base.
func (a *Analysis) enter(ctx context.Context, sr scenario.SliceResult) {
	if a.Options.Watch != nil {
		for _, v := range slices.Concat(sr.Head, sr.Base) {
			a.Options.Watch(v)
		}
	}
	alike := a.besides.Changed(sr.Variant.Slice.Release) == "" && len(sr.Variant.BaseNodes) == 0
	found, open := a.judge().Findings(ctx, &sr, alike)
	for _, reason := range open {
		a.undecided(sr.Variant.Slice, reason)
	}
	for _, f := range found {
		if f.Status != finding.Fixed {
			a.broken[sr.Variant.Slice] = append(a.broken[sr.Variant.Slice], f.Rule+" "+f.Workload)
		}
	}
	if found = a.onTrust(sr.Variant.Slice, found); len(found) == 0 {
		return
	}
	a.byFound(sr.Variant.Slice, found)
	a.Result.Notices = append(a.Result.Notices, judge.Untried(found)...)
	if !sr.Variant.Slice.Resized {
		a.Result.Findings = append(a.Result.Findings, found...)
		return
	}
	a.Result.Findings = finding.Sizes(a.Result.Findings, found)
}

// judge is what the findings of the run are made with.
func (a *Analysis) judge() *judge.Judge {
	c := &a.Options.Policy.Cluster
	return &judge.Judge{Checker: &a.checker, Places: a.places, Plain: a.Options.Plain, Assumed: c.Assumed,
		Doubted: c.Stale(a.Options.Today) > 0 || c.Grows() != "", Instead: a.instead, FixStates: a.Options.FixStates,
		Stands: a.stands}
}
