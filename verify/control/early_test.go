package control_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// silent is an actor that declares nothing but what every actor must.
type silent struct{ actor.Actor }

// TestWhoeverIsSilentKeepsOrders: where one actor that may move while a sync loop has work declares nothing, no step goes
// first; and whoever says nothing of whom it gives work to may give it to everybody, and one that does not say what it
// works on is given work by all.
func TestWhoeverIsSilentKeepsOrders(t *testing.T) {
	reduced, hasty, slow := 0, 0, 0
	eachReducible(t, func(t *testing.T, s *script, _ search.System, _ *rand.Rand) {
		reduced++
		for i, a := range s.actors {
			actors := slices.Clone(s.actors)
			actors[i] = silent{a}
			var sys search.System
			control.Reduce(&sys, s.cfg, actors)
			switch a.Latency() {
			case actor.Kubelet, actor.Periodic:
				slow++
				if sys.Wakes == nil {
					continue
				}
				if _, some := sys.Wakes(i); some {
					t.Errorf("%s says nothing, and is taken to give work to some loops only", a.Name())
				}
			default:
				hasty++
				if sys.Confluent != nil || sys.Wakes != nil {
					t.Errorf("%s says nothing, and steps go first (calm: %t)", a.Name(), actor.TraitsOf(a, s.cfg).Calm)
				}
			}
		}
	})
	if reduced < 5 || hasty < 30 || slow < 10 {
		t.Errorf("the test has lost its teeth: %d problems, %d hasty actors, %d slow ones", reduced, hasty, slow)
	}
}

// prompt are slices in which whose steps commute hangs on more than pods: on the room of a node, on priorities, and on a
// revision that may turn out bad; and on a priority that takes room from others, a quota, and a node that is named.
var prompt = []string{`
nodes a 2 zone=a cpu=4 pods=500
base web replicas=3 image=v1 cpu=500m priority=10 never
head web replicas=3 image=v2 cpu=500m priority=10 never
both low replicas=4 image=v1 cpu=900m priority=5 never
events apply=1 bad=1`, `
nodes a 2 zone=a cpu=2 pods=5
base web replicas=3 image=v1 cpu=500m surge=1
head web replicas=4 image=v2 cpu=500m surge=1
events apply=1 bad=1`, `
nodes a 2 zone=a cpu=2 pods=6
base web replicas=3 image=v1 cpu=900m priority=10
head web replicas=3 image=v2 cpu=900m priority=10
base low replicas=3 image=v1 cpu=900m priority=5
head low replicas=3 image=v2 cpu=900m priority=5
events apply=1`, `
nodes a 2 zone=a cpu=8 pods=20
base web replicas=3 image=v1 cpu=100m surge=1
head web replicas=4 image=v2 cpu=100m surge=1
base api replicas=3 image=v1 cpu=100m surge=1
head api replicas=3 image=v2 cpu=100m surge=1
quota pods=6
events apply=1`, `
nodes a 1 zone=a cpu=64 pods=500
nodes b 1 zone=b cpu=64 pods=500
base pin app=web replicas=1 image=v1 surge=0 unavailable=1 node=a-1
head pin app=web replicas=1 image=v2 surge=0 unavailable=1 node=a-1
base web replicas=2 image=v1 surge=1 apart
head web replicas=2 image=v2 surge=1 apart
events apply=1`}

// eachReducible gives the problems in which some steps go first.
func eachReducible(t *testing.T, f func(*testing.T, *script, search.System, *rand.Rand)) {
	try := func(t *testing.T, s *script, r *rand.Rand) {
		var sys search.System
		if control.Reduce(&sys, s.cfg, s.actors); sys.Confluent != nil {
			f(t, s, sys, r)
		}
	}
	for i, text := range slices.Concat(prompt, roomyProblems) {
		s := &script{}
		if err := s.cluster(strings.TrimSpace(text)); err != nil {
			t.Fatal(err)
		}
		try(t, s, rand.New(rand.NewPCG(uint64(i), 3)))
	}
	eachProblem(t, try)
}

