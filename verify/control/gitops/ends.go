package gitops

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Ends implements [actor.Ender]: nothing is left to be applied.
func (*Apply) Ends(c *state.Config, _ bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, func(s state.State) bool { return s.Get(c.Applies)+s.StepsLeft() == 0 }, true
}

// Ends implements [actor.Ender]: it has been taken back.
func (*revert) Ends(c *state.Config, _ bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, func(s state.State) bool { return s.Get(c.Reverts) == 0 }, true
}

// Ends implements [actor.Ender]: it may come at any time.
func (*rollback) Ends(*state.Config, bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, nil, false
}
