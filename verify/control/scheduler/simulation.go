package scheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// simulation is one worker's memory of a cluster that is only thought of.
type simulation struct {
	Now   state.State
	Tries int   // left
	Stack []int // feasible nodes, of every pod that is being placed
}

// MostTries bounds the pods that are placed for trial, of one node.
const MostTries = 5000

// Copy gives a copy of s that is valid until the next one.
func (x *simulation) Copy(s state.State) state.State {
	x.Now = state.State{C: s.C, B: append(x.Now.B[:0], s.B...)}
	return x.Now
}

// Leftover is how many pods of a class are yet to be placed.
type Leftover struct{ Class, Pods int }

// FitElsewhere reports whether there is a way to place the live pods of node n, one after
// the other, on other nodes by the scheduler's filters.
func (k *Compiled) FitElsewhere(s state.State, n int, scratch *actor.Scratch) bool {
	x := &actor.Own[View](scratch).Thought
	x.Tries, x.Stack = MostTries, x.Stack[:0]
	objects.Leave(x.Copy(s), n, state.ScalingDown) // tainted and empty, as it will stand until it is gone
	return k.fitRest(s, n, scratch, Leftover{Class: -1})
}

// fitRest goes on with the next pod of a class, of which some are left, and then with the classes after it. It reports
// whether all of them fit.
func (k *Compiled) fitRest(s state.State, gone int, scratch *actor.Scratch, rest Leftover) bool {
	for rest.Pods == 0 {
		if rest.Class++; rest.Class == len(s.C.Pods) {
			return true
		}
		rest.Pods = s.LiveOn(gone, rest.Class)
	}
	v := actor.Own[View](scratch)
	x := &v.Thought
	if x.Tries == 0 {
		return false
	}
	x.Tries--
	v.Load(k, x.Now)
	k.Filter(v, rest.Class)
	first := len(x.Stack)
	x.Stack = append(x.Stack, v.Feasible...)
	rest.Pods--
	for i, end := first, len(x.Stack); i < end; i++ {
		n := x.Stack[i]
		if x.Now.Twin(n) { // the node before n did not do
			continue
		}
		x.Now.Add(n, rest.Class, state.Starting, 1)
		if k.fitRest(s, gone, scratch, rest) {
			return true
		}
		x.Now.Add(n, rest.Class, state.Starting, -1)
	}
	x.Stack = x.Stack[:first]
	return false
}
