package scheduler

import (
	"cmp"
	"math"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// mostOrders bounds the orders of equally important pods on one node that are tried one
// by one; beyond it, pods of one kind are taken together.
const mostOrders = 2000

// preemption is the search for the victims of one pod, in scratch memory.
type preemption struct {
	k *Compiled
	v *View
	s state.State
	p int // class of the pod that preempts

	n        int          // node being looked at
	kinds    []victimKind // potential victims on it, by falling priority
	blocks   bool         // kinds are taken together
	hides    bool         // they were on some node
	order    []int32      // kinds of the victims, the most important first
	left     []int32      // of each kind, not in order yet
	room     [2][]int32   // disruptions that each budget allows, by version: a budget comes with the pods that it selects
	spare    [2][]int32   // of them, not used up yet
	breaks   []bool       // by place in order: a budget would be violated
	lost     []int32      // of each kind, not reprieved
	outcomes []victimSet
	counts   []int32 // of all outcomes: victims by class, as [victimKind] tells them apart
	take     []int32 // by class and phase, of the outcome being emitted
}

// victimKind is the pods of one class on the node: all of them or, where that makes a
// difference to the pod that preempts, those on deletion or the others.
type victimKind struct {
	class    int
	of       pick
	count    int32
	priority int32
}

// pick says which pods of a class are meant.
type pick uint8

const (
	anyPod pick = iota
	livePod
	gonePod // on deletion
	picks
)

// victimSet is one way to make room on one node.
type victimSet struct {
	node      int
	violating int32 // victims that break a budget
	highest   int32 // priority among the victims
	sum       int64 // of the victims' priorities, each made positive
	pods      int32
	at        int // first of its counts
	wins      bool
}

// compare orders by pickOneNodeForPreemption's ladder, the better first. Its last rung,
// the start times, is unknown.
func (a *victimSet) compare(b *victimSet) int {
	return cmp.Or(cmp.Compare(a.violating, b.violating), cmp.Compare(a.highest, b.highest),
		cmp.Compare(a.sum, b.sum), cmp.Compare(a.pods, b.pods))
}

// search finds every way to make room for a pod of class p in a state for which the view
// holds a decision that found no node.
func (x *preemption) search(k *Compiled, v *View, s state.State, p int) {
	x.k, x.v, x.s, x.p = k, v, s, p
	x.outcomes, x.counts, x.hides = x.outcomes[:0], x.counts[:0], false
	potential := 0
	x.limits()
	for n := range k.Nodes {
		if v.why[n] != reasonNone && !k.hopeless(v, p, n) {
			potential++
			x.victimsOn(n)
		}
	}
	x.choose(potential)
}

// limits reads the disruptions that the budgets allow now.
func (x *preemption) limits() {
	for v, budgets := range x.k.budgets.Budgets {
		if state.Version(v) != x.s.Version() && x.s.C.Steps() == 1 {
			x.room[v], x.spare[v] = x.room[v][:0], x.spare[v][:0]
			continue
		}
		x.room[v] = Grow(x.room[v], len(budgets))
		x.spare[v] = Grow(x.spare[v], len(budgets))
		for i := range budgets {
			x.room[v][i] = int32(x.k.budgets.Status(x.s, &budgets[i]).Allowed)
		}
	}
}

// victimsOn finds the ways to make room on node n.
//
// Upstream: SelectVictimsOnNode.
func (x *preemption) victimsOn(n int) {
	x.n, x.kinds = n, x.kinds[:0]
	total := int32(0)
	for _, q := range x.k.Classes[x.p].victims {
		all, live := x.v.total[n*x.v.classes+q], x.v.live[n*x.v.classes+q]
		if x.spreads(q) {
			x.addKind(q, livePod, live)
			x.addKind(q, gonePod, all-live)
		} else {
			x.addKind(q, anyPod, all)
		}
		total += all
	}
	if total == 0 {
		return
	}
	for i := range x.kinds {
		x.shift(i, -x.kinds[i].count)
	}
	if code, _ := x.k.admits(x.v, x.p, n, -1); code == reasonNone {
		x.order = x.order[:0]
		x.left = Grow(x.left, len(x.kinds))
		x.lost = Grow(x.lost, len(x.kinds))
		x.breaks = Grow(x.breaks, int(total))
		for i := range x.kinds {
			x.left[i] = x.kinds[i].count
		}
		x.blocks = x.orders() > mostOrders
		x.hides = x.hides || x.blocks
		x.arrange(len(x.outcomes))
	}
	for i := range x.kinds {
		x.shift(i, x.kinds[i].count)
	}
}

// spreads reports whether a hard constraint of the pod tells pods of class q on deletion
// from the others.
func (x *preemption) spreads(q int) bool {
	hard := x.k.Classes[x.p].hard
	for i := range x.v.hard {
		if slices.Contains(hard[i].moves, q) {
			return true
		}
	}
	return false
}

func (x *preemption) addKind(q int, of pick, count int32) {
	if count > 0 {
		x.kinds = append(x.kinds, victimKind{q, of, count, x.k.Classes[q].priority})
	}
}

// shift adds victims of a kind, or takes them away. Pods of a class that are not distinguished count as if none were on
// deletion: until they are all back, no question depends on it.
func (x *preemption) shift(kind int, delta int32) {
	x.k.shift(x.v, x.p, x.n, x.kinds[kind].class, x.kinds[kind].of == gonePod, delta)
}

// orders is in how many ways the victims may rank by importance.
func (x *preemption) orders() float64 {
	ways := 1.0
	for i := 0; i < len(x.kinds); {
		placed := int32(0)
		for first := i; i < len(x.kinds) && x.kinds[i].priority == x.kinds[first].priority; i++ {
			for c := range x.kinds[i].count {
				ways *= float64(placed+c+1) / float64(c+1)
			}
			placed += x.kinds[i].count
		}
	}
	return ways
}

// arrange puts the pods in every order of importance: by falling priority, then start
// time, which is unknown. from is the first outcome of the node.
//
// Upstream: util.MoreImportantPod.
func (x *preemption) arrange(from int) {
	top := int32(math.MinInt32)
	done := true
	for i := range x.kinds {
		if x.left[i] > 0 && (done || x.kinds[i].priority > top) {
			top, done = x.kinds[i].priority, false
		}
	}
	if done {
		x.reprieve(from)
		return
	}
	for i := range x.kinds {
		if x.left[i] == 0 || x.kinds[i].priority != top {
			continue
		}
		count := int32(1)
		if x.blocks {
			count = x.left[i]
		}
		for range count {
			x.order = append(x.order, int32(i))
		}
		x.left[i] -= count
		x.arrange(from)
		x.left[i] += count
		x.order = x.order[:len(x.order)-int(count)]
	}
}

// reprieve adds the pods back in one order of importance, those first that would break a
// budget, and notes which of them leave no room.
func (x *preemption) reprieve(from int) {
	x.findBreaks()
	clear(x.lost)
	set := victimSet{node: x.n, highest: math.MinInt32}
	for _, first := range [...]bool{true, false} {
		for place, i := range x.order {
			if x.breaks[place] != first {
				continue
			}
			x.shift(int(i), 1)
			if code, _ := x.k.admits(x.v, x.p, x.n, -1); code == reasonNone {
				continue
			}
			x.shift(int(i), -1)
			x.lost[i]++
			set.pods++
			set.highest = max(set.highest, x.kinds[i].priority)
			set.sum += int64(x.kinds[i].priority) + math.MaxInt32 + 1
			if first {
				set.violating++
			}
		}
	}
	for i := range x.kinds {
		if kept := x.kinds[i].count - x.lost[i]; kept > 0 {
			x.shift(i, -kept)
		}
	}
	if set.pods > 0 {
		x.keep(set, from)
	}
}

// findBreaks says of each pod in order whether a budget that selects it has no
// disruption left by then.
//
// Upstream: filterPodsWithPDBViolation. An empty selector matches nothing here.
func (x *preemption) findBreaks() {
	for v := range x.spare {
		copy(x.spare[v], x.room[v])
	}
	for place, i := range x.order {
		x.breaks[place] = false
		version := x.s.VersionOfClass(x.kinds[i].class)
		for _, b := range x.k.budgets.Of[version][x.kinds[i].class] {
			if x.k.budgets.Budgets[version][b].Selector.Empty() {
				continue
			}
			x.spare[version][b]--
			x.breaks[place] = x.breaks[place] || x.spare[version][b] < 0
		}
	}
}

// keep adds an outcome unless the node has it already.
func (x *preemption) keep(set victimSet, from int) {
	width := int(picks) * len(x.k.Classes)
	set.at = len(x.counts)
	for range width {
		x.counts = append(x.counts, 0)
	}
	mine := x.counts[set.at:]
	for i := range x.kinds {
		mine[int(picks)*x.kinds[i].class+int(x.kinds[i].of)] = x.lost[i]
	}
	for i := from; i < len(x.outcomes); i++ {
		old := &x.outcomes[i]
		if old.violating == set.violating && slices.Equal(x.counts[old.at:old.at+width], mine) {
			x.counts = x.counts[:set.at]
			return
		}
	}
	x.outcomes = append(x.outcomes, set)
}

// choose leaves the outcomes that may be the best candidate: where start times decide,
// on its own node or on another, any of several may be. potential is the number of nodes
// that were looked at, of which upstream may stop at some.
//
// Upstream: pickOneNodeForPreemption, DryRunPreemption, calculateNumCandidates.
func (x *preemption) choose(potential int) {
	min := &x.k.Classes[x.p].profile.MinCandidates
	enough := max(potential*min.Percent/100, min.Nodes)
	for i := range x.outcomes {
		x.outcomes[i].wins = x.mayWin(i, enough >= potential, enough)
	}
	kept := x.outcomes[:0]
	for _, o := range x.outcomes {
		if o.wins {
			kept = append(kept, o)
		}
	}
	x.outcomes = kept
}

// mayWin reports whether no other node has a better candidate in all of its outcomes. Where
// upstream stops at enough candidates, some of those may not have been looked at, but
// for one without violated budgets where there is any.
func (x *preemption) mayWin(i int, all bool, enough int) bool {
	o := &x.outcomes[i]
	better, nodes := 0, 0
	intact := false
	for j := 0; j < len(x.outcomes); {
		node := x.outcomes[j].node
		worst := &x.outcomes[j]
		for ; j < len(x.outcomes) && x.outcomes[j].node == node; j++ {
			if worst.compare(&x.outcomes[j]) < 0 {
				worst = &x.outcomes[j]
			}
		}
		if node == o.node {
			continue
		}
		nodes++
		intact = intact || worst.violating == 0
		if worst.compare(o) < 0 {
			better++
		}
	}
	if all || better == 0 {
		return better == 0
	}
	return nodes+1-better >= enough && (o.violating == 0 || !intact)
}
