package search

import "slices"

// A violation that needs other events is another violation, even if it takes more of them:
// whoever compares two systems wants to know all least sets of events that lead to one, and
// whether more of them make it inevitable. [System.Spent] names the set that a state took. A
// violation whose set holds another one's tells nothing new, and a cycle has one set, as only
// events change it.

// nibbles has the highest bit of every number of a set of events.
const nibbles = 0x8888888888888888

// within reports whether every number of a is at most that of b.
func within(a, b uint64) bool { return ((b|nibbles)-a)&nibbles == nibbles }

func (c *compiled) spent(s []byte) uint64 {
	if c.Spent == nil {
		return 0
	}
	return c.Spent(s)
}

// spending restricts a rule on steps to those that lead to a set of events.
func (c *compiled) spending(rule func(from, to []byte, actor int, m Move) bool, spent uint64) func(from, to []byte,
	actor int, m Move) bool {
	if c.Spent == nil {
		return rule
	}
	return func(from, to []byte, actor int, m Move) bool { return rule(from, to, actor, m) && c.Spent(to) == spent }
}

// later is the set of events of a state, found when it is asked for.
type later struct {
	sys   *compiled
	s     []byte
	spent uint64
	known bool
}

func (l *later) get() uint64 {
	if !l.known {
		l.spent, l.known = l.sys.spent(l.s), true
	}
	return l.spent
}

// told reports whether a violation of a rule is known that needs no other events than a state,
// among those found before and those seen in the block at hand.
func (e *engine) told(rule int, seen []hit, l *later) bool {
	if len(e.found[rule])+len(seen) == 0 {
		return false
	}
	return e.known(rule, l.get()) || slices.ContainsFunc(seen, func(h hit) bool { return within(h.spent, l.get()) })
}

// cutStates is the number of states up to which a rule on steps is looked at for what is
// inevitable in all of them: each is expanded again.
const cutStates = 200_000

// mostDoomed is the number of events up to which it is told for a set of them what it makes
// inevitable. What more of them do hangs on the moments and the choices that they meet.
const mostDoomed = 1

// violations words the findings of one rule. With [System.Spent], whether a violation of one
// event, or none, is inevitable is told for its set of events, not for its path: it is where from
// each of the initial states some state that the event leads to has no good end. With more
// events it is told for the shortest run.
func (e *engine) violations(rule int, list []*finding) ([]Violation, error) {
	var out []Violation
	var ends *ends
	for _, f := range list {
		v, err := e.violation(rule, f)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if e.sys.Spent == nil || len(list) == 0 {
		return out, nil
	}
	if len(e.starts) > 1 && e.result.Bound != Complete && e.result.Bound != FirstFound {
		for i := range out { // its own path does not tell for the other initial states
			if v := &out[i]; v.Events <= mostDoomed && v.Events > e.closed && v.Inevitable {
				v.Inevitable, v.Undecided = false, true
			}
		}
	}
	if !e.tellsEnds(rule) {
		return out, nil
	}
	ends, err := e.ends(rule)
	if err != nil || e.stopped.Load() {
		return out, err
	}
	var sure []uint64
	for _, d := range ends.doomed {
		if slices.ContainsFunc(sure, func(s uint64) bool { return within(s, d.spent) }) {
			continue
		}
		at := slices.IndexFunc(list, func(f *finding) bool { return f.spent == d.spent })
		everywhere, err := ends.everywhere(d)
		switch {
		case err != nil:
			return nil, err
		case !everywhere:
			if at >= 0 {
				out[at].Inevitable, out[at].Undecided = false, false
			}
			continue
		}
		if sure = append(sure, d.spent); at >= 0 && out[at].Inevitable {
			continue
		}
		v, err := e.doom(rule, d)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
		case at >= 0:
			out[at] = *v
		case !slices.ContainsFunc(out, func(o Violation) bool { return o.Inevitable && within(e.spentOf(o), d.spent) }):
			out = append(out, *v)
		}
	}
	return out, nil
}

// spentOf is the set of events of a violation.
func (e *engine) spentOf(v Violation) uint64 {
	at := v.Start
	if n := len(v.Steps); n > 0 {
		at = v.Steps[n-1].To
	}
	return e.sys.spent(at)
}

