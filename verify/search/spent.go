package search

import (
	"maps"
	"slices"
)

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

// told reports whether a violation of a rule is known whose events are among those of a state, among those found before
// and those seen in the block at hand.
func (e *engine) told(rule int, seen []hit, l *later) bool {
	if len(e.found[rule])+len(seen) == 0 {
		return false
	}
	return e.known(rule, l.get()) || slices.ContainsFunc(seen, func(h hit) bool { return within(h.spent, l.get()) })
}

// cutStates is the number of states up to which a rule on steps is checked for inevitability in all of them: each is
// expanded again.
const cutStates = 200_000

// violations words the findings of one rule. With [System.Spent], inevitability is decided for a violation's set of
// events, not for its path: it is where from each of the initial states some run with these events or fewer has no good
// end after the last of them, though it had one before.
func (e *engine) violations(rule int, list []*finding) ([]Violation, error) {
	var out []Violation
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
			if v := &out[i]; v.Events > e.closed && v.Inevitable {
				v.Inevitable, v.Undecided = false, true
			}
		}
	}
	if !e.tellsEnds(rule) {
		return out, nil
	}
	x := newEnds(e, rule)
	var sure []uint64
	told := func(set uint64) bool {
		return slices.ContainsFunc(sure, func(s uint64) bool { return within(s, set) })
	}
	for level := 0; level <= e.closed; level++ {
		if !slices.ContainsFunc(list, func(f *finding) bool { return !told(f.spent) }) {
			break // whatever else dooms a rule takes the events of one of these
		}
		found, err := x.doomed(level)
		if err != nil || e.stopped.Load() {
			return out, err
		}
		for _, d := range found {
			if told(d.spent) {
				continue
			}
			everywhere, err := x.everywhere(&d)
			if err != nil || e.stopped.Load() || x.left <= 0 {
				return out, err
			}
			if everywhere && d.id == none {
				continue // parts of it doom one initial state each
			}
			if everywhere {
				sure = append(sure, d.spent)
			}
			if out, err = e.enterDoomed(rule, list, out, d, everywhere); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// enterDoomed enters a set of events that dooms some runs, or all, into the violations of a rule.
func (e *engine) enterDoomed(rule int, list []*finding, out []Violation, d doomed, everywhere bool) ([]Violation,
	error) {
	at := slices.IndexFunc(list, func(f *finding) bool { return f.spent == d.spent })
	if !everywhere {
		if at >= 0 {
			out[at].Inevitable, out[at].Undecided = false, false
		}
		return out, nil
	}
	if at >= 0 && out[at].Inevitable {
		return out, nil
	}
	v, err := e.doom(rule, d)
	switch {
	case err != nil || v == nil:
		return out, err
	case at >= 0:
		out[at] = *v
	case !slices.ContainsFunc(out, func(o Violation) bool { return o.Inevitable && within(e.spentOf(o), d.spent) }):
		out = append(out, *v)
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
	c     *components
	level int      // the last one that was looked at
	from  *worker  // whose expansions [ends.everywhere] makes
	left  int      // of them, until it gives up
	no    []uint64 // sets of events that are known not to doom every initial state
}

// doomed is a set of events after which some state has no good end, and such a state that the last of them led to.
type doomed struct {
	id, parent uint32 // none: not known
	spent      uint64
	level      int
}

func newEnds(e *engine, r int) *ends {
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
	return &ends{c: c, level: -1, from: newWorker(e.sys), left: max(cutStates, 2*int(e.store.states))}
}

// good reports whether a state of a level that was looked at has a good end.
func (x *ends) good(id uint32) bool {
	d, _ := x.c.dense(id)
	return x.c.good[d]
}

// doomed looks at one level after the other, as loops lead from none to another one, and gives the sets of events of
// states without a good end, each with the first state that an event led to. From two events on, all levels are looked
// at first: a run that all events together do not doom, no smaller set dooms.
func (x *ends) doomed(level int) ([]doomed, error) {
	e := x.c.e
	for last := level; x.level < last; x.level++ {
		if last > 1 {
			last = e.closed
		}
		err := x.c.w.guard(func() { x.c.all(e.layers.level(x.level + 1)) })
		if err != nil || e.stopped.Load() {
			return nil, err
		}
	}
	var out []doomed
	for _, b := range e.layers.level(level) {
		for _, id := range b.order {
			if !x.good(id) {
				out = x.enter(out, id, level)
			}
		}
	}
	if level != 2 {
		return out, nil
	}
	most := doomed{}
	for level := 2; level <= e.closed; level++ {
		for _, b := range e.layers.level(level) {
			for _, id := range b.order {
				if !x.good(id) {
					most.spent = union(most.spent, e.sys.spent(x.c.w.look(e, id)))
				}
			}
		}
	}
	_, err := x.everywhere(&most)
	return out, err
}

// union is the least set of events that holds two.
func union(a, b uint64) (out uint64) {
	for at := 0; at < 64; at += 4 {
		out |= max(a>>at&15, b>>at&15) << at
	}
	return out
}

// enter notes a state without a good end.
func (x *ends) enter(list []doomed, id uint32, level int) []doomed {
	e := x.c.e
	p := e.store.parent(id)
	byEvent := p == none
	if p != none {
		below, _ := e.layers.where(p)
		byEvent = below < level && (level == 1 || x.good(p))
	}
	if level <= 1 && !byEvent {
		return list
	}
	d := doomed{none, none, e.sys.spent(x.c.w.look(e, id)), level}
	if byEvent {
		d.id = id
	}
	at := slices.IndexFunc(list, func(o doomed) bool { return o.spent == d.spent })
	switch {
	case at < 0:
		return append(list, d)
	case list[at].id == none:
		list[at].id = d.id
	}
	return list
}

// everywhere reports whether a set of events, or a part of it, dooms some run from every initial state, and finds a
// state that the last of them led to.
func (x *ends) everywhere(d *doomed) (bool, error) {
	if slices.ContainsFunc(x.no, func(set uint64) bool { return within(d.spent, set) }) {
		return false, nil
	}
	for _, id := range slices.Sorted(maps.Keys(x.c.e.starts)) {
		if hit, err := x.dooms(id, d, false); !hit || err != nil {
			x.no = append(x.no, d.spent)
			return false, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.c.e.starts)) {
		if d.id != none {
			break
		}
		if _, err := x.dooms(id, d, true); err != nil {
			return false, err
		}
	}
	return true, nil
}

// dooms reports whether a run from an initial state has no good end after an event of a set, though it had one before;
// exactly: after all events of the set, and notes where.
func (x *ends) dooms(start uint32, d *doomed, exactly bool) (bool, error) {
	e := x.c.e
	if !x.good(start) && !exactly {
		return true, nil // whatever comes
	}
	seen := map[uint32]bool{start: true}
	for todo := []uint32{start}; len(todo) > 0; {
		id := todo[0]
		todo = todo[1:]
		if x.left--; x.left < 0 || e.late() {
			return false, nil
		}
		list, err := x.from.successors(e.state(id), false)
		if err != nil {
			return false, err
		}
		events, err := x.from.successors(e.state(id), true)
		if err != nil {
			return false, err
		}
		for _, s := range append(list, events...) {
			event := e.sys.Actors[s.Actor].Urgency() == Environment
			to := x.from.canonOf(s.To)
			if event && !within(e.sys.spent(to), d.spent) {
				continue
			}
			next := e.find(to)
			if next == none {
				continue
			}
			if level, _ := e.layers.where(next); level > x.level {
				continue // of events that the set does not distinguish
			}
			bad := x.c.barred != nil && x.c.barred(s.From, s.To, s.Actor, s.Move)
			switch dooms := event && x.good(id) && (bad || !x.good(next)); {
			case dooms && !exactly:
				return true, nil
			case dooms && e.sys.spent(to) == d.spent && !x.good(next):
				d.id, d.parent = next, id
				return true, nil
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false, nil
}

// doom gives the violation of a rule by way of a doomed state, or nil where the budget does
// not last to find how it goes on.
func (e *engine) doom(rule int, d doomed) (*Violation, error) {
	at := d.id
	if d.parent != none {
		at = d.parent
	}
	start, hops := e.stem(at)
	if d.parent != none {
		hops = append(hops, hop{key: e.state(d.id), env: true, actor: -1})
	}
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
