package actor

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
	list := &List{Cfg: s.C}
	var scratch Scratch
	a.Step(s, NewEmit(list, s.C, &scratch))
	return list.All
}

// List is the sink of [Successors].
type List struct {
	Cfg *state.Config
	buf []byte
	All []Successor
}

func (l *List) Copy(s []byte) []byte {
	l.buf = append([]byte(nil), s...)
	return l.buf
}

func (l *List) Move(m search.Move) {
	l.All = append(l.All, Successor{To: state.State{C: l.Cfg, B: l.buf}, Move: m})
	l.buf = nil
}
