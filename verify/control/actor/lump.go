package actor

import "github.com/kubesettle/kubesettle/verify/state"

// Likeness is what two states may differ in without an actor taking other steps from the one than from the other: each
// step from one has one from the other, and what they lead to differs in the same only, if at all. Whether they may
// move at all is part of that.
type Likeness struct {
	Kind LikenessKind
	// Class is the pod class that the states differ in. Other is the second one, for [StoppingAs]: of the same workload,
	// with pods of the same footprint (see objects.SameFootprint).
	Class, Other int
}

// LikenessKind says in what two states differ.
type LikenessKind uint8

const (
	// StartedWhere: on which nodes the pods of a class are that have started, of as many on each node and as many in
	// all. No pod of the class goes while others of it have yet to start.
	StartedWhere LikenessKind = iota
	// StoppingAs: of which of two classes pods on deletion on a node are.
	StoppingAs
)

// Lumper is an actor that says which states it does not tell apart. An actor that is none tells apart everything, and
// so does one where an answer was forgotten: then more is searched than is needed, and nothing is lost. What is claimed
// is tried on all actors (control's TestLumps), and on whole searches (verify's TestLumpsKeepFindings).
type Lumper interface {
	Lumps(c *state.Config, k Likeness) bool
}

// Lumps reports what an actor declares.
func Lumps(a Actor, c *state.Config, k Likeness) bool {
	l, ok := a.(Lumper)
	return ok && l.Lumps(c, k)
}
