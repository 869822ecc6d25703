package control

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Lump finds the pods that no actor of a problem tells apart, and that whoever judges its states does not either, as
// blind says. It gives the actors as they are then: one kubelet actor stops the pods that are lumped. Fairness survives
// that: a run that serves the one can be taken to serve each of the classes in turn, as nobody sees which of them it
// is.
//
// calm says that no event happens in the search.
func Lump(cfg *state.Config, actors []actor.Actor, calm bool,
	blind func(actor.Likeness) bool) ([]actor.Actor, *state.Lumps) {
	l := cfg.NewLumps()
	if cfg.Spec.Unreduced || cfg.Spec.Unlumped {
		return actors, l
	}
	all := func(k actor.Likeness) bool {
		return blind(k) && !slices.ContainsFunc(actors, func(a actor.Actor) bool {
			return !(calm && a.Latency() == actor.Event) && !actor.Lumps(a, cfg, k)
		})
	}
	for p := range cfg.Pods {
		if cfg.Warms(p) || cfg.Ripens(p) {
			continue
		}
		if grows := growing(cfg, actors, p, calm); grows != nil && all(actor.Likeness{Kind: actor.StartedWhere, Class: p}) {
			l.LumpStarts(p, grows)
		}
	}
	for p := range cfg.Pods {
		for q := range p {
			if l.StopsAs(q) == q && cfg.Pods[p].Workload == cfg.Pods[q].Workload && cfg.HasPhase(p, state.Terminating) &&
				objects.SameFootprint(cfg, p, q) && all(actor.Likeness{Kind: actor.StoppingAs, Class: q, Other: p}) {
				l.LumpStops(q, p)
				break
			}
		}
	}
	return nodes.Lumped(actors, l), l
}

// growing says in which states no pod of class p is deleted any more while others of it have yet to start; nil: in
// none.
func growing(cfg *state.Config, actors []actor.Actor, p int, calm bool) func(state.State) bool {
	for _, a := range actors {
		if g, ok := a.(actor.Grower); ok {
			if grows := g.Grows(cfg, p, calm); grows != nil {
				return grows
			}
		}
	}
	return nil
}
