package control

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Successor is one transition of an actor.
type Successor struct {
	To   state.State
	Move search.Move
}

// Successors lists what one actor can do in s, in the actor's order. It is for tests and
// for tools that act out single steps: unlike the search it allocates every successor.
func Successors(a Actor, s state.State) []Successor {
	list := &successors{cfg: s.C}
	var scratch Scratch
	a.Step(s, NewEmit(list, s.C, &scratch))
	return list.all
}

// successors is the sink of [Successors].
type successors struct {
	cfg *state.Config
	buf []byte
	all []Successor
}

func (l *successors) Copy(s []byte) []byte {
	l.buf = append([]byte(nil), s...)
	return l.buf
}

func (l *successors) Move(m search.Move) {
	l.all = append(l.all, Successor{To: state.State{C: l.cfg, B: l.buf}, Move: m})
	l.buf = nil
}
