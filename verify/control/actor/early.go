package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Early is kinds of steps of sync loops that may go first, before all else that can happen.
type Early uint8

const (
	// Resize: a controller writes the sizes of its workload's ReplicaSets, which only their controllers read.
	Resize Early = 1 << iota
	// Create: a ReplicaSet creates pods for the scheduler.
	Create
)

// Leader is a sync loop of which some steps may go first.
type Leader interface {
	// Leads is the kind of the step that the loop has in a state, where it is one of those, or 0; and the pod class
	// whose ReplicaSet creates pods, for [Create].
	Leads(s state.State) (step Early, class int)
}

// Commuter is a sync loop, or an event that does not wait for calm, which says what commutes with its steps: both
// orders lead to the same state, and neither step enables, disables or changes the other. One that is none is taken to
// commute with nothing, so that nothing goes first in its problem. Slower loops and calm events are not asked: they do
// not move while a sync loop has work.
type Commuter interface {
	// Commutes is what commutes with the actor's steps in a problem, but for states that [Moody] names.
	Commutes(c *state.Config) Early
}

// Moody is a [Commuter] with states that are an exception.
type Moody interface {
	// Minds reports whether in s, or after steps of others from there, the actor may take a step that does not commute
	// with this one; class is that of the ReplicaSet which creates pods, for [Create].
	Minds(s state.State, step Early, class int) bool
}

// Work is what a step changes, as far as it gives work to sync loops, or what a sync loop has to do with.
type Work struct {
	Workload int  // whose controllers; -1: nobody's
	Places   bool // the scheduler
}

// Waker is an actor that says to whom its steps give work. One that is none may give work to anybody.
type Waker interface{ Wakes(c *state.Config) Work }

// Worker is a sync loop that says by what it is given work. One that is none may be given work by anything.
type Worker interface{ Works(c *state.Config) Work }

// Placer is an actor that decides where pods run.
type Placer interface {
	// Takes lists the nodes that none of some classes' pods is kept from for what they are.
	Takes(classes []int) []int
}

// Grower is the controller that decides how many pods a ReplicaSet has.
type Grower interface {
	// Grows says in which states no pod of class p is deleted any more while others of it have yet to start, as far as
	// the controller goes; nil: in none, or another one's pods. calm says that no event happens.
	Grows(c *state.Config, p int, calm bool) func(state.State) bool
}
