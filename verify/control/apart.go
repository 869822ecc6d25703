package control

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Apart reports whether every actor of a problem treats each workload as if it were alone, wherever its pods are (see
// [actor.Traits]): a search of one workload on one node then sees everything that can become of it among the others on
// many, except for where its pods are.
func Apart(c *state.Config, actors []actor.Actor) bool {
	return !slices.ContainsFunc(actors, func(a actor.Actor) bool {
		return !actor.TraitsOf(a, c).Alone
	})
}

// RoomFor is what pods may take of nodes before an actor of a problem no longer treats each workload as if it were
// alone, where nothing else keeps one from that; nil: something does, or pods take too much even at rest.
func RoomFor(c *state.Config, actors []actor.Actor) *actor.Room {
	var out *actor.Room
	for _, a := range actors {
		t := actor.TraitsOf(a, c)
		switch {
		case t.Room != nil && out == nil:
			out = t.Room
		case !t.Alone:
			return nil
		}
	}
	if out == nil || !out.Lasts(out.Rest) {
		return nil
	}
	return out
}

// Of keeps the actors that have to do with workload w, in their order.
func Of(c *state.Config, actors []actor.Actor, w int) []actor.Actor {
	return slices.DeleteFunc(slices.Clone(actors), func(a actor.Actor) bool {
		o := actor.TraitsOf(a, c).Of
		return o != w && o != actor.Each
	})
}

// Home is a class of nodes that each pod of workload w may run on, in any revision; -1 where there is none.
func Home(c *state.Config, actors []actor.Actor, w int) int {
	for _, a := range actors {
		if takes := actor.TraitsOf(a, c).Takes; takes != nil {
			if nodes := takes(c.ClassesOf[w]); len(nodes) > 0 {
				return c.Nodes[nodes[0]].Class
			}
		}
	}
	return -1
}
