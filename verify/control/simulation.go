package control

import "github.com/kubesettle/kubesettle/verify/state"

// simulation is one worker's memory of a cluster that is only thought of.
type simulation struct {
	now   state.State
	tries int   // left
	stack []int // feasible nodes, of every pod that is being placed
}

// mostTries bounds the pods that are placed for trial, of one node.
const mostTries = 5000

// copy gives a copy of s that is valid until the next one.
func (x *simulation) copy(s state.State) state.State {
	x.now = state.State{C: s.C, B: append(x.now.B[:0], s.B...)}
	return x.now
}

// leftover is how many pods of a class are yet to be placed.
type leftover struct{ class, pods int }

// fitElsewhere says whether there is a way to place the live pods of node n, one after
// the other, on other nodes by the scheduler's filters.
func (k *compiled) fitElsewhere(s state.State, n int, scratch *Scratch) bool {
	x := &Own[view](scratch).thought
	x.tries, x.stack = mostTries, x.stack[:0]
	leave(x.copy(s), n, state.ScalingDown) // tainted and empty, as it will stand until it is gone
	return k.fitRest(s, n, scratch, leftover{class: -1})
}

// fitRest goes on with the next pod of a class, of which some are left, and then with
// the classes after it.
func (k *compiled) fitRest(s state.State, gone int, scratch *Scratch, rest leftover) bool {
	for rest.pods == 0 {
		if rest.class++; rest.class == len(s.C.Pods) {
			return true
		}
		rest.pods = s.LiveOn(gone, rest.class)
	}
	v := Own[view](scratch)
	x := &v.thought
	if x.tries == 0 {
		return false
	}
	x.tries--
	v.load(k, x.now)
	k.filter(v, rest.class)
	first := len(x.stack)
	x.stack = append(x.stack, v.feasible...)
	rest.pods--
	for i, end := first, len(x.stack); i < end; i++ {
		n := x.stack[i]
		if x.now.Twin(n) { // the node before n did not do
			continue
		}
		x.now.Add(n, rest.class, state.Starting, 1)
		if k.fitRest(s, gone, scratch, rest) {
			return true
		}
		x.now.Add(n, rest.class, state.Starting, -1)
	}
	x.stack = x.stack[:first]
	return false
}
