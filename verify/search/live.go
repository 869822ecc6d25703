package search

import (
	"bytes"
	"math"
	"slices"
)

// cycles seeks, among the states of a level, fair cycles that violate a rule and the terminal components. Persists
// looks at a separate graph, for it restricts the states; the other rules share one.
func (e *engine) cycles(level int) error {
	var shared []int
	for _, r := range e.sys.lasso {
		if e.exhausted(r, level) {
			continue // no cycle of this level is better
		}
		if e.sys.Rules[r].Persists == nil {
			shared = append(shared, r)
			continue
		}
		if err := e.analyse(level, []int{r}); err != nil {
			return err
		}
	}
	if len(shared) == 0 && !e.opt.Settled {
		return nil
	}
	return e.analyse(level, shared)
}

// analyse runs once over the states of a level.
func (e *engine) analyse(events int, rules []int) error {
	c := newComponents(e, e.levelLo)
	t := newTally(c, rules)
	if len(rules) == 1 {
		if p := e.sys.Rules[rules[0]].Persists; p != nil {
			c.keep = c.w.ruled(rules[0], p)
		}
	}
	c.cycle = func(k component) {
		if t.of = k; len(rules) > 0 {
			t.component(k)
		}
		if c.keep == nil && e.opt.Settled && k.terminal {
			e.result.Cyclic++
			e.result.Settled = append(e.result.Settled, t.least())
		}
		for i, r := range rules {
			if t.fair() && t.shows[i] {
				t.remember(i, r, events)
			}
		}
	}
	level := e.layers.level(events)
	if err := c.w.guard(func() { c.all(level) }); err != nil {
		return err
	}
	if e.stopped.Load() {
		return nil
	}
	for i, r := range rules {
		for _, k := range t.kept[i] {
			if len(k.list) == 0 {
				continue
			}
			k.sort(level)
			var f *finding
			err := c.w.guard(func() {
				if f = (&finding{steps: k.depth, loop: true}); !e.opt.sizes.screens {
					f = shortestLoop(c, r, *k)
				}
			})
			if err != nil {
				return err
			}
			if f != nil {
				f.events, f.spent = events, k.spent
				e.offer(r, *f)
			}
		}
	}
	return nil
}

// exhausted reports whether no violation of a level can be better than the known one of a rule.
func (e *engine) exhausted(rule, level int) bool {
	before := slices.DeleteFunc(slices.Clone(e.found[rule]), func(f *finding) bool { return f.events >= level })
	if len(before) == 0 {
		return false
	}
	if e.sys.Spent == nil || slices.ContainsFunc(before, func(f *finding) bool { return f.spent == 0 }) {
		return true
	}
	for _, b := range e.layers.level(level) {
		for _, id := range b.order {
			spent := e.sys.spent(e.workers[0].look(e, id))
			if !slices.ContainsFunc(before, func(f *finding) bool { return within(f.spent, spent) }) {
				return false
			}
		}
	}
	return true
}

// ruled names the rule whose predicate runs, for a panic.
func (w *worker) ruled(r int, p func([]byte) bool) func([]byte) bool {
	return func(s []byte) bool {
		w.rule = r
		ok := p(s)
		w.rule = -1
		return ok
	}
}

// tally says of one component after the other whether it is fair and which rules it
// shows violated.
type tally struct {
	c       *components
	rules   []int
	shows   []bool // of each rule: the component shows its violation
	done    []bool // of each actor: moves within it or is disabled somewhere in it
	enabled []int  // of each actor: the last member it was enabled in
	member  int
	of      component
	fires   []int      // rules that the transition being looked at shows, if it stays within
	kept    [][]*heads // of each rule, for each set of events
}

// heads are the states in which a lasso of a rule can close, at the least depth so far.
type heads struct {
	spent uint64
	depth int
	list  []head
}

type head struct{ id, num uint32 }

// sort puts the heads into the order of the search.
func (k *heads) sort(level []bucket) {
	num := map[uint32]uint32{}
	for _, h := range k.list {
		num[h.id] = h.num
	}
	k.list = k.list[:0]
	for _, b := range level {
		for _, id := range b.order {
			if n, ok := num[id]; ok && b.depth == k.depth {
				k.list = append(k.list, head{id, n})
			}
		}
	}
}

