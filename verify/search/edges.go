package search

// edges are the loop transitions that the search saw, kept for the search for cycles: 6
// bytes each, and 14 a state. Expanding a state again can cost a thousand times what
// reading its edges does. They are the first thing to go when memory runs short; states
// without edges are expanded again.
type edges struct {
	blocks []edgeBlock
	refs   [shards][]edgeRef
	size   uint64 // bytes
}

// edgeBlock holds, state by state, the number of edges and then the edges.
type edgeBlock struct {
	to    []uint32 // none: to a state that was left out
	actor []uint16
}

// edgeRef is where the edges of a state begin; block counts from 1.
type edgeRef struct{ block, start uint32 }

const maxEdgeActors = 1 << 16

// of gives the edges of a state in the order of its successors, where they are kept.
func (g *edges) of(id uint32) (to []uint32, actor []uint16, ok bool) {
	if g == nil {
		return nil, nil, false
	}
	list, local := g.refs[shardOf(id)], localOf(id)
	if int(local) >= len(list) || list[local].block == 0 {
		return nil, nil, false
	}
	r := list[local]
	b := &g.blocks[r.block-1]
	from, n := r.start+1, b.to[r.start]
	return b.to[from : from+n], b.actor[from : from+n], true
}

// add keeps the edges of a block of states; targets are those of all successors in order.
func (g *edges) add(states int, used []batch, targets []uint32) {
	size := len(targets) + states
	b := edgeBlock{to: make([]uint32, 0, size), actor: make([]uint16, 0, size)}
	for i := range used {
		t := &used[i]
		actors := t.actors
		for k, id := range t.part {
			n := uint32(t.transitions)
			if k+1 < len(t.starts) {
				n = t.starts[k+1]
			}
			n -= t.starts[k]
			g.refer(id, edgeRef{uint32(len(g.blocks) + 1), uint32(len(b.to))})
			b.to, b.actor = append(b.to, n), append(b.actor, 0)
			b.to, b.actor = append(b.to, targets[:n]...), append(b.actor, actors[:n]...)
			targets, actors = targets[n:], actors[n:]
		}
	}
	g.blocks = append(g.blocks, b)
	g.size += uint64(cap(b.to))*6 + 48
}

func (g *edges) refer(id uint32, r edgeRef) {
	s, local := shardOf(id), int(localOf(id))
	for len(g.refs[s]) <= local {
		before := cap(g.refs[s])
		g.refs[s] = append(g.refs[s], edgeRef{})
		g.size += uint64(cap(g.refs[s])-before) * 8
	}
	g.refs[s][local] = r
}

func (g *edges) bytes() uint64 {
	if g == nil {
		return 0
	}
	return g.size
}
