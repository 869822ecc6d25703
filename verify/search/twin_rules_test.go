package search

import (
	"bytes"
	"slices"
)

// found is a counterexample as nodes and hops.
type found struct {
	at     int   // last node of the stem
	tail   []hop // steps after the stem: one bad step, or the loop
	loop   bool
	events int
	steps  int // of the stem
	cycle  int
}

func (f *found) before(g *found) bool {
	if g == nil {
		return true
	}
	if f.events != g.events {
		return f.events < g.events
	}
	if f.steps != g.steps {
		return f.steps < g.steps
	}
	return f.cycle < g.cycle
}

func (g *graph) quiescent(i int) bool { return g.nodes[i].expanded && len(g.nodes[i].edges) == 0 }

// witness finds the first counterexample of rule r.
func (g *graph) witness(r int) *found {
	rule := &g.sys.Rules[r]
	var best *found
	offer := func(f found) {
		if f.before(best) {
			best = &f
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		end := found{at: i, events: n.level, steps: n.depth}
		switch {
		case rule.Bad != nil && rule.Bad(n.key):
			offer(end)
		case rule.BadStep != nil:
			for _, list := range [][]arc{n.edges, n.events} {
				for _, a := range list {
					if !rule.BadStep(n.key, a.raw, a.actor, a.move) {
						continue
					}
					env := g.sys.Actors[a.actor].Urgency() == Environment
					f := found{at: i, tail: []hop{{key: g.nodes[a.target].key, env: env, actor: -1, want: rule.BadStep}}, events: n.level, steps: n.depth + 1}
					if env {
						f.events++
					}
					offer(f)
				}
			}
		case g.quiescent(i):
			if rule.Quiescent != nil && rule.Quiescent(n.key) || rule.Persists != nil && rule.Persists(n.key) ||
				rule.Settles != nil && !rule.Settles(n.key) {
				offer(end)
			}
		}
	}
	var keep func(int) bool
	switch {
	case rule.Persists != nil:
		keep = func(i int) bool { return rule.Persists(g.nodes[i].key) }
	case rule.Settles != nil, rule.Recurs != nil:
		keep = func(int) bool { return true }
	default:
		return best
	}
	for _, c := range g.components(keep) {
		if !g.fair(c) || !g.violates(rule, c) {
			continue
		}
		for _, i := range c {
			f := found{at: i, loop: true, events: g.nodes[i].level, steps: g.nodes[i].depth}
			if best != nil && !f.before(best) {
				continue
			}
			f.tail = g.loop(rule, c, i)
			f.cycle = len(f.tail)
			offer(f)
		}
	}
	return best
}

// components gives the strongly connected components, with at least one edge, of the
// graph of kept nodes and loop transitions (Tarjan).
func (g *graph) components(keep func(int) bool) [][]int {
	order, low := make([]int, len(g.nodes)), make([]int, len(g.nodes))
	on := make([]bool, len(g.nodes))
	var stack []int
	var out [][]int
	count := 0
	type frame struct{ node, arc int }
	for root := range g.nodes {
		if order[root] > 0 || !keep(root) {
			continue
		}
		frames := []frame{{node: root}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.node
			if f.arc == 0 {
				count++
				order[v], low[v] = count, count
				stack, on[v] = append(stack, v), true
			} else {
				low[v] = min(low[v], low[g.nodes[v].edges[f.arc-1].target])
			}
			descend := false
			for f.arc < len(g.nodes[v].edges) {
				t := g.nodes[v].edges[f.arc].target
				f.arc++
				if t < 0 || !keep(t) {
					continue
				}
				if order[t] == 0 {
					frames = append(frames, frame{node: t})
					descend = true
					break
				}
				if on[t] {
					low[v] = min(low[v], order[t])
				}
			}
			if descend {
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := &frames[len(frames)-1]
				low[p.node] = min(low[p.node], low[v])
			}
			if low[v] == order[v] {
				at := slices.Index(stack, v)
				c := slices.Clone(stack[at:])
				for _, i := range c {
					on[i] = false
				}
				stack = stack[:at]
				slices.Sort(c)
				if len(g.inner(c)) > 0 {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

type innerArc struct {
	from int
	arc
}

func (g *graph) inner(c []int) []innerArc {
	var out []innerArc
	for _, i := range c {
		for _, a := range g.nodes[i].edges {
			if _, ok := slices.BinarySearch(c, a.target); ok {
				out = append(out, innerArc{i, a})
			}
		}
	}
	return out
}

// idle gives the actors that fairness asks nothing of at node i: those not enabled.
func (g *graph) idle(i int) []bool {
	out := make([]bool, len(g.sys.Actors))
	for a := range out {
		out[a] = true
	}
	for _, a := range g.nodes[i].edges {
		out[a.actor] = false
	}
	return out
}

func (g *graph) fair(c []int) bool {
	ok := make([]bool, len(g.sys.Actors))
	for _, i := range c {
		for a, idle := range g.idle(i) {
			ok[a] = ok[a] || idle
		}
	}
	for _, a := range g.inner(c) {
		ok[a.actor] = true
	}
	return !slices.Contains(ok, false)
}

func (g *graph) violates(rule *Rule, c []int) bool {
	switch {
	case rule.Persists != nil:
		return !slices.ContainsFunc(c, func(i int) bool { return !rule.Persists(g.nodes[i].key) })
	case rule.Settles != nil:
		return slices.ContainsFunc(c, func(i int) bool { return !rule.Settles(g.nodes[i].key) })
	case rule.Recurs != nil:
		return slices.ContainsFunc(g.inner(c), func(a innerArc) bool {
			return rule.Recurs(g.nodes[a.from].key, a.raw, a.actor, a.move)
		})
	}
	return false
}

// loop finds a shortest closed walk in c from node v that is fair and shows the
// violation: breadth-first over (node, what is still owed).
func (g *graph) loop(rule *Rule, c []int, v int) []hop {
	type key struct {
		node int
		owed string
	}
	type step struct {
		from key
		arc  arc
		want bool
	}
	pay := func(owed []byte, i int) {
		for a, idle := range g.idle(i) {
			if idle {
				owed[a] = 0
			}
		}
		if rule.Settles != nil && !rule.Settles(g.nodes[i].key) || rule.Persists != nil {
			owed[len(owed)-1] = 0
		}
	}
	first := bytes.Repeat([]byte{1}, len(g.sys.Actors)+1)
	pay(first, v)
	start := key{v, string(first)}
	seen := map[key]step{}
	queue := []key{start}
	none := string(make([]byte, len(first)))
	for {
		k := queue[0]
		queue = queue[1:]
		for _, a := range g.nodes[k.node].edges {
			if _, ok := slices.BinarySearch(c, a.target); !ok {
				continue
			}
			owed := []byte(k.owed)
			owed[a.actor] = 0
			want := rule.Recurs != nil && rule.Recurs(g.nodes[k.node].key, a.raw, a.actor, a.move)
			if want {
				owed[len(owed)-1] = 0
			}
			pay(owed, a.target)
			t := key{a.target, string(owed)}
			if _, ok := seen[t]; ok {
				continue
			}
			seen[t] = step{k, a, want}
			queue = append(queue, t)
			if t.node != v || t.owed != none {
				continue
			}
			var hops []hop
			for {
				s := seen[t]
				h := hop{key: g.nodes[s.arc.target].key, actor: s.arc.actor}
				if s.want {
					h.want = rule.Recurs
				}
				hops = append(hops, h)
				if t = s.from; t == start {
					break
				}
			}
			slices.Reverse(hops)
			return hops
		}
	}
}

func (g *graph) check(r int) *Violation {
	f := g.witness(r)
	if f == nil {
		return nil
	}
	start, hops := g.stem(f.at)
	n := len(hops)
	steps := g.follow(start, append(hops, f.tail...))
	v := &Violation{Rule: r, Start: start, Steps: steps, CycleStart: -1, Events: f.events}
	if f.loop {
		v.CycleStart = n
	}
	from, last := start, -1
	for k, s := range steps {
		if g.sys.Actors[s.Actor].Urgency() == Environment {
			from, last = s.To, k
		}
	}
	if g.sys.Rules[r].BadStep != nil && last == len(steps)-1 {
		v.Inevitable = true // the event is the bad step
		return v
	}
	v.Inevitable = g.inevitable(&g.sys.Rules[r], g.index[string(g.canon(from))])
	return v
}

// inevitable says that no good end is reachable from node x without events.
func (g *graph) inevitable(rule *Rule, x int) bool {
	reach := map[int]bool{}
	todo := []int{x}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &g.nodes[i]
		if reach[i] || rule.Bad != nil && rule.Bad(n.key) {
			continue
		}
		if !n.expanded {
			return false
		}
		reach[i] = true
		if g.quiescent(i) {
			if !(rule.Quiescent != nil && rule.Quiescent(n.key) || rule.Persists != nil && rule.Persists(n.key) ||
				rule.Settles != nil && !rule.Settles(n.key)) {
				return false
			}
		}
		for _, a := range n.edges {
			if rule.BadStep != nil && rule.BadStep(n.key, a.raw, a.actor, a.move) {
				continue
			}
			todo = append(todo, a.target)
		}
	}
	for _, c := range g.components(func(i int) bool { return reach[i] }) {
		if !g.terminal(c) {
			continue
		}
		good := true
		switch {
		case rule.BadStep != nil:
			for _, a := range g.inner(c) {
				good = good && !rule.BadStep(g.nodes[a.from].key, a.raw, a.actor, a.move)
			}
		case rule.Persists != nil, rule.Settles != nil, rule.Recurs != nil:
			good = !g.violates(rule, c)
		}
		if good {
			return false
		}
	}
	return true
}

func (g *graph) terminal(c []int) bool {
	for _, i := range c {
		for _, a := range g.nodes[i].edges {
			if _, ok := slices.BinarySearch(c, a.target); !ok {
				return false
			}
		}
		if !g.nodes[i].expanded {
			return false
		}
	}
	return true
}

func (g *graph) settled(res *Result) {
	for i := range g.nodes {
		if g.quiescent(i) {
			res.Settled = append(res.Settled, bytes.Clone(g.nodes[i].key))
		}
	}
	for _, c := range g.components(func(int) bool { return true }) {
		if !g.terminal(c) {
			continue
		}
		least := g.nodes[c[0]].key
		for _, i := range c {
			if bytes.Compare(g.nodes[i].key, least) < 0 {
				least = g.nodes[i].key
			}
		}
		res.Cyclic++
		res.Settled = append(res.Settled, bytes.Clone(least))
	}
	slices.SortFunc(res.Settled, bytes.Compare)
}
