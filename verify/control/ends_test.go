package control_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// endingProblems are slices of several workloads that come to an end each by itself; in the second, nodes are tight and
// pods on deletion stand in the way of others. In the third a pod is pending until one of
// either workload has stopped, and in the fourth a quota refuses it until then: neither has come to its end.
var endingProblems = []string{`
nodes a 3 zone=a cpu=200 pods=500
base web replicas=3 image=v1 cpu=500m surge=1 unavailable=0
head web replicas=3 image=v2 cpu=250m surge=50% unavailable=1
base db image=v1 recreate
head db image=v2 recreate
both idle replicas=2 image=v1 cpu=300m
events apply=1 crashes=1 bad=1`, `
nodes a 2 zone=a cpu=1 pods=4
nodes b 1 zone=b cpu=1 pods=3
base web replicas=2 image=v1 cpu=300m surge=1 unavailable=0
head web replicas=2 image=v2 cpu=300m surge=1 unavailable=0
base api replicas=2 image=v1 cpu=200m surge=1 unavailable=1
head api replicas=3 image=v2 cpu=200m surge=1 unavailable=1
events apply=1 bad=1`, `
nodes a 1 zone=a cpu=9 pods=6
base web replicas=2 image=v1 cpu=100m surge=1 unavailable=0
head web replicas=2 image=v2 cpu=100m surge=1 unavailable=0
base api replicas=2 image=v1 cpu=100m surge=1 unavailable=0
head api replicas=2 image=v2 cpu=100m surge=1 unavailable=0
events apply=1 bad=1`, `
nodes a 1 zone=a cpu=9 pods=9
quota pods=6
base web replicas=2 image=v1 cpu=100m surge=1 unavailable=0
head web replicas=2 image=v2 cpu=100m surge=1 unavailable=0
base api replicas=2 image=v1 cpu=100m surge=1 unavailable=0
head api replicas=2 image=v2 cpu=100m surge=1 unavailable=0
events apply=1 bad=1`}

// TestEnds walks at random to states of which all actors say that each workload only comes to its end by itself, and
// holds them to it there: it stays so, no event is enabled, no pod is created or placed, and what a kubelet does to one
// workload, with what its controllers make of it, commutes with what one does to another.
func TestEnds(t *testing.T) {
	for i, text := range endingProblems {
		s := &script{}
		if err := s.cluster(strings.TrimSpace(text)); err != nil {
			t.Fatal(err)
		}
		var sys search.System
		control.End(&sys, s.cfg, s.actors, false)
		if sys.Ample == nil {
			t.Fatalf("problem %d: there are no such states", i)
		}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		ended, swapped := 0, 0
		for range 150 {
			for at := gitops.Install(s.cfg, state.Base); at.C != nil; at = s.anyStep(at, r) {
				sets := sys.Ample(at.B)
				if sets == nil || len(s.stepsAt(at, actor.Sync)) > 0 {
					continue
				}
				ended++
				if len(s.stepsAt(at, actor.Event)) > 0 {
					t.Fatalf("problem %d: an event is enabled at the end\n%v", i, at.B)
				}
				for w, set := range sets {
					for _, one := range s.calmAfter(t, at, set) {
						if sys.Ample(one.B) == nil {
							t.Fatalf("problem %d: workload %d ends the end: from\n%v to\n%v", i, w, at.B, one.B)
						}
					}
					for _, other := range sets[:w] {
						one, two := s.twice(t, at, set, other), s.twice(t, at, other, set)
						if swapped += len(one); !slices.Equal(one, two) {
							t.Fatalf("problem %d: %d ways one way round, %d the other: from\n%v", i, len(one), len(two), at.B)
						}
					}
				}
			}
		}
		if ended < 100 || swapped < 100 {
			t.Errorf("problem %d: %d states, %d ways compared", i, ended, swapped)
		}
	}
}

// stepsAt are those of the actors of a latency.
func (s *script) stepsAt(at state.State, l actor.Latency) (out []state.State) {
	for _, a := range s.actors {
		if a.Latency() == l {
			for _, x := range actor.Successors(a, at) {
				out = append(out, x.To)
			}
		}
	}
	return out
}

// anyStep takes one: of a sync loop where one has work, or else of a kubelet, or an event; the zero state is the end.
func (s *script) anyStep(at state.State, r *rand.Rand) state.State {
	steps := s.stepsAt(at, actor.Sync)
	if len(steps) == 0 {
		steps = append(s.stepsAt(at, actor.Kubelet), s.stepsAt(at, actor.Event)...)
	}
	if len(steps) == 0 {
		return state.State{}
	}
	return steps[r.IntN(len(steps))]
}

// calmAfter are the states in which the sync loops are done after a step of one of some actors; no pod is created or
// placed on the way.
func (s *script) calmAfter(t *testing.T, at state.State, set []int) (out []state.State) {
	t.Helper()
	var rest []state.State
	for _, i := range set {
		for _, x := range actor.Successors(s.actors[i], at) {
			rest = append(rest, x.To)
		}
	}
	for len(rest) > 0 {
		from := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		for p := range s.cfg.Pods {
			if from.Active(p) > at.Active(p) || from.Pending(p) > 0 {
				t.Fatalf("a pod is created at the end: from\n%v to\n%v", at.B, from.B)
			}
		}
		next := s.stepsAt(from, actor.Sync)
		if rest = append(rest, next...); len(next) == 0 {
			out = append(out, from)
		}
	}
	return out
}

// twice lists where a step of one set of actors and then one of another one lead, in canonical form, each once.
func (s *script) twice(t *testing.T, at state.State, first, then []int) (out []string) {
	t.Helper()
	for _, one := range s.calmAfter(t, at, first) {
		for _, two := range s.calmAfter(t, one, then) {
			s.cfg.Canon(two.B)
			out = append(out, string(two.B))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
