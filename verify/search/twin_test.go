package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// node is one canonical state of an explored graph.
type node struct {
	key           []byte
	parent        int
	level, depth  int
	expanded      bool
	edges, events []arc
}

// arc is one transition; to is the raw successor, before its canonical form.
type arc struct {
	actor  int
	move   Move
	raw    []byte
	target int // -1: not explored
}

type graph struct {
	sys    *System
	opt    Options
	ctx    context.Context
	emit   *Emit
	nodes  []node
	index  map[string]int
	starts [][]byte // the concrete start of each initial node
	trans  uint64
	bound  Bound
	begin  time.Time
	events int
	depth  int
}

// twinRun is [Run] by the plainest means: every edge is stored.
func twinRun(ctx context.Context, sys System, opt Options) (*Result, error) {
	if _, err := compile(sys, &opt); err != nil {
		return nil, err
	}
	g := &graph{sys: &sys, opt: opt, ctx: ctx, emit: twinEmit(&sys), index: map[string]int{}, begin: time.Now()}
	return g.run()
}

func twinEmit(sys *System) *Emit {
	e := &Emit{buf: make([]byte, sys.Width)}
	if sys.Local != nil {
		e.Local = sys.Local()
	}
	return e
}

func (g *graph) run() (res *Result, err error) {
	g.emit.actor = -1
	defer func() {
		if r := recover(); r != nil {
			if g.emit.actor < 0 {
				res, err = nil, fmt.Errorf("%w: a rule or the canonical form panics: %v", ErrSystem, r)
				return
			}
			res, err = nil, actorError(g.sys, g.emit.actor, r)
		}
	}()
	g.explore()
	res = &Result{Bound: g.bound, States: uint64(len(g.nodes)), Transitions: g.trans, Events: g.events, Depth: g.depth}
	for i := range g.nodes {
		if g.quiescent(i) {
			res.Quiescent++
		}
	}
	for i := range g.sys.Rules {
		if v := g.check(i); v != nil {
			res.Violations = append(res.Violations, *v)
		}
	}
	if g.opt.Settled {
		g.settled(res)
	}
	return res, nil
}

func (g *graph) canon(s []byte) []byte {
	c := bytes.Clone(s)
	if g.sys.Canon != nil {
		g.sys.Canon(c)
	}
	return c
}

// successors of s, urgency respected: through the loops, or through the environment.
func (g *graph) successors(s []byte, environment bool) []arc {
	var out []arc
	g.emit.out = func(m Move) {
		out = append(out, arc{actor: g.emit.actor, move: m, raw: bytes.Clone(g.emit.buf), target: -1})
	}
	for _, u := range []Urgency{Prompt, Patient, Environment} {
		if (u == Environment) != environment {
			continue
		}
		if len(out) > 0 {
			break
		}
		for i, a := range g.sys.Actors {
			if a.Urgency() == u {
				g.emit.actor, g.emit.fresh = i, false
				a.Step(bytes.Clone(s), g.emit)
			}
		}
	}
	g.emit.actor = -1
	return out
}

func (g *graph) add(key []byte, parent, level, depth int) (int, bool) {
	if i, ok := g.index[string(key)]; ok {
		return i, false
	}
	i := len(g.nodes)
	g.index[string(key)] = i
	g.nodes = append(g.nodes, node{key: key, parent: parent, level: level, depth: depth})
	g.events, g.depth = max(g.events, level), max(g.depth, depth)
	return i, true
}

func (g *graph) over() bool {
	switch {
	case g.opt.MaxStates > 0 && uint64(len(g.nodes)) >= g.opt.MaxStates:
		g.bound = StateBound
	case g.opt.MaxBytes > 0 && uint64(len(g.nodes)*(2*g.sys.Width+200))+g.trans*uint64(g.sys.Width+48) > g.opt.MaxBytes:
		g.bound = MemoryBound
	case g.ctx.Err() != nil:
		g.bound = Cancelled
	case g.opt.MaxTime > 0 && time.Since(g.begin) > g.opt.MaxTime:
		g.bound = TimeBound
	}
	return g.bound != 0
}

