package faults

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Ends implements [actor.Ender]: none is left, or every revision has begun.
func (a *BadRevision) Ends(*state.Config, bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, func(s state.State) bool { return s.BadRevisionsLeft() == 0 || !a.pends(s) }, true
}

// Ends implements [actor.Ender]: none is left.
func (podCrash) Ends(*state.Config, bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, func(s state.State) bool { return s.CrashesLeft() == 0 }, true
}
