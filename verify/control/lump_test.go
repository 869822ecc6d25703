package control_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestLumps holds what actors say of likenesses against pairs of random states that are alike: each takes the same
// steps from both. An actor that looks at what it says not to look at fails here; one that says nothing is left alone.
func TestLumps(t *testing.T) {
	compared := map[actor.LikenessKind]map[string]int{actor.StartedWhere: {}, actor.StoppingAs: {}}
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		for _, k := range likenesses(s) {
			lumps, grows := s.cfg.NewLumps(), func(state.State) bool { return true }
			if k.Kind == actor.StoppingAs {
				lumps.LumpStops(k.Class, k.Other)
			} else {
				lumps.LumpStarts(k.Class, grows)
				for _, a := range s.actors {
					if d, ok := a.(*workloads.Deployment); ok && d.Workload == s.cfg.Pods[k.Class].Workload {
						if grows = d.Grows(s.cfg, k.Class, false); grows == nil {
							grows = func(state.State) bool { return false }
						}
					}
				}
			}
			actors := nodes.Lumped(s.actors, lumps)
			for range 1500 {
				from := s.random(r)
				if k.Kind == actor.StartedWhere && !s.grow(from, k.Class, grows) || k.Kind == actor.StoppingAs && !s.stop(from, k) {
					continue
				}
				to := s.cfg.New()
				copy(to.B, from.B)
				s.alike(to, k, r)
				if string(from.B) == string(to.B) || k.Kind == actor.StoppingAs && !s.stop(to, k) {
					continue
				}
				for _, a := range actors {
					if !actor.TraitsOf(a, s.cfg).Lump(k) {
						continue
					}
					one, other := s.lumped(a, from, lumps), s.lumped(a, to, lumps)
					if !slices.Equal(one, other) {
						t.Fatalf("%s tells apart what it says it does not (%+v): %d steps from\n%v and %d, or others, from\n%v", a.Name(), k, len(one), from.B, len(other), to.B)
					}
					loop, _, _ := strings.Cut(a.Name(), "/")
					compared[k.Kind][loop] += len(one)
				}
			}
		}
	})
	for kind, loops := range map[actor.LikenessKind][]string{
		actor.StartedWhere: {"scheduler", "kubelet-start", "kubelet-stop", "replicaset", "deployment", "hpa", "crash", "own"},
		actor.StoppingAs: {
			"scheduler", "kubelet-start", "kubelet-stop", "replicaset", "deployment", "hpa", "crash", "drain", "node", "tainteviction-timed", "cluster-autoscaler",
			"panic", "apply", "load", "node-pool", "node-exit", "own",
		},
	} {
		for _, loop := range loops {
			if compared[kind][loop] < 100 {
				t.Errorf("%d: only %d steps of %s were compared", kind, compared[kind][loop], loop)
			}
		}
	}
}

// likenesses are those that a problem has at all.
func likenesses(s *script) (out []actor.Likeness) {
	for p := range s.cfg.Pods {
		if !s.cfg.Warms(p) && !s.cfg.Ripens(p) && s.cfg.Spec.Workloads[s.cfg.Pods[p].Workload].Kind() == state.Deployment {
			out = append(out, actor.Likeness{Kind: actor.StartedWhere, Class: p})
		}
		for q := range p {
			if s.cfg.HasPhase(p, state.Terminating) && objects.SameFootprint(s.cfg, p, q) {
				out = append(out, actor.Likeness{Kind: actor.StoppingAs, Class: q, Other: p})
			}
		}
	}
	return out
}

// grow has the ReplicaSet of a class want what its workload does, and no other one anything, and reports whether it is
// one whose size only rises then.
func (s *script) grow(t state.State, p int, grows func(state.State) bool) bool {
	w := s.cfg.Pods[p].Workload
	t.Set(s.cfg.Applies, 0)
	for _, q := range s.cfg.ClassesOf[w] {
		t.Set(s.cfg.Class[q].Desired, t.Replicas(w))
	}
	t.Set(s.cfg.Class[p].Size, max(t.Replicas(w), t.Get(s.cfg.Class[p].Size)))
	t.SetReplicas(w, t.Get(s.cfg.Class[p].Size))
	for _, q := range s.cfg.ClassesOf[w] {
		t.Set(s.cfg.Class[q].Desired, t.Replicas(w))
	}
	return grows(t)
}

// stop reports whether a state is one that can be: of a revision that is yet to begin there are no pods, and none that is bad
// is lumped.
func (s *script) stop(t state.State, k actor.Likeness) bool {
	for _, p := range []int{k.Class, k.Other} {
		if t.Bad(p) || t.Get(s.cfg.Class[p].Exists) == 0 && t.Count(p, state.Terminating) > 0 {
			return false
		}
	}
	return true
}

// alike makes of a state another one like it.
func (s *script) alike(t state.State, k actor.Likeness, r *rand.Rand) {
	if k.Kind == actor.StoppingAs {
		for n := range s.cfg.Nodes {
			all := t.On(n, k.Class, state.Terminating) + t.On(n, k.Other, state.Terminating)
			own := r.IntN(all + 1)
			t.Add(n, k.Class, state.Terminating, own-t.On(n, k.Class, state.Terminating))
			t.Add(n, k.Other, state.Terminating, all-own-t.On(n, k.Other, state.Terminating))
		}
		return
	}
	for range 10 {
		a, b := r.IntN(len(s.cfg.Nodes)), r.IntN(len(s.cfg.Nodes))
		if t.On(a, k.Class, state.Starting) > 0 && t.On(b, k.Class, state.Ready) > 0 {
			t.Add(a, k.Class, state.Starting, -1)
			t.Add(a, k.Class, state.Ready, 1)
			t.Add(b, k.Class, state.Starting, 1)
			t.Add(b, k.Class, state.Ready, -1)
		}
	}
}

// lumped lists an actor's successors in lumped form, each once.
func (s *script) lumped(a actor.Actor, from state.State, l *state.Lumps) []string {
	var out []string
	for _, x := range actor.Successors(a, from) {
		l.Canon(x.To.B)
		out = append(out, string(x.To.B))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