func (g *graph) explore() {
	var layer []int
	for _, s := range g.sys.Initial {
		i, fresh := g.add(g.canon(s), -1, 0, 0)
		if fresh {
			g.starts = append(g.starts, s)
			layer = append(layer, i)
		}
	}
	last := time.Now()
	first := 0 // first node of the level
	for level := 0; ; level++ {
		seeds := map[int][]int{} // depth: nodes of the last level whose events lead there
		if level > 0 {
			end := len(g.nodes)
			for i := first; i < end; i++ {
				if g.nodes[i].level == level-1 {
					seeds[g.nodes[i].depth+1] = append(seeds[g.nodes[i].depth+1], i)
				}
			}
			first = end
		}
		for depth := 0; len(layer) > 0 || len(seeds) > 0; depth++ {
			// layer holds the nodes of (level, depth-1); see what they lead to
			var next []int
			if level == 0 && depth == 0 {
				continue
			}
			for _, i := range layer {
				if g.over() {
					return
				}
				if g.opt.Progress != nil && time.Since(last) > 100*time.Millisecond {
					last = time.Now()
					g.opt.Progress(Progress{States: uint64(len(g.nodes)), Transitions: g.trans, Events: level, Depth: depth - 1, Elapsed: time.Since(g.begin)})
				}
				arcs := g.successors(g.nodes[i].key, false)
				g.trans += uint64(len(arcs))
				for k := range arcs {
					t, fresh := g.add(g.canon(arcs[k].raw), i, level, depth)
					arcs[k].target = t
					if fresh {
						next = append(next, t)
					}
				}
				g.nodes[i].expanded, g.nodes[i].edges = true, arcs
			}
			for _, i := range seeds[depth] {
				if g.over() {
					return
				}
				arcs := g.successors(g.nodes[i].key, true)
				g.trans += uint64(len(arcs))
				for k := range arcs {
					t, fresh := g.add(g.canon(arcs[k].raw), i, level, depth)
					arcs[k].target = t
					if fresh {
						next = append(next, t)
					}
				}
				g.nodes[i].events = arcs
			}
			delete(seeds, depth)
			layer = next
			if g.opt.StopAtFirst && g.stop() {
				g.bound = FirstFound
				return
			}
		}
		if first == len(g.nodes) || level == g.opt.MaxEvents {
			break
		}
	}
	g.bound = Complete
}

// stop reports whether StopAtFirst ends the search after a layer.
func (g *graph) stop() bool {
	for i, r := range g.sys.Rules {
		if r.Persists != nil || r.Settles != nil || r.Recurs != nil {
			return false
		}
		if g.witness(i) != nil {
			return true
		}
	}
	return false
}

var errNotFound = errors.New("search: a path cannot be followed: an actor is not deterministic or the canonical form is no symmetry")

// follow re-executes hops from a concrete start, first successor first.
func (g *graph) follow(start []byte, hops []hop) []Step {
	var steps []Step
	at := start
next:
	for _, h := range hops {
		for _, a := range g.successors(at, h.env) {
			if h.actor >= 0 && h.actor != a.actor || h.key != nil && !bytes.Equal(g.canon(a.raw), h.key) {
				continue
			}
			if h.want != nil && !h.want(at, a.raw, a.actor, a.move) {
				continue
			}
			steps = append(steps, Step{Actor: a.actor, Move: a.move, From: at, To: a.raw})
			at = a.raw
			continue next
		}
		panic(errNotFound)
	}
	return steps
}

// stem gives the hops from the start to node i.
func (g *graph) stem(i int) (start []byte, hops []hop) {
	for ; g.nodes[i].parent >= 0; i = g.nodes[i].parent {
		p := g.nodes[i].parent
		hops = append(hops, hop{key: g.nodes[i].key, env: g.nodes[i].level > g.nodes[p].level, actor: -1})
	}
	slices.Reverse(hops)
	return bytes.Clone(g.starts[i]), hops
}
