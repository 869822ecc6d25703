package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Ender is an actor that says from when on each workload only comes to an end by itself: no pod is created or placed
// any more, and no event happens. Where all actors of a problem say so of a state, it is so in every state that
// follows, and what each of them does reads and writes what belongs to one workload, and comes to an end: steps of
// different workloads can be taken in any order. An actor that is none may do anything at any time.
//
// What is claimed is tried on random states (control's TestEnds), and on whole searches (verify's
// TestEndsKeepFindings).
type Ender interface {
	// Ends gives the workload that the actor has to do with from then on, or [Each] where it has nothing left to do, and
	// in which states that is so; nil: in all; ok is false where there are none. calm says that no event happens.
	Ends(c *state.Config, calm bool) (w int, ended func(state.State) bool, ok bool)
}
