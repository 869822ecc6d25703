package actor

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// CalmEvent is an event that does not fall into the milliseconds in which a sync loop has
// work: such a moment is too short to hold anybody to. Where two orders differ in that
// only, the one in which the loop was done first stands for both.
type CalmEvent interface{ FallsInCalm(*state.Config) bool }

// probe is a sink that only sees whether an actor is enabled.
type probe struct {
	buf   []byte
	moved bool
}

func (p *probe) Copy(s []byte) []byte {
	p.buf = append(p.buf[:0], s...)
	return p.buf
}

func (p *probe) Move(search.Move) { p.moved = true }

// busy reports whether one of some actors is enabled in s.
func (l *Local) busy(actors []Actor, s state.State) bool {
	l.probe.moved = false
	l.emit.to, l.emit.cfg = &l.probe, s.C
	for _, a := range actors {
		if rests(a, s) {
			continue
		}
		if a.Step(s, &l.emit); l.probe.moved {
			return true
		}
	}
	return false
}

// Resting gives a function that reports whether no control loop and no kubelet has anything
// left to do in a state. It is not safe for concurrent use.
func Resting(actors []Actor) func(state.State) bool {
	l := NewLocal().(*Local)
	var loops []Actor
	for _, a := range actors {
		if a.Latency() != Event {
			loops = append(loops, a)
		}
	}
	return func(s state.State) bool { return !l.busy(loops, s) }
}
