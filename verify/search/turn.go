package search

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Turn is what decides a counterexample.
type Turn struct {
	// Step is the index of the decisive step: from the state before it some run with the same events keeps the rule,
	// from the state after it none does. -1: no order of the steps keeps it. It is of no matter while Undecided.
	Step int
	// Lucky is a shortest run with the same events that keeps the rule, from the state before Step on.
	Lucky []Step
	// Ends says that Lucky comes to rest; else it comes to states that it never leaves, in which the rule is kept.
	Ends bool
	// Undecided says that the budget did not last to tell.
	Undecided bool
}

// TurnOptions bound the search for a [Turn].
type TurnOptions struct {
	MaxStates int           // pairs of a state and the events that are left
	MaxTime   time.Duration // 0: no bound
	// Label tells the events of one actor apart: two of one actor and label are the same event. nil: their moves' kinds
	// do.
	Label func(Step) uint16
}

// FindTurn looks for the decisive step of a violation: it goes back along its steps and searches, from each state, all
// runs with the events that are still to come, for one that ends well. States from which there is none are known to
// have none from then on, so that each is looked at once except for those of the run that is found.
//
// Errors: as [Run].
func FindTurn(ctx context.Context, sys System, v Violation, opt TurnOptions) (Turn, error) {
	sys.Ample, sys.Measure = nil, nil
	c, err := compile(sys, &Options{MaxEvents: -1})
	if err != nil {
		return Turn{}, err
	}
	t := &turning{compiled: c, w: newWorker(c), rule: v.Rule, opt: opt, hopeless: map[string]bool{}}
	begin := time.Now()
	t.late = func() bool { return ctx.Err() != nil || opt.MaxTime > 0 && time.Since(begin) > opt.MaxTime }
	left := t.eventsOf(v.Steps)
	for i := len(v.Steps); i >= 0; i-- {
		at := v.Start
		if i > 0 {
			at = v.Steps[i-1].To
		}
		if t.broken(v, i) {
			continue // the rule is broken already
		}
		out, err := t.from(at, left[i])
		switch {
		case err != nil:
			return Turn{}, err
		case out == nil && t.spent:
			return Turn{Undecided: true}, nil
		case out == nil:
			continue
		case i == len(v.Steps): // a loop that chance may leave at any time: no step of it decides
			return Turn{Undecided: true}, nil
		}
		out.Step = i
		return *out, nil
	}
	return Turn{Step: -1}, nil
}

// turning is the memory of such a search.
type turning struct {
	*compiled
	w        *worker
	rule     int
	opt      TurnOptions
	late     func() bool
	hopeless map[string]bool // keys of nodes that reach no good end
	looked   int
	spent    bool // the budget

	nodes []turnNode
	index map[string]int
}

// turnNode is a state with the events that are left, as one run has reached it.
type turnNode struct {
	state  []byte
	left   []Move // events still to come: kind, and the actor in Args[0]
	from   int    // the node before, or -1
	step   Step
	edges  []int
	quiet  bool
	leaves bool // for what breaks the rule, or has no good end
	recurs []bool
}

// eventsOf gives, for each place on a path, the events that are still to come there.
func (t *turning) eventsOf(steps []Step) [][]Move {
	out := make([][]Move, len(steps)+1)
	for i := len(steps) - 1; i >= 0; i-- {
		out[i] = out[i+1]
		if a := steps[i].Actor; t.Actors[a].Urgency() == Environment {
			out[i] = append([]Move{t.event(steps[i])}, out[i+1]...)
		}
	}
	return out
}

// event identifies an event.
func (t *turning) event(s Step) Move {
	label := s.Move.Kind
	if t.opt.Label != nil {
		label = t.opt.Label(s)
	}
	return Move{Kind: label, Args: [3]int32{int32(s.Actor)}}
}