func newTally(c *components, rules []int) *tally {
	n := len(c.e.sys.Actors)
	t := &tally{c: c, rules: rules, shows: make([]bool, len(rules)), done: make([]bool, n), enabled: make([]int, n),
		kept: make([][]*heads, len(rules))}
	return t
}

// component looks at the members of a closed component, and expands them until all is
// known that can be.
func (t *tally) component(k component) {
	c := t.c
	t.of = k
	clear(t.shows)
	for a := range t.done {
		t.done[a] = c.e.sys.Actors[a].Urgency() == Environment
	}
	c.w.emit.out = t.scan
	for _, id := range k.members {
		c.e.load(c.w.from, id)
		steps := t.states()
		if t.fair() && !steps {
			if !slices.Contains(t.shows, false) {
				return
			}
			continue
		}
		t.member++
		if to, actor, ok := c.e.edges.of(id); ok && !steps {
			for i, a := range actor {
				t.enabled[a] = t.member
				t.done[a] = t.done[a] || to[i] != none && c.within(to[i], k.num)
			}
		} else {
			c.w.loops()
		}
		for a := range t.done {
			t.done[a] = t.done[a] || t.enabled[a] != t.member
		}
	}
}

// states tries the rules that look at states on the current member, and reports whether
// there is a rule on steps that is not shown yet.
func (t *tally) states() (steps bool) {
	w := t.c.w
	for i, r := range t.rules {
		rule := &w.sys.Rules[r]
		w.rule = r
		t.shows[i] = t.shows[i] || rule.Persists != nil || rule.Settles != nil && !rule.Settles(w.from)
		steps = steps || !t.shows[i] && rule.Recurs != nil
	}
	w.rule = -1
	return steps
}

func (t *tally) scan(m Move) {
	c := t.c
	w := c.w
	w.moved++
	a := w.emit.actor
	t.enabled[a] = t.member
	t.fires = t.fires[:0]
	for i, r := range t.rules {
		p := c.e.sys.Rules[r].Recurs
		if w.rule = r; p != nil && !t.shows[i] && p(w.from, w.emit.buf, a, m) {
			t.fires = append(t.fires, i)
		}
	}
	w.rule = -1
	if t.done[a] && len(t.fires) == 0 {
		return
	}
	if id := c.e.find(w.canon()); id == none || !c.within(id, t.of.num) {
		return
	}
	t.done[a] = true
	for _, i := range t.fires {
		t.shows[i] = true
	}
}

func (t *tally) fair() bool { return t.c.e.opt.sizes.screens || !slices.Contains(t.done, false) }

// least is the member that comes first in the order of bytes.
func (t *tally) least() []byte {
	var out []byte
	for _, id := range t.of.members {
		if k := t.c.w.look(t.c.e, id); out == nil || bytes.Compare(k, out) < 0 {
			out = bytes.Clone(k)
		}
	}
	return out
}

// remember keeps the shallowest members for the search of a shortest loop.
func (t *tally) remember(i, r, events int) {
	e := t.c.e
	spent := e.sys.spent(t.c.w.look(e, t.of.members[0]))
	for _, f := range e.found[r] {
		if f.events < events && within(f.spent, spent) {
			return
		}
	}
	at := slices.IndexFunc(t.kept[i], func(k *heads) bool { return k.spent == spent })
	if at < 0 {
		at = len(t.kept[i])
		t.kept[i] = append(t.kept[i], &heads{spent: spent, depth: math.MaxInt})
	}
	k := t.kept[i][at]
	for _, f := range e.found[r] {
		if f.spent == spent {
			k.depth = min(k.depth, f.steps-1) // a quiescent end no deeper is the better one
		}
	}
	for _, id := range t.of.members {
		_, depth := e.layers.where(id)
		if depth > k.depth {
			continue
		}
		if depth < k.depth {
			k.depth, k.list = depth, k.list[:0]
		}
		k.list = append(k.list, head{id, t.of.num})
	}
}
