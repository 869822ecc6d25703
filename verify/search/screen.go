package search

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Screening answers one question, faster than a search does: which rules may be
// violated? It leaves out states that a run merely passes.
//
// In a passing state no event is enabled, and either there is one successor, or one of a confluent actor, after which
// everything else can still happen (Groote and van de Pol, State space reduction using partial tau-confluence, 2000).
// It has one continuation that matters, so it is not kept: its predecessors lead to its successor. No violation is
// lost: invariants and forbidden steps are judged on the way, no passing state is quiescent, and a cycle of passing
// states only is left after mostPassed steps, where its state is kept. Of cycles it is only asked whether there is any,
// fair or not; without one, every rule on cycles is a rule on how runs end.
type screened struct {
	*compiled
	events []int    // that may be enabled where a prompt actor is
	all    actors   // the prompt ones
	wakes  []actors // by actor: prompt ones that its step may enable; nil: all
}

// actors is a set of the first ones of a system.
type actors [4]uint64

func (s *actors) add(a int)      { s[a/64] |= 1 << (a % 64) }
func (s *actors) remove(a int)   { s[a/64] &^= 1 << (a % 64) }
func (s *actors) has(a int) bool { return s[a/64]&(1<<(a%64)) != 0 }

func (s *actors) join(o *actors) {
	for i := range s {
		s[i] |= o[i]
	}
}

// mostPassed bounds the passing states in a row.
const mostPassed = 256

