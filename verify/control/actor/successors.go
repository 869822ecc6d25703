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
	return SomeSuccessors(a, s, 0)
}

// SomeSuccessors is [Successors], or the first most of them, for who wants to act out one run:
// there may be as many as there are ways to choose victims on a hundred nodes. 0: all.
func SomeSuccessors(a Actor, s state.State, most int) []Successor {
	list := &List{Cfg: s.C, Most: most}
	var scratch Scratch
	a.Step(s, NewEmit(list, s.C, &scratch))
	if most > 0 && len(list.All) > most {
		return list.All[:most]
	}
	return list.All
}

// List is the sink of [Successors].
type List struct {
	Cfg *state.Config
	buf []byte
	All []Successor
	// Most is how many are wanted; an actor may give more. 0: all.
	Most int
}

// Full reports whether as many have come as are wanted.
func (l *List) Full() bool { return l.Most > 0 && len(l.All) >= l.Most }

func (l *List) Copy(s []byte) []byte {
	l.buf = append([]byte(nil), s...)
	return l.buf
}

func (l *List) Move(m search.Move) {
	l.All = append(l.All, Successor{To: state.State{C: l.Cfg, B: l.buf}, Move: m})
	l.buf = nil
}
