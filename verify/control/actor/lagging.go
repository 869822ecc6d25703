package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Lagging is a loop that sees pods through an informer, which may be behind the API server; its own object it sees
// as it is.
type Lagging interface {
	Actor
	// Sees lists the pod classes that it looks at, ascending.
	Sees(c *state.Config) []int
	// Expects reports whether it waits, before it acts again, until it has seen what it wrote itself.
	Expects() bool
}

// Conflicting is a loop whose writes the API server refuses where what they were made from has changed.
type Conflicting interface {
	// Conflicts reports whether what a sync on a view wrote, which led to after, is refused in s.
	Conflicts(s, view, after state.State) bool
}

// Reporting is a loop that writes the status of the ReplicaSet of a pod class, from what it sees.
type Reporting interface{ Reports() (class int) }

// Measuring is a Lagging loop that asks for something as it is beside the pods that it sees.
type Measuring interface {
	// StepSeen is a step on a view of live; what it writes is made of the view.
	StepSeen(view, live state.State, next *Emit)
}