// tellsEnds reports whether all that is needed to tell good ends is at hand.
func (e *engine) tellsEnds(rule int) bool {
	return e.front == nil && e.result.Reduced == 0 && e.closed >= 0 && e.edges != nil && !e.stopped.Load() &&
		(e.sys.Rules[rule].BadStep == nil || e.store.states <= cutStates)
}

// ends says of one rule which states have a good end.
type ends struct {
	c *components
	// doomed has the first state of each set of events, fewest events first. A set that holds another one is left out
	// only once that one is known to doom the rule from everywhere.
	doomed []doomed
}

// doomed is a state that an event leads to, or an initial one, that has no good end.
type doomed struct {
	id    uint32
	spent uint64
	level int
}

// ends looks at the first levels, as far as they were searched to the end: loops lead from none to
// another one.
func (e *engine) ends(r int) (*ends, error) {
	c := newComponents(e, [shards]uint32{})
	c.good = make([]bool, c.size)
	rule := c.without(r)
	c.quiet = func(id uint32) {
		c.w.rule = r
		c.top.good = c.top.good || !rule.badEnd(c.w.look(e, id))
		c.w.rule = -1
	}
	t := newTally(c, []int{r})
	c.cycle = func(k component) {
		if k.terminal {
			t.component(k)
			c.endsWell = !t.bad(rule)
		}
	}
	out := &ends{c: c}
	err := c.w.guard(func() {
		for level := 0; level <= min(e.closed, mostDoomed); level++ {
			c.all(e.layers.level(level))
		}
	})
	if err != nil {
		return nil, err
	}
	for level := 0; level <= min(e.closed, mostDoomed); level++ {
		for _, b := range e.layers.level(level) {
			for _, id := range b.order {
				out.enter(id, level)
			}
		}
	}
	return out, nil
}

// enter notes a state if it is doomed and comes of an event.
func (x *ends) enter(id uint32, level int) {
	e := x.c.e
	if d, _ := x.c.dense(id); x.c.good[d] {
		return
	}
	if p := e.store.parent(id); p != none {
		if below, _ := e.layers.where(p); below >= level {
			return
		}
	}
	spent := e.sys.spent(x.c.w.look(e, id))
	if !slices.ContainsFunc(x.doomed, func(d doomed) bool { return d.spent == spent }) {
		x.doomed = append(x.doomed, doomed{id, spent, level})
	}
}

// everywhere reports whether what is doomed after one event, or none, is so from every initial
// state on.
func (x *ends) everywhere(d doomed) (bool, error) {
	e := x.c.e
	for id := range e.starts {
		n, _ := x.c.dense(id)
		if d.level == 0 {
			if x.c.good[n] {
				return false, nil
			}
			continue
		}
		list, err := e.workers[0].successors(e.starts[id], true)
		if err != nil {
			return false, err
		}
		hit := !x.c.good[n] // whatever comes
		for _, s := range list {
			to := e.workers[0].canonOf(s.To)
			if at := e.find(to); at != none && e.sys.spent(to) == d.spent {
				k, _ := x.c.dense(at)
				hit = hit || !x.c.good[k]
			}
		}
		if !hit {
			return false, nil
		}
	}
	return true, nil
}

// doom gives the violation of a rule by way of a doomed state, or nil where the budget does
// not last to find how it goes on.
func (e *engine) doom(rule int, d doomed) (*Violation, error) {
	start, hops := e.stem(d.id)
	steps, err := e.follow(start, hops)
	if err != nil {
		return nil, err
	}
	from := start
	if n := len(steps); n > 0 {
		from = steps[n-1].To
	}
	part := e.sys.System
	part.Initial, part.Rules, part.Spent = [][]byte{from}, e.sys.Rules[rule:rule+1], nil
	opt := e.opt
	opt.MaxEvents, opt.Compact, opt.Reduce, opt.Settled, opt.Checked, opt.StopAtFirst = 0, false, false, false, false, true
	res, err := run(e.ctx, part, opt)
	if err != nil || len(res.Violations) == 0 {
		return nil, err
	}
	v := res.Violations[0]
	v.Rule, v.Start, v.Events, v.Inevitable = rule, start, d.level, true
	if v.CycleStart >= 0 {
		v.CycleStart += len(steps)
	}
	v.Steps = append(steps, v.Steps...)
	return &v, nil
}
