package control

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// End tells a search of the actors' system, under realistic timing, in which states several workloads have nothing left
// to do but each to come to its end, so that their pods may start and stop one workload after the other
// ([search.System.Ample]). calm says that no event happens in the search.
//
// Once every pod is created and placed, and no event is left, the workloads have no more to do with each other: no pod
// is placed by where others are, and none is evicted. A step of a kubelet, with the reaction of the workload's
// controllers in the milliseconds after it, then commutes with those of other workloads, so that a run of the one
// workload first, and then of the next, ends where any run does, after as many steps. No such step is taken twice, so
// that no cycle goes through these states, and nothing is postponed forever.
func End(sys *search.System, cfg *state.Config, actors []actor.Actor, calm bool) {
	workloads := len(cfg.Spec.Workloads)
	if workloads < 2 || cfg.Spec.Unreduced || cfg.Spec.Interleaved {
		return
	}
	kubelets := make([][]int, workloads)
	var all []func(state.State) bool
	for i, a := range actors {
		if calm && a.Latency() == actor.Event {
			continue
		}
		ends := actor.TraitsOf(a, cfg).Ends
		if ends == nil {
			return
		}
		w, ended, ok := ends(calm)
		if !ok {
			return
		}
		if ended != nil {
			all = append(all, ended)
		}
		if a.Latency() == actor.Kubelet {
			kubelets[w] = append(kubelets[w], i)
		}
	}
	sys.Ample = func(b []byte) [][]int {
		s := state.State{C: cfg, B: b}
		for _, ended := range all {
			if !ended(s) {
				return nil
			}
		}
		return kubelets
	}
}
