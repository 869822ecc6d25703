package search

import (
	"errors"
	"fmt"
)

// ErrSystem says that a system or its options cannot be searched as given.
var ErrSystem = errors.New("search: system")

// ErrActor says that an actor panicked or broke the contract of [Actor].
var ErrActor = errors.New("search: actor")

// Emit collects the successors of one state. One worker owns one Emit.
type Emit struct {
	// Local is what [System.Local] made for this worker.
	Local any

	buf   []byte // the copy, of the system's width
	fresh bool   // Copy was called since the last Move
	actor int    // whose Step is running
	out   func(m Move)
	full  bool // of this actor's successors no more are wanted
}

// Full reports whether no more successors of this step are wanted: where a run is replayed. An actor
// that enumerates many may stop then; a search wants all.
func (e *Emit) Full() bool { return e.full }

// Copy gives a copy of s to be changed and then offered by [Emit.Move]. It is valid
// until the next Copy or Move.
func (e *Emit) Copy(s []byte) []byte {
	if len(s) != len(e.buf) {
		panic(contractError(fmt.Sprintf("copies a state of %d bytes where the system declares %d", len(s), len(e.buf))))
	}
	copy(e.buf, s)
	e.fresh = true
	return e.buf
}

// Move offers the last copy as a successor. Every Move needs a separate Copy.
func (e *Emit) Move(m Move) {
	if !e.fresh {
		panic(contractError("calls Move without a Copy of its own"))
	}
	e.fresh = false
	e.out(m)
}

// contractError is the panic of an Emit that an actor misuses.
type contractError string

// actorError turns a recovered panic into an error that names the actor.
func actorError(sys *System, actor int, r any) error {
	name := sys.Actors[actor].Name()
	if c, ok := r.(contractError); ok {
		return fmt.Errorf("%w %s %s", ErrActor, name, string(c))
	}
	return fmt.Errorf("%w %s panics: %v", ErrActor, name, r)
}
