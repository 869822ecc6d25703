package search

import "bytes"

// inevitable reports whether every fair run from the last event of a counterexample on, with no further event, violates
// the rule. A random tie-break is fair: a run leaves a component that can be left, almost surely. So the question is
// whether a good end can be reached: a quiescent state, or a component without a way out, in which the rule is kept;
// and for a rule on states or steps, reached without a bad one.
//
// Where the visited set does not hold all of that part of the graph, it is explored
// once more by itself, within the same budgets; what these do not last to decide is
// neither called inevitable nor taken for possible.
func (e *engine) inevitable(rule int, v *Violation) (sure, undecided bool, err error) {
	from := v.Start
	for i, s := range v.Steps {
		if e.sys.Actors[s.Actor].Urgency() != Environment {
			continue
		}
		from = s.To
		if e.sys.Rules[rule].BadStep != nil && i == len(v.Steps)-1 {
			return true, false, nil // the event is the bad step
		}
	}
	if e.stopped.Load() {
		return false, true, nil
	}
	if e.front == nil && e.result.Reduced == 0 {
		if id := e.find(e.workers[0].canonOf(from)); id != none {
			if level, _ := e.layers.where(id); level <= e.closed {
				sure, err = e.noGoodEnd(rule, id)
				return sure, !sure && e.stopped.Load(), err
			}
		}
	}
	if e.cutFrom(from) {
		return false, true, nil
	}
	sub, err := e.from(from)
	if err != nil || sub.result.Bound != Complete {
		return false, true, err
	}
	sure, err = sub.noGoodEnd(rule, sub.find(e.workers[0].canonOf(from)))
	if sub.stopped.Load() {
		e.stopped.Store(true)
	}
	return sure, !sure && sub.stopped.Load(), err
}

// cutFrom reports whether the search was cut off before it had seen what the loops reach from its only initial state,
// where that is the given one: another search from there would be cut off as well.
func (e *engine) cutFrom(s []byte) bool {
	cut := e.result.Bound == StateBound || e.result.Bound == MemoryBound
	return cut && e.closed < 0 && len(e.sys.Initial) == 1 && bytes.Equal(s, e.sys.Initial[0])
}

// from explores what the loops reach from a state, once for all rules that ask for it one after the other.
func (e *engine) from(s []byte) (*engine, error) {
	if e.part != nil && bytes.Equal(e.part.sys.Initial[0], s) {
		return e.part, nil
	}
	part := *e.sys
	part.Initial = [][]byte{s}
	part.bad, part.badStep, part.quiet, part.lasso, part.Measure = nil, nil, nil, nil, nil
	opt := e.opt
	opt.MaxEvents, opt.Compact, opt.Reduce, opt.Settled, opt.Checked = 0, false, false, false, false
	e.part = newEngine(e.ctx, &part, opt)
	if !opt.sizes.noEdges && len(part.Actors) < maxEdgeActors {
		e.part.edges = &edges{}
	}
	e.part.begin = e.begin
	return e.part, e.part.explore()
}

// without leaves out the states and the steps that violate a rule.
func (c *components) without(r int) *Rule {
	rule := &c.e.sys.Rules[r]
	if rule.Bad != nil {
		bad := c.w.ruled(r, rule.Bad)
		c.keep = func(s []byte) bool { return !bad(s) }
	}
	if rule.BadStep != nil {
		c.barred = func(from, to []byte, a int, m Move) bool {
			c.w.rule = r
			bad := rule.BadStep(from, to, a, m)
			c.w.rule = -1
			return bad
		}
	}
	return rule
}

// noGoodEnd walks the part of the graph that is reachable from a state.
func (e *engine) noGoodEnd(r int, from uint32) (bool, error) {
	c := newComponents(e, [shards]uint32{})
	rule := c.without(r)
	good := false
	c.quiet = func(id uint32) {
		c.w.rule = r
		good = good || !rule.badEnd(c.w.look(e, id))
		c.w.rule = -1
		c.done = good
	}
	t := newTally(c, []int{r})
	c.cycle = func(k component) {
		if !k.terminal {
			return
		}
		if t.component(k); !t.bad(rule) {
			good, c.done = true, true
		}
	}
	err := c.w.guard(func() { c.visit(from) })
	return !good && !e.stopped.Load(), err
}

// bad reports whether a run that stays in the terminal component, and so visits all of it
// again and again, violates the rule.
func (t *tally) bad(rule *Rule) bool {
	if p := rule.Persists; p != nil {
		for _, id := range t.of.members {
			if !p(t.c.w.look(t.c.e, id)) {
				return false
			}
		}
		return true
	}
	return t.shows[0]
}
