package actor

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

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

// loop is an actor with what decides whether it may act at all.
type loop struct {
	Actor
	managed bool
}

// loopsOf are the actors of some latencies.
func loopsOf(c *state.Config, actors []Actor, of func(Latency) bool) []loop {
	var out []loop
	for _, a := range actors {
		if of(a.Latency()) {
			out = append(out, loop{a, TraitsOf(a, c).Managed})
		}
	}
	return out
}

// busy reports whether one of some loops is enabled in s.
func (l *Local) busy(loops []loop, s state.State) bool {
	l.probe.moved = false
	l.emit.to, l.emit.cfg = &l.probe, s.C
	for _, a := range loops {
		if a.managed && s.ManagerDown() {
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
func Resting(c *state.Config, actors []Actor) func(state.State) bool {
	l := NewLocal().(*Local)
	loops := loopsOf(c, actors, func(l Latency) bool { return l != Event })
	return func(s state.State) bool { return !l.busy(loops, s) }
}
