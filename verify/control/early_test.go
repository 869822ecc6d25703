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
			calm, ok := a.(actor.CalmEvent)
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
					t.Errorf("%s says nothing, and steps go first (calm: %t)", a.Name(), ok && calm.FallsInCalm(s.cfg))
				}
			}
		}
	})
	if reduced < 5 || hasty < 30 || slow < 10 {
		t.Errorf("the test has lost its teeth: %d problems, %d hasty actors, %d slow ones", reduced, hasty, slow)
	}
}

// prompt are slices in which whose steps commute hangs on more than pods: on the room of a node, on priorities, and on a
// revision that may turn out bad.
var prompt = []string{`
nodes a 2 zone=a cpu=4 pods=500
base web replicas=3 image=v1 cpu=500m priority=10 never
head web replicas=3 image=v2 cpu=500m priority=10 never
both low replicas=4 image=v1 cpu=900m priority=5 never
events apply=1 bad=1`, `
nodes a 2 zone=a cpu=2 pods=5
base web replicas=3 image=v1 cpu=500m surge=1
head web replicas=4 image=v2 cpu=500m surge=1
events apply=1 bad=1`}

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
		for range 3000 {
			from := s.random(r)
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
		if e, ok := a.(actor.CalmEvent); ok && e.FallsInCalm(s.cfg) {
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
