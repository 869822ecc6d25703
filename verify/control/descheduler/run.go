package descheduler

import (
	"bytes"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// descheduling is one worker's memory of one cycle. A plugin is straight-line code after upstream's that asks
// [descheduling.choose] wherever upstream ranges over a map, sorts unstably or depends on facts that the state does not
// hold; it is run again and again until every answer was given, in every state that the plugins before it can leave.
type descheduling struct {
	k *deschedCompiled

	from   state.State // the state the cycle began in
	before state.State // the state the present plugin began in
	now    state.State // the state as the cycle has made it

	answers []answer // given so far in this play
	asked   int
	dead    bool // this play is not one of upstream's, or one that was played already

	// careful plays give orders a choice; the others assume that no request is refused,
	// when no order matters, and are thrown away where one is.
	careful, refused bool

	total        int
	perNode      []int
	perNamespace []int

	// Distinct states after each plugin, one layer after the other; the first layer is
	// the state the cycle began in.
	states []byte
	parent []int // by state: the one that a plugin made it from
	layers []int // by layer: its first state; one more for the end

	used  []int64 // by node and resource: requests of pods in any phase
	cand  []int   // by node, class and phase: pods a plugin wants to evict
	left  []bool  // by node: yet to be looked at
	owner []bool  // by class: yet to be looked at
	nodesMemory
	spreadMemory
	utilizationMemory
}

// group is the pods of one class on one node in one phase.
type group struct {
	n, p  int
	phase state.Phase
}

// answer is one choice among of.
type answer struct{ taken, of int }

// load begins the cycles of a state.
func (r *descheduling) load(k *deschedCompiled, s state.State) {
	nodes, classes, dims := len(k.nodes), len(k.classes), len(k.resources)
	r.k, r.from = k, s
	r.before = state.State{C: s.C, B: scheduler.Grow(r.before.B, len(s.B))}
	r.now = state.State{C: s.C, B: scheduler.Grow(r.now.B, len(s.B))}
	r.perNode = scheduler.Grow(r.perNode, nodes)
	r.perNamespace = scheduler.Grow(r.perNamespace, len(k.namespaces))
	r.used = scheduler.Grow(r.used, nodes*dims)
	r.cand = scheduler.Grow(r.cand, nodes*classes*len(state.LivePhases))
	r.left = scheduler.Grow(r.left, nodes)
	r.owner = scheduler.Grow(r.owner, classes)
	r.states, r.parent = append(r.states[:0], s.B...), append(r.parent[:0], 0)
	r.layers = append(r.layers[:0], 0, 1)
	r.loadNodes(s)
	clear(r.used)
	copy(r.now.B, s.B)
	for n := range k.nodes {
		copy(r.used[n*dims:(n+1)*dims], k.nodes[n].beside)
		for p := range k.classes {
			if held := r.held(n, p); held > 0 {
				for d, want := range k.classes[p].request {
					r.used[n*dims+d] += int64(held) * want
				}
			}
		}
	}
}

// play plays a cycle of some plugins in every way. With fewer than two nodes upstream's
// runProfiles skips the cycle.
func (r *descheduling) play(plugins []deschedPlugin) {
	if r.listed < 2 {
		return
	}
	for i := range plugins {
		layer := len(r.layers) - 2
		for at := r.layers[layer]; at < r.layers[layer+1]; at++ {
			r.careful, r.answers = false, r.answers[:0]
			for r.playOne(&plugins[i], at) {
			}
		}
		r.layers = append(r.layers, len(r.parent))
	}
}

// playOne plays a plugin in one way, in state at of the last layer, and reports whether
// there is another way.
func (r *descheduling) playOne(plugin *deschedPlugin, at int) bool {
	copy(r.before.B, r.state(at))
	copy(r.now.B, r.state(at))
	r.asked, r.dead, r.refused = 0, false, false
	r.tally()
	clear(r.cand)
	plugin.run(r, plugin)
	if r.refused && !r.careful { // orders matter: begin again
		r.careful, r.answers = true, r.answers[:0]
		r.forget(at)
		return true
	}
	if !r.dead {
		r.keep(at)
	}
	return r.nextAnswers()
}

// state is one of the states of all layers.
func (r *descheduling) state(at int) []byte {
	w := len(r.now.B)
	return r.states[at*w : (at+1)*w]
}

// outcomes are the states after the last plugin.
func (r *descheduling) outcomes() (first, end int) {
	n := len(r.layers)
	return r.layers[n-2], r.layers[n-1]
}

// evicts reports whether a state has a pod evicted in this cycle.
func (r *descheduling) evicts(at int) bool { return !bytes.Equal(r.state(at), r.from.B) }

// keep records the present state as made from another, unless it is there already.
func (r *descheduling) keep(from int) {
	for i := r.layers[len(r.layers)-1]; i < len(r.parent); i++ {
		if bytes.Equal(r.state(i), r.now.B) {
			return
		}
	}
	r.states = append(r.states, r.now.B...)
	r.parent = append(r.parent, from)
}

// forget drops everything that was recorded as made from a state.
func (r *descheduling) forget(from int) {
	n := len(r.parent)
	for n > r.layers[len(r.layers)-1] && r.parent[n-1] == from {
		n--
	}
	r.parent, r.states = r.parent[:n], r.states[:n*len(r.now.B)]
}

// tally counts the evictions of the cycle so far.
func (r *descheduling) tally() {
	clear(r.perNode)
	clear(r.perNamespace)
	r.total = 0
	for n := range r.k.nodes {
		for p := range r.k.classes {
			evicted := r.evictedSince(r.from, n, p)
			r.total += evicted
			r.perNode[n] += evicted
			r.perNamespace[r.k.classes[p].namespace] += evicted
		}
	}
}

// evictedSince counts the pods of class p on node n evicted since an earlier state.
func (r *descheduling) evictedSince(s state.State, n, p int) int {
	return r.now.On(n, p, state.Terminating) - s.On(n, p, state.Terminating)
}

// choose answers with a number under of, every one of them in some play.
func (r *descheduling) choose(of int) int {
	if of <= 1 {
		return 0
	}
	if r.asked == len(r.answers) {
		r.answers = append(r.answers, answer{of: of})
	}
	r.asked++
	return r.answers[r.asked-1].taken
}

// nextAnswers moves on to the next play; false where that was the last one.
func (r *descheduling) nextAnswers() bool {
	r.answers = r.answers[:r.asked]
	for i := len(r.answers) - 1; i >= 0; i-- {
		if a := &r.answers[i]; a.taken+1 < a.of {
			a.taken++
			r.answers = r.answers[:i+1]
			return true
		}
	}
	return false
}