// broken reports whether the rule, one on states or steps, is broken on the first steps of a path.
func (t *turning) broken(v Violation, steps int) bool {
	r := &t.Rules[t.rule]
	if r.Bad == nil && r.BadStep == nil {
		return false
	}
	if r.Bad != nil && r.Bad(v.Start) {
		return true
	}
	return slices.ContainsFunc(v.Steps[:steps], t.breaks)
}

// breaks reports whether a step breaks a rule on states or steps.
func (t *turning) breaks(s Step) bool {
	r := &t.Rules[t.rule]
	return r.Bad != nil && r.Bad(s.To) || r.BadStep != nil && r.BadStep(s.From, s.To, s.Actor, s.Move)
}

func (t *turning) key(s []byte, left []Move) string {
	b := t.w.canonOf(s)
	for _, m := range left {
		b = append(b, byte(m.Kind), byte(m.Kind>>8), byte(m.Args[0]), byte(m.Args[0]>>8))
	}
	return string(b)
}

// reach adds a node, unless it is known, and gives its index; -1 where nothing good comes of it.
func (t *turning) reach(s []byte, left []Move, from int, step Step) int {
	k := t.key(s, left)
	if t.hopeless[k] {
		return -1
	}
	if i, known := t.index[k]; known {
		return i
	}
	t.index[k] = len(t.nodes)
	t.nodes = append(t.nodes, turnNode{state: s, left: left, from: from, step: step})
	return len(t.nodes) - 1
}

// from searches for a good end from a state; nil where there is none, or where the budget is spent.
func (t *turning) from(at []byte, left []Move) (*Turn, error) {
	t.nodes, t.index = nil, map[string]int{}
	if t.reach(at, left, -1, Step{}) < 0 {
		return nil, nil
	}
	for i := 0; i < len(t.nodes); i++ {
		if t.looked++; t.looked > t.opt.MaxStates || i&63 == 63 && t.late() {
			t.spent = true
			return nil, nil
		}
		if err := t.expand(i); err != nil {
			return nil, err
		}
		if n := &t.nodes[i]; n.quiet && len(n.left) == 0 && !t.Rules[t.rule].badEnd(n.state) {
			return &Turn{Lucky: t.pathTo(i), Ends: true}, nil
		}
	}
	if i := t.goodCycle(); i >= 0 {
		return &Turn{Lucky: t.pathTo(i)}, nil
	}
	for k := range t.index {
		t.hopeless[k] = true
	}
	return nil, nil
}

// expand finds what follows a node.
func (t *turning) expand(i int) error {
	n := t.nodes[i]
	loops, err := t.w.successors(n.state, false)
	if err != nil {
		return err
	}
	n.quiet = len(loops) == 0
	steps := loops
	if len(n.left) > 0 {
		events, err := t.w.successors(n.state, true)
		if err != nil {
			return err
		}
		steps = append(steps, events...)
	}
	for k, s := range steps {
		left := n.left
		if k >= len(loops) {
			e := slices.Index(left, t.event(s))
			if e < 0 {
				continue
			}
			left = slices.Delete(slices.Clone(left), e, e+1)
		}
		if t.breaks(s) {
			n.leaves = true // it is left by what breaks the rule: no end to stay in
			continue
		}
		to := t.reach(s.To, left, i, s)
		if to < 0 {
			n.leaves = true
			continue
		}
		n.edges = append(n.edges, to)
		r := t.Rules[t.rule].Recurs
		n.recurs = append(n.recurs, r != nil && r(s.From, s.To, s.Actor, s.Move))
	}
	t.nodes[i] = n
	return nil
}

// pathTo gives the steps of the run that has reached a node first.
func (t *turning) pathTo(i int) []Step {
	var out []Step
	for ; t.nodes[i].from >= 0; i = t.nodes[i].from {
		out = append(out, t.nodes[i].step)
	}
	slices.Reverse(out)
	return out
}

