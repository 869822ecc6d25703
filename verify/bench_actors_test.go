//go:build unix

package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// BenchmarkActors prints what each actor costs: the states and the time of one change,
// with all events on, and those without the actor.
func BenchmarkActors(b *testing.B) {
	table := newTable("without", "states", "share of all states", "transitions", "ms of processor")
	b.Run("all", func(b *testing.B) {
		p, initial := actorsProblem(b)
		var families []string
		for _, a := range p.Actors {
			if f := family(a); !slices.Contains(families, f) {
				families = append(families, f)
			}
		}
		for range b.N {
			var all uint64
			for _, left := range append([]string{""}, families...) {
				before := processor()
				res := leavingOut(p, b, left, initial)
				used := processor() - before
				if left == "" {
					all = res.States
				}
				table.set(cmp.Or(left, "(nothing)"), fmt.Sprint(res.States), fmt.Sprintf("%.0f%%", 100*float64(res.States)/float64(all)), fmt.Sprint(res.Transitions), millis(used))
			}
		}
	})
	table.print()
}

// family is the loop that an actor is part of, such as "kubelet" or "drain".
func family(a actor.Actor) string {
	name, _, _ := strings.Cut(a.Name(), "/")
	for _, several := range []string{"kubelet", "tainteviction"} {
		if strings.HasPrefix(name, several+"-") {
			return several
		}
	}
	if name == "maintenance" {
		return "drain" // which it begins
	}
	return name
}

// actorsProblem is an autoscaled workload that takes a new image on two nodes, with the
// states that base settles in.
func actorsProblem(b *testing.B) (*scenario.Problem, [][]byte) {
	sl := reducible(b, "autoscaled_web_takes_a_new_image")
	pol := policies.Default()
	rules, err := policies.Select(pol, nil)
	if err != nil {
		b.Fatal(err)
	}
	events := state.Events{LoadChange: 1, BadRevision: 1, PodCrash: 1, Drain: 1, DrainConcurrency: 1, NodeFailure: 1}
	v := scenario.VariantOf(sl, pol.NodeClasses(sl.Relevant), state.ClientSide, events).Change()
	p, err := scenario.NewProblem(&v.Spec, scale.Topology{1, 1, 0}, rules, actor.Realistic)
	if err != nil {
		b.Fatal(err)
	}
	initial, _, err := p.Settle(context.Background(), state.Base, scenario.Budget{})
	if err != nil {
		b.Fatal(err)
	}
	return p, initial
}

// leavingOut searches the problem without the actors of a family.
func leavingOut(p *scenario.Problem, b *testing.B, left string, initial [][]byte) *search.Result {
	sys := p.System
	sys.Initial, sys.Actors = initial, nil
	for i, a := range p.Actors {
		if family(a) != left {
			sys.Actors = append(sys.Actors, p.System.Actors[i])
		}
	}
	res, err := search.Run(context.Background(), sys, search.Options{Workers: 1, MaxEvents: 3})
	if err != nil {
		b.Fatal(err)
	}
	return res
}