// RunScreened gives what [Run] does, but [Result.Depth], [Result.Quiescent] and the
// numbers of states and transitions, which count what it kept. It screens the system
// first and then searches for the shortest violation of each suspected rule. Where there
// is a cycle, or, with [System.Spent], anything to find, it gives nil: then [Run] has to
// tell.
//
// Options Reduce, Compact and StopAtFirst do not go with it. Errors: as [Run].
func RunScreened(ctx context.Context, sys System, opt Options) (*Result, error) {
	if opt.Reduce || opt.Compact || opt.StopAtFirst {
		return nil, fmt.Errorf("%w: screening takes neither Reduce nor Compact nor StopAtFirst", ErrSystem)
	}
	c, err := compile(sys, &opt)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	k := &screened{compiled: c}
	for _, a := range c.environment {
		if calm, ok := sys.Actors[a].(Calm); !ok || !calm.InCalm() {
			k.events = append(k.events, a)
		}
	}
	k.prepare()
	wide := opt
	wide.sizes.screens = true
	out, err := run(ctx, k.system(opt.Settled), wide)
	if err != nil || out.Bound == FirstFound {
		return nil, err
	}
	suspects, err := k.suspects(out)
	if err != nil {
		return nil, err
	}
	if sys.Spent != nil && len(suspects) > 0 {
		return nil, nil // every least set of events is wanted: one search of all tells them sooner than one a rule
	}
	for _, rule := range suspects {
		if out.Bound != Complete {
			break
		}
		if opt.MaxTime > 0 {
			if opt.MaxTime = wide.MaxTime - time.Since(begin); opt.MaxTime <= 0 {
				out.Bound = TimeBound
				break
			}
		}
		if err := k.confirm(ctx, rule, opt, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Calm is an event that knows that it is disabled wherever a prompt actor is enabled.
type Calm interface{ InCalm() bool }

// prepare compiles [System.Wakes].
func (k *screened) prepare() {
	if k.Wakes == nil || len(k.Actors) > 64*len(k.all) {
		return
	}
	for _, a := range k.compiled.prompt {
		k.all.add(a)
	}
	for a := range k.Actors {
		set := k.all
		if list, some := k.Wakes(a); some {
			set = actors{}
			for _, b := range list {
				set.add(b)
			}
		}
		k.wakes = append(k.wakes, set)
	}
}

// suspects takes the rules that may be violated out of a result, and adds the invariants
// that an initial state breaks.
func (k *screened) suspects(out *Result) (rules []int, err error) {
	w := newWorker(k.compiled)
	for r := range k.Rules {
		seen := slices.ContainsFunc(out.Violations, func(v Violation) bool { return v.Rule == r })
		for _, s := range k.Initial {
			if bad := k.Rules[r].Bad; bad != nil && !seen {
				err = w.guard(func() { seen = w.ruled(r, bad)(w.canonOf(s)) })
			}
		}
		if err != nil {
			return nil, err
		}
		if seen {
			rules = append(rules, r)
		}
	}
	out.Violations = nil
	return rules, nil
}

// confirm searches for the shortest violation of one rule in a system without cycles.
func (k *screened) confirm(ctx context.Context, rule int, opt Options, out *Result) error {
	sys, r := k.System, k.Rules[rule]
	if r.Persists != nil || r.Settles != nil {
		end := r
		r = Rule{Name: r.Name, Quiescent: func(s []byte) bool { return end.badEnd(s) }}
	}
	sys.Rules, sys.Measure = []Rule{r}, nil
	opt.StopAtFirst, opt.Settled = true, false
	res, err := run(ctx, sys, opt)
	if err != nil {
		return err
	}
	out.States += res.States
	out.Transitions += res.Transitions
	out.Bytes = max(out.Bytes, res.Bytes)
	for _, v := range res.Violations {
		v.Rule = rule
		out.Violations = append(out.Violations, v)
	}
	if res.Bound != Complete && res.Bound != FirstFound {
		out.Bound = res.Bound
	}
	return nil
}

// system replaces the system in the search: it tells of each rule whether it may be violated, and after them whether
// there is a cycle.
func (k *screened) system(settled bool) System {
	out := k.System
	out.Independent = nil
	out.Local = func() any { return newPasser(k) }
	out.Actors = make([]Actor, len(k.Actors))
	for i, a := range k.Actors {
		out.Actors[i] = passing{a, i}
	}
	out.Rules = make([]Rule, len(k.Rules))
	for i := range k.Rules {
		r := &k.Rules[i]
		out.Rules[i].Name = r.Name
		switch {
		case r.Bad != nil:
			out.Rules[i].BadStep = func(_, to []byte, _ int, m Move) bool { return m.suspects(i) || r.Bad(to) }
		case r.BadStep != nil:
			out.Rules[i].BadStep = func(_, _ []byte, _ int, m Move) bool { return m.suspects(i) }
		default:
			out.Rules[i].Quiescent = r.badEnd
		}
	}
	if len(k.lasso) > 0 || settled {
		out.Rules = append(out.Rules, Rule{Name: "cycle", Recurs: func(_, _ []byte, _ int, _ Move) bool { return true }})
	}
	return out
}

// suspects reports, and suspect sets, the mark of a rule on a move that goes on through passing states. Of more rules
// than there are marks, some share one.
func (m *Move) suspects(rule int) bool { return m.Args[rule/32%len(m.Args)]&(1<<(rule%32)) != 0 }

func (m *Move) suspect(rule int) { m.Args[rule/32%len(m.Args)] |= 1 << (rule % 32) }

// passing is an actor whose steps go on to the next state that is kept.
type passing struct {
	Actor
	index int
}

func (a passing) Step(s []byte, next *Emit) { next.Local.(*passer).step(a, s, next) }

// passer is the memory of one worker.
type passer struct {
	k     *screened
	out   *Emit
	first Emit   // takes the step from a kept state
	on    Emit   // takes those from passing ones
	from  []byte // the kept state
	at    []byte // where the run stands
	marks Move   // marks seen on the way

	awake actors    // that may be enabled where the run stands, where Wakes says so
	tried successor // the first of the actor whose Step is running
	found int       // of them all
	only  successor // where a passing state leads

	ranges []Range // of passing states; see [Measure]
}

type successor struct {
	state []byte
	actor int
	move  Move
}

func newPasser(k *screened) *passer {
	n := k.Width
	p := &passer{k: k, ranges: k.Measure.ranges(), first: Emit{buf: apart(n)}, on: Emit{buf: apart(n)}, at: apart(n)}
	p.tried.state, p.only.state = apart(n), apart(n)
	if k.Local != nil {
		p.first.Local, p.on.Local = k.Local(), k.Local()
	}
	p.first.out, p.on.out = p.follow, p.take
	return p
}

func (p *passer) step(a passing, s []byte, out *Emit) {
	p.out, p.from = out, s
	p.first.fresh = false
	a.Actor.Step(s, &p.first)
}

// follow goes on from the successor of a kept state, and emits where that ends.
func (p *passer) follow(m Move) {
	p.marks = Move{}
	p.judge(p.from, p.first.buf, p.out.actor, m)
	copy(p.at, p.first.buf)
	p.k.canonical(p.at)
	p.wake(p.out.actor)
	for range mostPassed {
		if !p.passes() {
			break
		}
		p.judgeState()
		if p.ranges != nil {
			p.k.Measure.Of(p.at, false, p.ranges)
		}
		p.judge(p.at, p.only.state, p.only.actor, p.only.move)
		p.at, p.only.state = p.only.state, p.at
		if p.k.wakes != nil {
			p.awake.join(&p.k.wakes[p.only.actor])
		}
		p.k.canonical(p.at)
	}
	p.out.Copy(p.at)
	p.out.Move(p.marks)
}

// wake says which actors may be enabled after the step of one from the kept state.
func (p *passer) wake(a int) {
	switch k := p.k; {
	case k.wakes == nil:
	case k.Actors[a].Urgency() == Patient: // no prompt one was enabled
		p.awake = k.wakes[a]
	default:
		p.awake = k.all
	}
}

func (c *compiled) canonical(s []byte) {
	if c.Canon != nil {
		c.Canon(s)
	}
}

// judge tries the rules on steps that the search does not see.
func (p *passer) judge(from, to []byte, a int, m Move) {
	for _, r := range p.k.badStep {
		if p.k.Rules[r].BadStep(from, to, a, m) {
			p.marks.suspect(r)
		}
	}
}

// judgeState tries the invariants on a passing state.
func (p *passer) judgeState() {
	for _, r := range p.k.bad {
		if p.k.Rules[r].Bad(p.at) {
			p.marks.suspect(r)
		}
	}
}

// passes reports whether the run merely passes the state where it stands; p.only is then
// where it goes on to.
func (p *passer) passes() bool {
	total := 0
	for _, a := range p.k.prompt {
		if p.k.wakes != nil && !p.awake.has(a) {
			continue
		}
		if p.ask(a); p.found == 0 {
			p.awake.remove(a)
			continue
		}
		if total += p.found; total > 1 {
			break
		}
		p.chooses(a)
	}
	return (total == 1 || total > 1 && p.commutes()) && !p.disturbed()
}

// commutes seeks a confluent step, and reports whether there is one.
func (p *passer) commutes() bool {
	if p.k.Confluent == nil {
		return false
	}
	for _, a := range p.k.prompt {
		if p.k.wakes != nil && !p.awake.has(a) {
			continue
		}
		if p.ask(a); p.found == 1 && p.k.Confluent(p.at, a) {
			p.chooses(a)
			return true
		}
	}
	return false
}

// chooses makes the last request the only successor.
func (p *passer) chooses(a int) {
	p.only, p.tried = p.tried, p.only
	p.only.actor = a
}

// ask lets an actor try a step.
func (p *passer) ask(a int) {
	p.found, p.on.fresh = 0, false
	p.k.Actors[a].Step(p.at, &p.on)
}

func (p *passer) take(m Move) {
	if p.found++; p.found == 1 {
		copy(p.tried.state, p.on.buf)
		p.tried.move = m
	}
}

// disturbed reports whether an event may fall into the state where the run stands.
func (p *passer) disturbed() bool {
	for _, e := range p.k.events {
		if p.ask(e); p.found > 0 {
			return true
		}
	}
	return false
}
