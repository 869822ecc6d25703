package scheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Ends implements [actor.Ender]: no pod is left to be placed.
func (a *Scheduler) Ends(c *state.Config, _ bool) (w int, ended func(state.State) bool, ok bool) {
	return actor.Each, func(s state.State) bool {
		for p := range c.Pods {
			if s.Pending(p)+s.Waiting(p) > 0 {
				return false
			}
		}
		return true
	}, true
}
