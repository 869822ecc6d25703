package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Managed is a loop of the kube-controller-manager: while that is down, it does nothing.
type Managed interface{ InManager() }

// Divisible is a loop of which one sync writes several objects, so that a restart may come between two of them.
type Divisible interface {
	Actor
	// Interrupt emits the states after some of the writes of one sync, in upstream's order, and not all; in each of them
	// it calls [state.State.StopManager].
	Interrupt(s state.State, next *Emit)
}

// rests reports whether a loop does nothing in a state as its process is down.
func rests(a Actor, s state.State) bool {
	_, managed := a.(Managed)
	return managed && s.ManagerDown()
}
