package scheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// emit offers every outcome as a step, and reports whether there is one.
func (x *preemption) emit(next *actor.Emit) bool {
	x.take = Grow(x.take, len(x.k.Classes)*int(state.Phases))
	for i := range x.outcomes {
		if o := &x.outcomes[i]; !x.s.Twin(o.node) {
			clear(x.take)
			x.split(next, o, 0, 0)
		}
	}
	return len(x.outcomes) > 0
}

// split divides the victims of each class that are not on deletion yet among their
// phases, in every way: which of them are the older ones is unknown.
func (x *preemption) split(next *actor.Emit, o *victimSet, q, phase int) {
	if q == len(x.k.Classes) {
		x.move(next, o)
		return
	}
	lost := x.counts[o.at+int(picks)*q:]
	left, gone := lost[livePod], int32(0)
	if lost[anyPod] > 0 {
		left, gone = lost[anyPod], int32(x.s.On(o.node, q, state.Terminating))
	}
	mine := x.take[q*int(state.Phases) : (q+1)*int(state.Phases)]
	for _, ph := range state.LivePhases[:phase] {
		left -= mine[ph]
	}
	if phase == len(state.LivePhases) {
		if left <= gone { // the rest are some of those on deletion
			x.split(next, o, q+1, 0)
		}
		return
	}
	ph := state.LivePhases[phase]
	for take := min(left, int32(x.s.On(o.node, q, ph))); take >= 0; take-- {
		mine[ph] = take
		x.split(next, o, q, phase+1)
	}
	mine[ph] = 0
}

// move puts the victims on deletion and nominates the pod. Pods of lower priority that
// were nominated to the node lose that, unless all victims are on deletion already.
//
// Upstream: prepareCandidateAsync, getLowerPriorityNominatedPods.
func (x *preemption) move(next *actor.Emit, o *victimSet) {
	t := next.Copy(x.s)
	deletes := false
	for q := range x.k.Classes {
		for _, ph := range state.LivePhases {
			if n := int(x.take[q*int(state.Phases)+int(ph)]); n > 0 {
				t.Add(o.node, q, ph, -n)
				t.Add(o.node, q, state.Terminating, n)
				deletes = true
			}
		}
	}
	for _, q := range x.k.Classes[x.p].victims {
		if n := t.Nominated(o.node, q); n > 0 && deletes {
			t.Nominate(o.node, q, -n)
		}
	}
	t.Nominate(o.node, x.p, 1)
	next.Move(search.Move{Kind: preempt, Args: [3]int32{int32(x.p), int32(o.node)}})
}
