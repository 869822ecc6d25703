package descheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// restarts compiles RemovePodsHavingTooManyRestarts. The state keeps no restart counts,
// but it knows pods whose containers restart without bound: those that start from a bad
// revision. Sooner or later they pass any podRestartThreshold, one of them alone or all
// together, as pods of one rollout do, and they are in each of the states that the plugin
// may name (Running, CrashLoopBackOff) in turn.
//
// Upstream: removepodshavingtoomanyrestarts: New, Deschedule, validateCanEvict.
func (k *deschedCompiled) restarts(plugin *deschedPlugin, a *state.RestartsArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	for p := range k.classes {
		for _, ph := range state.LivePhases {
			plugin.single = append(plugin.single, plugin.selects[p] && ph == state.Starting)
		}
	}
	plugin.onlyBad = true
	plugin.run = expire
	plugin.because = func(k *deschedCompiled, s state.State, p int) []actor.Ref {
		return []actor.Ref{templateRef(k, s, p, "containers")}
	}
	return nil
}
