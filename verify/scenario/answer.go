package scenario

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Answer is that of a question to searches with a budget. The zero value says that the budget did not last: it is
// neither yes nor no, and whoever asks has to do without.
type Answer uint8

const (
	Undecided Answer = iota
	No
	Yes
)

// answerTo is that of a question which was decided.
func answerTo(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// shows reports whether a variant at a topology breaks the rule of a violation with its events or fewer: along the same
// actions, or found by a search of few states.
func (c *Checker) shows(ctx context.Context, j Task, found Violation) Answer {
	if _, ok := c.directedAt(ctx, j.Variant, found); ok {
		return Yes
	}
	o := c.Within(premiseStates).Both(ctx, j)
	switch {
	case o.Err != nil:
		return Undecided
	case found.In(o.Head):
		return Yes
	case Complete(o.Cov):
		return No
	}
	return Undecided
}

// recoverStates bounds the search for how a run goes on after a violation, in states.
const recoverStates = 200_000

// Recovers reports whether every fair run from where a forbidden step ends has what it took
// again at its end, with no further event; nil where the rule does not say what that is, or where
// the budget did not last to tell.
func (v Violation) Recovers(ctx context.Context, bud Budget) *bool {
	mended := v.Bound.Property.Mended
	if mended == nil || len(v.Steps) == 0 {
		return nil
	}
	last := v.Steps[len(v.Steps)-1]
	before := state.State{C: v.Problem.Cfg, B: last.From}
	sys := v.Problem.System
	sys.Initial = [][]byte{last.To}
	sys.Rules = []search.Rule{{Name: "mended", Settles: func(b []byte) bool {
		s := state.State{C: v.Problem.Cfg, B: b}
		return s.IsOutgrown() || mended(before, s)
	}}}
	bud.States = recoverStates
	opt := bud.options()
	opt.MaxEvents = 0
	q := question{sys: sys, opt: opt}
	of, known := v.Bound.content()
	if q.of = fmt.Sprintf("mended by %s from %x", of, before.B); !known {
		bud.Kept, bud.Recall = nil, nil
	}
	res, err := v.Problem.run(ctx, bud, q)
	if err != nil || res.Bound != search.Complete && len(res.Violations) == 0 {
		return nil
	}
	good := len(res.Violations) == 0
	return &good
}

// turnStates bounds the search for the decisive step of one finding.
const turnStates = 4_000

// Turn is the decisive step of a counterexample, and the lucky run beside it; see [search.FindTurn].
func (c *Checker) Turn(ctx context.Context, v Violation) search.Turn {
	if len(v.Steps) == 0 || c.Expired() {
		return search.Turn{Undecided: true}
	}
	sys := v.Problem.System
	sys.Initial, sys.Rules = [][]byte{v.Start}, []search.Rule{v.Problem.searchRule("turn", v.Bound.Property)}
	one := v.Violation
	one.Rule = 0
	turn, err := search.FindTurn(ctx, sys, one, search.TurnOptions{MaxStates: turnStates, Label: v.Problem.event})
	if err != nil {
		return search.Turn{Undecided: true}
	}
	return turn
}

// event tells the events of one actor apart: a load that rises from one that falls. Which of several nodes one is of
// makes no difference, as an exchange of nodes does not.
func (p *Problem) event(st search.Step) uint16 {
	to := state.State{C: p.Cfg, B: st.To}
	label := st.Move.Kind << 8
	for w := range p.Cfg.Spec.Workloads {
		if (state.State{C: p.Cfg, B: st.From}).Load(w) != to.Load(w) {
			label |= uint16(to.Load(w)) + 1
		}
	}
	return label
}

// atOnce reports whether a violation is inevitable for the one reason that its last event is the bad step.
func (v Violation) atOnce() bool {
	n := len(v.Steps)
	return v.Bound.Property.BadStep != nil && n > 0 && v.Inevitable &&
		v.Problem.Actors[v.Steps[n-1].Actor].Latency() == actor.Event
}

// AtOnce reports whether an event of base breaks the rule of a violation as well, with its events or fewer. A search
// gives of a set of events the shortest run, and whether that ends with an event or a step later is chance: a budget
// that forbids the shortest run of base would seem to make the rest of them worse.
func (c *Checker) AtOnce(ctx context.Context, sr *SliceResult, v Violation) bool {
	if !v.atOnce() {
		return false
	}
	for _, b := range slices.Concat(sr.Base, sr.Own) {
		if b.Place() != v.Place() || !v.Comparable(b) || !b.covers(v) || b.Bound.Property.BadStep == nil {
			continue
		}
		p, sys := b.Problem, b.Problem.System
		rule := sys.Rules[b.Rule]
		bad := rule.BadStep
		rule.BadStep = func(from, to []byte, a int, m search.Move) bool {
			return p.Actors[a].Latency() == actor.Event && bad(from, to, a, m)
		}
		sys.Rules, sys.Initial = []search.Rule{rule}, [][]byte{b.Start}
		bud := c.Budget
		bud.States = recoverStates
		opt := bud.options()
		opt.MaxEvents = v.Events
		of, known := b.Bound.content()
		if !known {
			bud.Kept, bud.Recall = nil, nil
		}
		res, err := p.run(ctx, bud, question{sys: sys, opt: opt, of: fmt.Sprintf("at once %s from %x", of, b.Start)})
		if err == nil && slices.ContainsFunc(res.Violations, func(x search.Violation) bool {
			return fewer(Violation{Problem: p, Violation: x}.Kinds(), v.Kinds())
		}) {
			return true
		}
	}
	return false
}

// Shows reports whether a variant at a topology breaks the rule of a violation where that was found, and checks no
// other rule: the first question about a change that is to cure it. false proves nothing.
func (c *Checker) Shows(ctx context.Context, v Variant, t scale.Topology, of Violation) (bool, Coverage, error) {
	if of.ByRun || of.Swarmed || of.Bound.Property.Wish {
		return false, Coverage{}, nil
	}
	own := *c.with(v)
	own.Rules = slices.DeleteFunc(slices.Clone(own.Rules), func(r rules.Rule) bool { return r.ID != of.Bound.Rule.ID })
	own.glance, own.Budget.first = true, true
	r, alone := own.at(t), v.only(state.Head)
	var err error
	switch {
	case r.late():
	case of.probe != nil:
		var asked rules.Facets
		if v, asked = of.probe.of(v); of.Bound.Rule.Facets.Any(of.probe.asks & asked) {
			r.lacks = of.probe.whoLacks()
			err = r.begin(ctx, of.probe, v)
		}
	case of.Scenario == ScenarioChange:
		err = r.settled(ctx, ScenarioChange, v, state.Base)
	case of.Scenario == ScenarioRevert:
		err = r.revert(ctx, v)
	case of.Scenario == ScenarioInstall:
		err = r.empty(ctx, alone)
	case of.Scenario == ScenarioSteady:
		err = r.settled(ctx, ScenarioSteady, alone, state.Head)
	}
	return slices.ContainsFunc(r.found, func(x Violation) bool { return x.Key() == of.Key() }), r.cov, err
}

// cold reports whether only a cluster that starts from nothing leads to a violation of head alone: it is of a
// workload that the change does not touch, and no run of the change leads there as surely.
func (r *scenarioRun) cold(v Violation) bool {
	if r.changed == nil || r.imageOnly && v.Bound.Rule.Facets.Any(rules.AnyRollout) {
		return false
	}
	_, touched := r.changed[v.Bound.Workload]
	return !touched && !slices.ContainsFunc(r.led, func(x Violation) bool {
		return x.Key() == v.Key() && x.Sure() >= v.Sure() &&
			fewer(slices.DeleteFunc(slices.Clone(x.Happened), func(kind string) bool { return kind == "apply" }), v.Happened)
	})
}
