package search

// components finds the strongly connected components of the loop transitions between
// the states of a range of the store, in the order Tarjan's algorithm closes them
// (Pearce's formulation: one number a state).
//
// A state whose edges are not kept is expanded when it is entered and again after each
// descent, from the successor it had come to: at most two expansions a state. Memory: 5
// bytes a state of the range, 12 bytes a state of the longest path and 4 bytes a state
// of the open components, which the budget reserves (see analysisBytes).
type components struct {
	e    *engine
	w    *worker
	lo   [shards]uint32 // first state of the range in each shard
	off  [shards]uint32 // its dense number
	size uint32

	// keep restricts the graph to states; barred takes transitions out. nil: none.
	keep   func(s []byte) bool
	barred func(from, to []byte, actor int, m Move) bool
	// quiet is called for every quiescent state; cycle for every component with a cycle. Either may set done.
	quiet func(id uint32)
	cycle func(component)
	done  bool
	// good, where it is not nil, takes for every state whether a good end can be reached from
	// it: quiet sets frame.good of the state on top, and cycle sets endsWell.
	good     []bool
	endsWell bool

	kept   []uint8  // the answer of keep for a state: 1 yes, 2 no, 0 not asked
	rindex []uint32 // 0 new; below next: on the stack; above num: closed
	stack  []uint32
	frames []frame
	next   uint32
	num    uint32

	// of the expansion that is running
	top   *frame
	child uint32
	steps int
}

type frame struct {
	id     uint32
	next   uint32 // first successor not looked at yet
	inner  bool   // not the first state of its component
	self   bool   // has a transition to itself
	leaves bool   // a transition leaves the component, here or below in it
	good   bool   // a good end can be reached, as far as is known
}

// component is one that has a cycle. Its members are valid until the next one.
type component struct {
	members  []uint32
	num      uint32 // their number in rindex
	terminal bool   // no loop transition leaves it, not even to a state left out
}

// analysisBytes is the memory that components may take for each state of its range.
const analysisBytes = 24

func newComponents(e *engine, lo [shards]uint32) *components {
	c := &components{e: e, w: newWorker(e.sys), lo: lo, next: 1, num: none - 1}
	hi := e.store.sizes()
	for i := range lo {
		c.off[i] = c.size
		c.size += hi[i] - lo[i]
	}
	c.rindex = make([]uint32, c.size)
	return c
}

// dense numbers the states of the range from 0.
func (c *components) dense(id uint32) (uint32, bool) {
	s, local := shardOf(id), localOf(id)
	return c.off[s] + local - c.lo[s], local >= c.lo[s]
}

// all visits every state of some buckets, in the order of the search.
func (c *components) all(buckets []bucket) {
	for _, b := range buckets {
		for _, id := range b.order {
			if d, _ := c.dense(id); c.rindex[d] == 0 && !c.done {
				c.visit(id)
			}
		}
	}
}

// visit runs from one root.
func (c *components) visit(root uint32) {
	if !c.keeps(root) {
		return
	}
	c.enter(root)
	for len(c.frames) > 0 && !c.done {
		if c.steps++; c.steps&1023 == 0 && c.e.late() {
			c.done = true
			return
		}
		f := &c.frames[len(c.frames)-1]
		if f.next != none && c.advance(f) {
			c.enter(c.child)
			continue
		}
		c.leave()
	}
}

func (c *components) enter(id uint32) {
	d, _ := c.dense(id)
	c.rindex[d] = c.next
	c.next++
	c.frames = append(c.frames, frame{id: id})
}