// TestEarlyStepsCommute holds what actors declare against random states: what goes first commutes with every step that
// may come before it, and no loop is given work that the step is not said to give it.
func TestEarlyStepsCommute(t *testing.T) {
	squares, woken := map[string]int{}, 0
	eachReducible(t, func(t *testing.T, s *script, sys search.System, r *rand.Rand) {
		run := s.random(r)
		for i := range 3000 {
			from := s.random(r)
			if i%2 == 0 {
				from = run
			}
			if run = s.onwards(run, r); i%128 == 0 {
				run = s.random(r)
			}
			if s.ownerless(from) {
				continue
			}
			steps := s.hasty(from)
			for a := range s.actors {
				if len(steps[a]) != 1 || s.actors[a].Latency() != actor.Sync || !sys.Confluent(from.B, a) {
					continue
				}
				first := state.State{C: s.cfg, B: steps[a][0]}
				after := s.hasty(first)
				for b := range s.actors {
					for _, to := range steps[b] {
						if a == b {
							continue
						}
						loop, _, _ := strings.Cut(s.actors[b].Name(), "/")
						squares[loop]++
						then := s.hasty(state.State{C: s.cfg, B: to})[a]
						if len(then) != 1 || !slices.ContainsFunc(after[b], func(x []byte) bool { return bytes.Equal(x, then[0]) }) {
							t.Fatalf("%s and %s do not commute in\n%v", s.actors[a].Name(), s.actors[b].Name(), from.B)
						}
					}
				}
			}
			if sys.Wakes == nil {
				continue
			}
			for a := range s.actors {
				list, some := sys.Wakes(a)
				for _, to := range steps[a] {
					for b, now := range s.hasty(state.State{C: s.cfg, B: to}) {
						if s.actors[b].Latency() != actor.Sync || len(now) == 0 || len(steps[b]) > 0 {
							continue
						}
						if woken++; some && !slices.Contains(list, b) {
							t.Fatalf("%s gives %s something to do", s.actors[a].Name(), s.actors[b].Name())
						}
					}
				}
			}
		}
	})
	for _, loop := range []string{"deployment", "replicaset", "scheduler"} {
		if squares[loop] < 300 || woken < 1000 {
			t.Errorf("the test has lost its teeth: %d orders with a step of %s, %d loops that were given work", squares[loop], loop, woken)
		}
	}
}

// onwards is a state after a step of a state, or a random one where nothing moves. A few steps on, loops have done most
// of what a random state asks for, and what is left is what they seldom do at once.
func (s *script) onwards(from state.State, r *rand.Rand) state.State {
	for _, i := range r.Perm(len(s.actors)) {
		if list := actor.Successors(s.actors[i], from); len(list) > 0 {
			return list[r.IntN(len(list))].To
		}
	}
	return s.random(r)
}

// ownerless reports whether a state that is not to be reached has pods of a ReplicaSet that is not there.
func (s *script) ownerless(from state.State) bool {
	for p := range s.cfg.Pods {
		owned := s.cfg.Spec.Workloads[s.cfg.Pods[p].Workload].Kind().OwnsSets()
		if owned && from.Get(s.cfg.Class[p].Exists) == 0 && from.Active(p) > 0 {
			return true
		}
	}
	return false
}

// hasty lists, by actor, the canonical successors of a state through actors that may move while a sync loop has work.
func (s *script) hasty(from state.State) [][][]byte {
	out := make([][][]byte, len(s.actors))
	for i, a := range s.actors {
		if actor.TraitsOf(a, s.cfg).Calm {
			continue
		}
		if l := a.Latency(); l != actor.Sync && l != actor.Event {
			continue
		}
		for _, x := range actor.Successors(a, from) {
			s.cfg.Canon(x.To.B)
			out[i] = append(out[i], x.To.B)
		}
	}
	return out
}
