package scenario

import (
	"context"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Most rules do not look at where pods are, nor at other workloads. If no actor's steps on a workload do either (see
// [control.Apart]), each workload is first searched by itself, on one node: a rule that none of its runs violates is
// not violated among the others, on any number of nodes. The other rules are checked on the whole. The README of
// verify/search has the argument.

// apartStates bounds each search of one workload by itself.
const apartStates = 200_000

// judgment is one half of a rule on a workload of a problem.
type judgment struct {
	rule           string
	workload, half int
}

func (b BoundRule) judgment() judgment { return judgment{b.Rule.ID, b.Workload, b.half} }

// play runs a scenario on a problem: it returns the last search, or nil if there was none because an earlier one did
// not come to its end.
type play func(p *Problem) (*search.Result, error)

// apart drops from a problem the rules of which a search of each workload by itself shows that they are kept. It
// reports whether that leaves nothing to be asked of the whole. whole says that the scenario has something else to look
// at.
func (r *scenarioRun) apart(p *Problem, whole bool, do play) (bool, error) {
	all := p.bounds
	err := r.dropKept(p, whole, do)
	if err != nil {
		return false, err
	}
	r.cov.ask(all, p.bounds)
	if len(p.bounds) > 0 && !r.lonely || len(all) == 0 {
		return false, nil
	}
	r.cov.close(AllClosed)
	r.cov.limit(search.Complete)
	r.cov.note(p.Actors)
	r.cov.MaxPods = max(r.cov.MaxPods, mostDeclared(p.Cfg))
	return true, nil
}

func (r *scenarioRun) dropKept(p *Problem, whole bool, do play) error {
	if whole || r.Whole || !slices.ContainsFunc(p.bounds, BoundRule.placeless) {
		return nil
	}
	var room *actor.Room
	if !control.Apart(p.Cfg, p.loops) {
		if room = control.RoomFor(p.Cfg, p.loops); room == nil || r.crowded {
			return nil
		}
	}
	if len(p.Cfg.Nodes) == 1 && len(p.Cfg.Spec.Workloads) == 1 && !r.lonely {
		return nil // it is by itself
	}
	kept := map[judgment]bool{}
	var taken []int // at most, by the workloads that were searched
	for w := range p.Cfg.Spec.Workloads {
		one, err := p.one(w)
		if one == nil || err != nil {
			return err
		}
		if room != nil && !one.measuresRoom() {
			return nil
		}
		res, err := do(one)
		if err != nil || res == nil || res.Bound != search.Complete {
			r.crowded = r.crowded || room != nil
			return err
		}
		if room != nil {
			if taken = one.takes(taken); !room.Lasts(taken) {
				r.crowded = true
				return nil
			}
		}
		r.cov.MaxEvents = max(r.cov.MaxEvents, res.Events)
		for i, b := range one.bounds {
			kept[b.judgment()] = !slices.ContainsFunc(res.Violations, func(v search.Violation) bool { return v.Rule == i })
		}
	}
	p.drop(kept)
	return nil
}

// settledAlone is [scenarioRun.settled] for one workload by itself. live is a further start; nil: none.
func (r *scenarioRun) settledAlone(ctx context.Context, one *Problem, from state.Version,
	live []byte) (*search.Result, error) {
	initial, results, err := one.Settle(ctx, from, r.Budget)
	if err != nil || !r.worked(results) {
		return nil, err
	}
	if live != nil {
		initial = withState(initial, live)
	}
	return r.from(ctx, one, initial, -1)
}

// revertAlone is what [scenarioRun.revert] does, of one workload by itself.
func (r *scenarioRun) revertAlone(ctx context.Context, one *Problem) (*search.Result, error) {
	initial, results, err := one.Settle(ctx, state.Base, r.Budget)
	if err != nil || !r.worked(results) {
		return nil, err
	}
	settled, results, err := one.settledChange(ctx, initial, r.Budget)
	if err != nil || !r.worked(results) {
		return nil, err
	}
	return r.from(ctx, one, settled, 1)
}

// from searches one workload by itself from the given states.
func (r *scenarioRun) from(ctx context.Context, one *Problem, initial [][]byte, events int) (*search.Result, error) {
	if len(initial) == 0 {
		return nil, nil
	}
	results, err := one.explore(ctx, initial, events, r.Budget)
	if err != nil {
		return nil, err
	}
	r.worked(results)
	r.see(one, results[len(results)-1])
	return results[len(results)-1], nil
}

// worked counts searches of one workload by itself, and reports whether the last came to its end.
func (r *scenarioRun) worked(results []*search.Result) bool {
	for _, res := range results {
		r.cov.addWork(Coverage{States: res.States, Transitions: res.Transitions})
	}
	return results[len(results)-1].Bound == search.Complete
}

// placeless reports whether a rule looks neither at where pods are nor at other workloads.
func (b BoundRule) placeless() bool {
	return b.Rule.Blind&rules.BlindToPlace != 0 && b.Property.Rest == nil
}

// takes adds the most that the pods of a workload by itself were seen to take of nodes to what others take.
func (p *Problem) takes(others []int) []int {
	out := make([]int, len(p.taken))
	for d, most := range p.taken {
		out[d] = most.Max
		if others != nil {
			out[d] += others[d]
		}
	}
	return out
}

// drop leaves out rules that are known to be kept.
func (p *Problem) drop(kept map[judgment]bool) {
	left, judged, blind := p.bounds[:0:0], []search.Rule(nil), rules.BlindToStarts|rules.BlindToStops
	for i, b := range p.bounds {
		if !kept[b.judgment()] {
			left, judged, blind = append(left, b), append(judged, p.System.Rules[i]), blind&b.Rule.Blind
		}
	}
	if len(left) < len(p.bounds) {
		p.bounds = left
		p.judgedBy(judged, blind)
	}
}

// one is the problem of workload w by itself: the same objects, on one node that fits any request of its pods, where
// only its own actors move. So all constants are the same, including those of the other workloads. It is nil if no node
// takes the pods of both revisions.
func (p *Problem) one(w int) (*Problem, error) {
	home := control.Home(p.Cfg, p.loops, w)
	if home < 0 {
		return nil, nil
	}
	spec := *p.Cfg.Spec
	spec.Classes = slices.Clone(spec.Classes)
	spec.Classes[home] = wide(spec.Classes[home])
	spec.CountsTerminating = p.lingers()
	topology := make([]int, len(spec.Classes))
	topology[home] = 1
	cfg, actors, err := compile(&spec, topology, p.Cfg.MaxPods)
	if err != nil {
		return nil, err
	}
	if !control.Apart(cfg, actors) {
		return nil, nil
	}
	out := &Problem{Cfg: cfg, loops: control.Of(cfg, actors, w), timing: p.timing, alone: true, only: w,
		foresee: p.foresee}
	var judged []search.Rule
	blind := rules.BlindToStarts | rules.BlindToStops
	for _, b := range p.bounds {
		if b.Workload != w || !b.placeless() {
			continue
		}
		b.Property = b.Rule.Properties(cfg, w)[b.half]
		if b.Property.IsZero() {
			return nil, nil
		}
		out.bounds = append(out.bounds, b)
		judged = append(judged, out.searchRule(b.Rule.ID+string(rune('0'+b.half)), b.Property))
		blind &= b.Rule.Blind
	}
	out.judgedBy(judged, blind)
	return out, nil
}

// wide is a class of nodes on which every pod has room.
func wide(c state.NodeClass) state.NodeClass {
	c.Elastic, c.Beside, c.Names = true, nil, nil
	c.Node = c.Node.DeepCopy()
	if c.Node.Status.Allocatable == nil {
		c.Node.Status.Allocatable = corev1.ResourceList{}
	}
	c.Node.Status.Allocatable[corev1.ResourcePods] = *resource.NewQuantity(math.MaxInt32, resource.DecimalSI)
	return c
}

// lingers reports whether pods on deletion have a phase in the problem.
func (p *Problem) lingers() bool {
	for class := range p.Cfg.Pods {
		if p.Cfg.HasPhase(class, state.Terminating) {
			return true
		}
	}
	return false
}

// screened is the search of one workload by itself: what it finds suspect, and whether there is any cycle. Beside
// others that never come to rest, no search by itself says what becomes of a workload, so that one with a cycle does
// not count as complete.
func screened(ctx context.Context, sys search.System, opt search.Options) (*search.Result, error) {
	sys.Spent = nil
	opt.Settled = true
	opt.MaxStates = apartStates
	res, err := search.RunScreened(ctx, sys, opt)
	if res == nil && err == nil {
		res = &search.Result{Bound: search.FirstFound}
	}
	return res, err
}

// Rules on preferences never decide a verdict, and look at the node of each pod: a search for them carries every
// placement, which hardly any other rule needs. So they are searched apart from the others, after them and within a
// separate budget. The result says what that leaves out, which does not make the workload inconclusive.

// preferred is the search for them, as far as it is noted how far base was searched.
var preferred = &probe{name: "what is preferred"}

// softStates bounds each of these searches.
const softStates = 50_000

// parted gives the checker for rules that may decide a verdict, and the one for preferences; nil if there are none, or
// nothing else.
func (c *Checker) parted(v Variant, t scale.Topology) (firm, soft *Checker, err error) {
	if c.Whole {
		return c, nil, nil
	}
	p, err := NewProblem(&v.Spec, t, c.Rules, c.Timing)
	if err != nil {
		return nil, nil, err
	}
	isSoft := func(b BoundRule) bool { return b.Property.Soft }
	if !slices.ContainsFunc(p.bounds, isSoft) ||
		!slices.ContainsFunc(p.bounds, func(b BoundRule) bool { return !isSoft(b) }) {
		return c, nil, nil
	}
	firm = c.where(func(p rules.Property) bool { return !p.Soft })
	return firm, c.where(func(p rules.Property) bool { return p.Soft }), nil
}

// where gives the checker for a part of what its rules say.
func (c *Checker) where(is func(rules.Property) bool) *Checker {
	own := *c
	own.Rules = nil
	for _, r := range c.Rules {
		own.Rules = append(own.Rules, r.Where(is))
	}
	return &own
}

// preferences searches the scenarios for violations of preferences.
func (r *scenarioRun) preferences(ctx context.Context, v Variant, soft *Checker, imageOnly bool) error {
	if own := &soft.Budget; own.States == 0 || own.States > softStates {
		own.States = softStates
	}
	soft.quits, soft.foresees = false, false
	other := soft.at(r.topology)
	other.imageOnly = imageOnly
	err := other.scenarios(ctx, v, func() error { return nil })
	cov := other.cov
	closed := AllClosed
	if cov.closed != nil {
		closed = *cov.closed
	}
	if cov.Bound != 0 && cov.Bound != search.Complete {
		if cov.closed == nil {
			closed = NoneClosed
		}
		for rule := range cov.asked {
			cov.addInPart(map[string]bool{rule: true})
		}
		cov.preferredCut, cov.Bound = true, search.Complete
	}
	r.cov.closeProbe(preferred, closed)
	r.cov.preferred = &cov
	r.found = append(r.found, other.found...)
	return err
}

// preferred reports whether an outcome covers all preferences.
func (o *Outcome) preferred() bool {
	return !o.firm && (o.Cov.preferred == nil || !o.Cov.preferred.preferredCut)
}

// withoutPreferences reports whether a task need not search for preferences, as a smaller topology of its scaling has
// not come to the end of that.
func withoutPreferences(tasks []Task, outcomes []Outcome, i int) bool {
	for k := range i {
		if p := outcomes[k].Cov.preferred; p != nil && p.preferredCut && tasks[k].slice == tasks[i].slice &&
			tasks[k].scaling == tasks[i].scaling {
			return true
		}
	}
	return false
}

// withPreferred takes in the searches for preferences only, if those are kept apart.
func (c Coverage) withPreferred() Coverage {
	if p := c.preferred; p != nil {
		c.preferred = nil
		c.Merge(*p)
	}
	return c
}

// takePreferred adds an outcome's part about preferences only, and leaves that out of the outcome: a search that does
// not end at one topology is not tried at a larger one. It reports whether base broke any, as far as is known.
func (r *SliceResult) takePreferred(o *Outcome) (broken bool) {
	isSoft := func(v Violation) bool { return v.Bound.Property.Soft && v.probe == nil }
	lists := []*[]Violation{&o.Head, &o.Base, &o.Own}
	if more := o.Cov.preferred; !r.preferredCut {
		r.preferredBroken = r.preferredBroken || slices.ContainsFunc(o.Base, isSoft)
		if o.Cov.preferred = nil; more != nil {
			r.preferredCut = more.preferredCut
			r.Cov.Merge(*more)
		}
		return slices.ContainsFunc(o.Base, isSoft)
	}
	o.Cov.preferred = nil
	for _, list := range lists {
		*list = slices.DeleteFunc(slices.Clone(*list), isSoft)
	}
	return r.preferredBroken
}