// advance looks at the successors of a state from the first one not looked at yet; it
// reports whether it stopped at one that is new, the child.
func (c *components) advance(f *frame) bool {
	first := f.next == 0
	c.top, c.child = f, none
	if to, _, ok := c.e.edges.of(f.id); ok && c.barred == nil {
		if len(to) == 0 && c.quiet != nil {
			c.quiet(f.id)
		}
		for at := f.next; int(at) < len(to) && c.child == none; at++ {
			c.look(to[at], at)
		}
		if c.child == none {
			f.next = none
		}
		return c.child != none
	}
	c.e.load(c.w.from, f.id)
	c.w.emit.out = c.scan
	c.w.loops()
	if first && c.w.moved == 0 && c.quiet != nil {
		c.quiet(f.id)
	}
	if c.child == none {
		f.next = none
		return false
	}
	return true
}

func (c *components) scan(m Move) {
	at := uint32(c.w.moved)
	c.w.moved++
	if at < c.top.next || c.child != none {
		return
	}
	w := c.w
	id := none
	if c.barred == nil || !c.barred(w.from, w.emit.buf, w.emit.actor, m) {
		id = c.e.find(w.canon())
	}
	c.look(id, at)
}

// look takes in one transition of the state on top, its successor number at, to id.
func (c *components) look(id, at uint32) {
	var r, d uint32
	in := id != none
	if in {
		if d, in = c.dense(id); in {
			r = c.rindex[d]
		}
	}
	switch {
	case !in || r > c.num || r == 0 && !c.keeps(id):
		c.top.leaves = true
		if c.good != nil && in && c.good[d] {
			c.top.good = true
		}
	case id == c.top.id:
		c.top.self = true
	case r == 0:
		c.child, c.top.next = id, at+1
	default:
		c.lower(c.top, r)
	}
}

// keeps reports whether a state is one of the restricted graph.
func (c *components) keeps(id uint32) bool {
	if c.keep == nil {
		return true
	}
	if c.kept == nil {
		c.kept = make([]uint8, c.size)
	}
	d, _ := c.dense(id)
	if c.kept[d] == 0 {
		c.kept[d] = 2
		if c.keep(c.w.look(c.e, id)) {
			c.kept[d] = 1
		}
	}
	return c.kept[d] == 1
}

func (c *components) lower(f *frame, r uint32) {
	if d, _ := c.dense(f.id); r < c.rindex[d] {
		c.rindex[d], f.inner = r, true
	}
}

// leave closes the state on top and, if it is the first of its component, that.
func (c *components) leave() {
	f := c.frames[len(c.frames)-1]
	c.frames = c.frames[:len(c.frames)-1]
	c.stack = append(c.stack, f.id)
	if f.inner {
		up, d := &c.frames[len(c.frames)-1], uint32(0)
		d, _ = c.dense(f.id)
		c.lower(up, c.rindex[d])
		up.leaves, up.good = up.leaves || f.leaves, up.good || f.good
		return
	}
	good := c.close(f)
	if len(c.frames) > 0 {
		up := &c.frames[len(c.frames)-1]
		up.leaves, up.good = true, up.good || good
	}
}

// close numbers the component whose first state is f: all that was closed since. It reports whether a good end can be
// reached from it.
func (c *components) close(f frame) bool {
	d, _ := c.dense(f.id)
	r := c.rindex[d]
	at := len(c.stack) - 1
	for at > 0 {
		if d, _ := c.dense(c.stack[at-1]); c.rindex[d] < r {
			break
		}
		at--
	}
	members := c.stack[at:]
	for _, id := range members {
		d, _ := c.dense(id)
		c.rindex[d] = c.num
	}
	c.next -= uint32(len(members))
	num := c.num
	c.num--
	c.endsWell = false
	if (len(members) > 1 || f.self) && c.cycle != nil {
		c.cycle(component{members, num, !f.leaves})
	}
	good := f.good || c.endsWell
	if c.good != nil && good {
		for _, id := range members {
			d, _ := c.dense(id)
			c.good[d] = true
		}
	}
	c.stack = c.stack[:at]
	return good
}

// within reports whether a state belongs to the closed component num.
func (c *components) within(id, num uint32) bool {
	d, in := c.dense(id)
	return in && c.rindex[d] == num
}
