package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Each stands for every workload; see [Loner].
const Each = -1

// Loner is an actor that treats a workload as if it were alone, wherever its pods are. What it does to a workload hangs
// on the numbers of that workload, on how many of its pods are in which phase, on the version that is applied, and on
// budgets of events: not on nodes, and not on other workloads. As long as that is the same it takes the same steps, and
// what they lead to differs in nothing else either; those of an event may be fewer beside others.
//
// An actor that is none is taken to look at everything, so that its problem is searched as a whole. What is claimed is
// tried on all actors (control's TestAlone), and on whole searches (verify's TestApartKeepsFindings).
type Loner interface {
	// Alone gives the one workload that the actor has to do with, or [Each]; false where what it says of itself does not
	// hold in this problem.
	Alone(c *state.Config) (w int, ok bool)
}

// Alone asks an actor.
func Alone(a Actor, c *state.Config) (w int, ok bool) {
	l, is := a.(Loner)
	if !is {
		return Each, false
	}
	return l.Alone(c)
}