// goodCycle is a node of a component without events left and without a way out, in which the rule is kept; -1: none.
func (t *turning) goodCycle() int {
	component := t.components()
	bad, first := map[int]bool{}, map[int]int{}
	var order []int
	r := &t.Rules[t.rule]
	staying := map[int]bool{}
	for i := range t.nodes {
		n, k := &t.nodes[i], component[i]
		if _, known := first[k]; !known {
			first[k], staying[k] = i, true
			order = append(order, k)
		}
		if n.quiet || len(n.left) > 0 || n.leaves {
			bad[k] = true
		}
		if r.Settles != nil && !r.Settles(n.state) {
			bad[k] = true
		}
		staying[k] = staying[k] && (r.Persists == nil || r.Persists(n.state))
		for e, to := range n.edges {
			if component[to] != k || n.recurs[e] {
				bad[k] = true
			}
		}
	}
	for _, k := range order {
		if !bad[k] && (r.Persists == nil || !staying[k]) {
			return first[k]
		}
	}
	return -1
}

// components numbers the strongly connected components of the nodes (R. Tarjan, 1972, without recursion).
func (t *turning) components() []int {
	n := len(t.nodes)
	num, low, comp := make([]int, n), make([]int, n), make([]int, n)
	for i := range comp {
		comp[i] = -1
	}
	var stack []int
	type frame struct{ node, edge int }
	next, count := 1, 0
	for root := range n {
		if num[root] > 0 {
			continue
		}
		work := []frame{{root, 0}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			if f.edge == 0 {
				num[f.node], low[f.node] = next, next
				next++
				stack = append(stack, f.node)
			}
			if f.edge < len(t.nodes[f.node].edges) {
				to := t.nodes[f.node].edges[f.edge]
				f.edge++
				switch {
				case num[to] == 0:
					work = append(work, frame{to, 0})
				case comp[to] < 0:
					low[f.node] = min(low[f.node], num[to])
				}
				continue
			}
			done := *f
			work = work[:len(work)-1]
			if low[done.node] == num[done.node] {
				for {
					x := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[x] = count
					if x == done.node {
						break
					}
				}
				count++
			}
			if len(work) > 0 {
				p := work[len(work)-1].node
				low[p] = min(low[p], low[done.node])
			}
		}
	}
	return comp
}

// ConfirmTurn reports whether a turn is one of a violation: the lucky run starts before the decisive step, can be
// taken, has the events that are still to come, breaks nothing on the way, and ends well if it comes to rest.
func ConfirmTurn(sys System, v Violation, t Turn) bool {
	if t.Undecided || t.Step < 0 {
		return true
	}
	sys.Ample, sys.Measure = nil, nil
	c, err := compile(sys, &Options{MaxEvents: -1})
	if err != nil {
		return false
	}
	x := &turning{compiled: c, w: newWorker(c), rule: v.Rule}
	start := v.Steps[t.Step].From
	if x.w.replay(start, t.Lucky) != nil || slices.ContainsFunc(t.Lucky, x.breaks) {
		return false
	}
	var want, got []Move
	for _, s := range v.Steps[t.Step:] {
		if sys.Actors[s.Actor].Urgency() == Environment {
			want = append(want, x.event(s))
		}
	}
	end := start
	for _, s := range t.Lucky {
		if sys.Actors[s.Actor].Urgency() == Environment {
			got = append(got, x.event(s))
		}
		end = s.To
	}
	for _, m := range got {
		i := slices.Index(want, m)
		if i < 0 {
			return false
		}
		want = slices.Delete(want, i, i+1)
	}
	decided := &v.Steps[t.Step]
	if len(want) > 0 || len(t.Lucky) > 0 && t.Lucky[0].Actor == decided.Actor && t.Lucky[0].Move == decided.Move &&
		bytes.Equal(t.Lucky[0].To, decided.To) {
		return false
	}
	steps, err := x.w.successors(end, false)
	return err == nil && (!t.Ends || len(steps) == 0 && !c.Rules[v.Rule].badEnd(end))
}
