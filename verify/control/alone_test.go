package control_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// roomyProblems are slices in which some node takes every pod, as is asked of [actor.Traits]; of the last, most nodes take
// none or can be filled.
var roomyProblems = []string{`
nodes a 3 zone=a cpu=200 pods=500
nodes b 2 zone=b cpu=200 pods=500
base web replicas=3 image=v1 cpu=500m surge=1 unavailable=0
head web replicas=3 image=v2 cpu=250m surge=50% unavailable=1
base api image=v1 cpu=500m
head api image=v2 cpu=500m
hpa both api min=2 max=6 target=50
base db image=v1 recreate
head db image=v2 recreate
pdb web unavailable=1
events apply=2 load=2 crashes=2 bad=1`, `
nodes a 4 zone=a cpu=200 pods=500
server-side
base web image=v1 cpu=500m
head web replicas=2 image=v1 cpu=500m paused
hpa head web min=2 max=6 average=400m up=Min,2pods,50% down=Disabled
both idle replicas=2 image=v1 cpu=300m
events apply=1 load=1`, `
nodes a 2 zone=a cpu=200m pods=500
nodes b 2 zone=a cpu=1 pods=2
nodes c 1 zone=b cpu=200 pods=500
base web replicas=3 image=v1 cpu=500m surge=1 unavailable=0
head web replicas=3 image=v2 cpu=250m surge=50% unavailable=1
both idle replicas=2 image=v1 cpu=300m
events apply=1 crashes=1`}

// tightProblems are slices of which one outgrows its nodes only if all workloads have the most pods at once; of the last
// the nodes are small, so that pods on deletion stand in the way of others.
var tightProblems = []string{`
nodes a 3 zone=a cpu=4 pods=40
base web image=v1 cpu=250m
head web image=v2 cpu=300m
hpa both web min=3 max=6 target=50
both idle replicas=2 image=v1 cpu=300m
events apply=1 load=2`, `
nodes a 2 zone=a cpu=1 pods=6
nodes b 1 zone=b cpu=2 pods=4
base web replicas=2 image=v1 cpu=300m surge=1 unavailable=0
head web replicas=3 image=v2 cpu=200m surge=50% unavailable=1
both api replicas=2 image=v1 cpu=100m
events apply=1 crashes=1`}

// aloneIn reports whether an actor treats workloads as if they were alone in a state, as they take so much room.
func aloneIn(own actor.Traits, s state.State) bool {
	if own.Alone || own.Room == nil {
		return own.Alone
	}
	total := make([]int, own.Room.Numbers)
	for w := range s.C.Spec.Workloads {
		taken := make([]search.Range, own.Room.Numbers)
		own.Room.Taken(s, w, taken)
		for d, r := range taken {
			total[d] += r.Max
		}
	}
	return own.Room.Lasts(total)
}

