package control

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Lump finds the pods that are distinguished neither by an actor of a problem nor, as blind says, by the judges of its
// states. It returns the resulting actors: one kubelet actor stops the lumped pods. Fairness survives that: a run that
// serves this actor can be taken to serve each of the classes in turn, as the difference is not visible.
//
// calm says that no event happens in the search.
func Lump(cfg *state.Config, actors []actor.Actor, calm bool,
	blind func(actor.Likeness) bool) ([]actor.Actor, *state.Lumps) {
	l := cfg.NewLumps()
	if cfg.Spec.Unreduced || cfg.Spec.Unlumped {
		return actors, l
	}
	var traits []actor.Traits // of those that look
	var grows []func(int, bool) func(state.State) bool
	for _, a := range actors {
		t := actor.TraitsOf(a, cfg)
		if t.Grows != nil {
			grows = append(grows, t.Grows)
		}
		if !calm || a.Latency() != actor.Event {
			traits = append(traits, t)
		}
	}
	all := func(k actor.Likeness) bool {
		return blind(k) && !slices.ContainsFunc(traits, func(t actor.Traits) bool { return !t.Lump(k) })
	}
	for p := range cfg.Pods {
		if cfg.Warms(p) || cfg.Ripens(p) {
			continue
		}
		if grows := growing(grows, p, calm); grows != nil && all(actor.Likeness{Kind: actor.StartedWhere, Class: p}) {
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
func growing(by []func(int, bool) func(state.State) bool, p int, calm bool) func(state.State) bool {
	for _, of := range by {
		if grows := of(p, calm); grows != nil {
			return grows
		}
	}
	return nil
}