// TestAlone holds what actors say of workloads by themselves against random states: what an actor does to a workload
// among others, on many nodes, it does to it without them and with its pods elsewhere, and a loop does no less. One that
// looks at what it says not to look at fails here; one that says nothing is left alone.
func TestAlone(t *testing.T) {
	compared := map[string]int{}
	try := func(t *testing.T, s *script, r *rand.Rand) {
		for range 1500 {
			among := s.random(r)
			for w := range s.spec.Workloads {
				if among.ExistingOf(w) > s.cfg.MaxPods { // more than there ever are
					among = state.State{}
					break
				}
			}
			if among.C == nil {
				continue
			}
			for w := range s.spec.Workloads {
				alone := s.lonely(among, w, r)
				for _, a := range s.actors {
					own := actor.TraitsOf(a, s.cfg)
					of, ok := own.Of, aloneIn(own, among)
					if ok && !own.Alone {
						compared["tight"]++
					}
					if !ok || of != w && of != actor.Each {
						if ok && len(s.stepsOn(a, among, w)) > 0 {
							t.Fatalf("%s changes a workload that it says it has nothing to do with", a.Name())
						}
						continue
					}
					some, all := s.stepsOn(a, among, w), s.stepsOn(a, alone, w)
					for _, step := range some {
						if !slices.Contains(all, step) {
							t.Fatalf("%s does something to workload %d that it does not do to it alone: from\n%v and not from\n%v", a.Name(), w, among.B, alone.B)
						}
					}
					if a.Latency() != actor.Event && len(some) < len(all) {
						t.Fatalf("%s leaves out something that it does to workload %d alone: %d steps from\n%v and %d from\n%v", a.Name(), w, len(some), among.B, len(all), alone.B)
					}
					loop, _, _ := strings.Cut(a.Name(), "/")
					compared[loop] += len(some)
				}
			}
		}
	}
	for i, text := range roomyProblems {
		s := &script{}
		if err := s.cluster(strings.TrimSpace(text)); err != nil {
			t.Fatal(err)
		}
		if !control.Apart(s.cfg, s.actors) {
			t.Errorf("roomy problem %d is searched as a whole only", i)
		}
		try(t, s, rand.New(rand.NewPCG(uint64(i), 2)))
	}
	for i, text := range tightProblems {
		s := &script{}
		if err := s.cluster(strings.TrimSpace(text)); err != nil {
			t.Fatal(err)
		}
		if control.Apart(s.cfg, s.actors) || control.RoomFor(s.cfg, s.actors) == nil {
			t.Errorf("of tight problem %d room for pods is not what counts", i)
		}
		try(t, s, rand.New(rand.NewPCG(uint64(i), 4)))
	}
	eachProblem(t, try)
	for _, loop := range []string{"apply", "load", "crash", "bad-revision", "deployment", "replicaset", "scheduler", "kubelet-start", "kubelet-stop", "hpa", "tight"} {
		if compared[loop] < 100 {
			t.Errorf("only %d steps of %s were compared", compared[loop], loop)
		}
	}
}

// lonely is a state in which only workload w has pods, as many in each phase, on other nodes.
func (s *script) lonely(among state.State, w int, r *rand.Rand) state.State {
	out := s.cfg.New()
	copy(out.B, among.B)
	for p := range s.cfg.Pods {
		f := &s.cfg.Class[p]
		own := s.cfg.Pods[p].Workload == w
		if !own {
			for _, x := range []state.Field{f.Exists, f.Size, f.Desired, f.Max, f.Pending} {
				if x != (state.Field{}) {
					out.Set(x, 0)
				}
			}
		}
		for n := range s.cfg.Nodes {
			for ph := range state.Phases {
				if !s.cfg.HasPhase(p, ph) {
					continue
				}
				k := among.On(n, p, ph)
				out.Add(n, p, ph, -k)
				if own {
					out.Add(r.IntN(len(s.cfg.Nodes)), p, ph, k)
				}
			}
		}
	}
	return out
}

// stepsOn lists what an actor makes of workload w, wherever its pods are, each once, but for nothing.
func (s *script) stepsOn(a actor.Actor, from state.State, w int) []string {
	before := s.numbers(from, w)
	var out []string
	for _, x := range actor.Successors(a, from) {
		if now := s.numbers(x.To, w); now != before {
			out = append(out, now)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// numbers are those of workload w in a state: its fields, and its pods by class and phase.
func (s *script) numbers(t state.State, w int) string {
	var out []byte
	add := func(n int) { out = append(out, byte(n), byte(n>>8)) }
	add(int(t.Version()))
	add(t.Replicas(w))
	add(int(t.Load(w)))
	f := &s.cfg.Workload[w]
	for _, x := range []state.Field{f.Loads, f.Owners, f.Recommended} {
		if x != (state.Field{}) {
			add(t.Get(x))
		}
	}
	for _, p := range s.cfg.ClassesOf[w] {
		g := &s.cfg.Class[p]
		for _, x := range []state.Field{g.Exists, g.Size, g.Desired, g.Max, g.Pending, g.Bad} {
			if x != (state.Field{}) {
				add(t.Get(x))
			}
		}
		for ph := range state.Phases {
			add(t.Count(p, ph))
		}
	}
	return string(out)
}
