package control_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/state"
)

// slices under which the properties of all actors are tested: every actor occurs.
var problems = []string{`
nodes a 2 cpu=2
both web image=v1 cpu=500m
hpa both web min=1 max=3 target=70
vpa head web only=cpu
pdb web unavailable=1
events apply=1 load=1`, `
nodes a 2 cpu=2
both queue image=v1 cpu=200m
hpa both queue min=1 max=3 queue=30
keda head queue
both db replicas=1 image=v1 cpu=200m
vpa both db mode=InPlaceOrRecreate min=1 only=cpu
events load=1`, `
nodes a 2
both web image=v1 cpu=500m memory=100Mi
both worker app=web replicas=2 image=v1 cpu=300m memory=50Mi
hpa both web min=2 max=6 target=50
hpa head web min=3 max=5 memory=80
events apply=1 load=1`, `
nodes a 3
both web replicas=3 image=v1 cpu=500m memory=100Mi
hpa base web min=1 max=12 memory=80 queue=30 container=70
hpa head web min=2 max=9 memory=80 target=50 up=Max,4pods,30s down=Min,2pods,60s
gitops
events apply=1 load=2 spike=300 idle=60`, `
nodes a 3 zone=a
nodes b 2 zone=b
base web replicas=3 image=v1 cpu=500m surge=1 unavailable=0
head web image=v2 cpu=250m surge=50% unavailable=1
hpa both web min=2 max=6 target=50
base db image=v1 recreate
head db image=v2 recreate
both idle replicas=2 apart
events apply=2 load=2`, `
nodes a 4
server-side
base web image=v1 cpu=500m
head web replicas=2 image=v1 cpu=500m paused
hpa head web min=2 max=6 average=400m up=Min,2pods,50% down=Disabled
gitops
events apply=1 load=1`, `
nodes a 4 min=1 max=5 karpenter zone=a cpu=2
nodes b 2 min=1 max=2 karpenter grace=1h zone=b cpu=2
base web replicas=3 image=v1 cpu=500m aside
head web replicas=3 image=v2 cpu=500m
both db replicas=2 image=v1 cpu=300m apart
pdb db unavailable=1
events apply=1 removed=2`, `
nodes a 4 min=1 max=5 autoscaled spot zone=a cpu=2
nodes b 2 min=1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
both db replicas=2 image=v1 cpu=300m apart
pdb db unavailable=1
cluster-autoscaler
events apply=1 drain=1 failures=1 added=1 removed=2 reclaims=1`, `
nodes a 3 zone=a
nodes b 2 zone=b taint=k:NoExecute
nodes c 1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m tolerate=0
both db replicas=2 image=v1 tolerate=60
both pin replicas=3 image=v1 cpu=1 port=80 node=c-1
pdb web unavailable=1
events apply=1 drain=3 at-once=2 failures=2`, `
nodes a 3 zone=a cpu=4
nodes b 2 zone=b
base web replicas=3 image=v1 cpu=500m minready=10
head web replicas=3 image=v2 cpu=500m
both api image=v1 cpu=500m minready=10
hpa both api min=1 max=4 target=50
pdb web unavailable=1
quota pods=9 requests.cpu=4
events apply=1 load=1 spike=300 panic=98 drain=2 failures=1 crashes=2 bad=1`, `
nodes a 3 zone=a cpu=2
nodes b 2 zone=b cpu=1 pods=4
base web replicas=3 image=v1 cpu=500m priority=10
head web replicas=3 image=v2 cpu=800m priority=20
both batch replicas=4 image=v1 cpu=300m
both low replicas=2 image=v1 cpu=300m priority=-5 never apart
both agent replicas=2 image=v1 cpu=1 port=80 priority=15
both shy replicas=2 image=v1 cpu=400m priority=15 never port=80
pdb batch unavailable=1
events apply=1 drain=2 failures=1`, `
nodes a 3 zone=a
nodes b 1 zone=b cpu=2
base web replicas=3 image=v1 cpu=500m
head web replicas=3 image=v2 tolerate=0
both pin replicas=2 image=v1 node=b-1
both system replicas=1 image=v1 priority=2000000000
events apply=1 failures=1 drain=1 disk=2 memory=1`, `
nodes a 2 zone=a min=1
nodes b 1 zone=b min=1
claim data zone
claim early zone immediate shared
claim disk node
claim own once
claim fixed pv=topology.kubernetes.io/zone:b
base web replicas=2 image=v1 volume=data
head web replicas=2 image=v2 volume=data
both early image=v1 volume=early
both disk replicas=2 image=v1 volume=disk
both own replicas=2 image=v1 volume=own
both fixed replicas=2 image=v1 volume=fixed
events apply=1 removed=1`, `
nodes a 3 zone=a
nodes b 2 zone=b cpu=2
base db replicas=3 image=v1 cpu=500m minready=10 partition=1 stateful
head db replicas=2 image=v2 cpu=500m start=1 partition=1 stateful
base mq replicas=2 image=v1 stateful parallel apart
head mq replicas=3 image=v2 stateful parallel apart
both web replicas=2 image=v1 cpu=500m
pdb mq unavailable=1
quota pods=9
events apply=1 drain=1 failures=1 out-of-service=1 crashes=1 bad=1 rollback=1`, `
nodes a 3 zone=a
nodes b 2 zone=b
base guard replicas=2 image=v1 cpu=500m
head guard replicas=2 image=v2 cpu=800m
both web replicas=3 image=v1 cpu=500m
webhook guard
limit-range default=700m
events apply=1 drain=1 failures=2`, `
nodes a 3 zone=a cpu=2
nodes b 2 zone=b cpu=2
both once image=v1 cpu=500m job parallelism=2 completions=5
base report image=v1 cpu=500m cronjob deadline=60
head report image=v2 cpu=500m cronjob concurrency=Replace deadline=60
both pile image=v1 cpu=300m cronjob concurrency=Allow
quota pods=9
events apply=1 drain=1 failures=1 overrun=2`, `
nodes a 3 zone=a min=1
nodes b 1 zone=b cpu=2 taint=k:NoSchedule min=0
base logs image=v1 cpu=100m daemon minready=10 priority=10
head logs image=v2 cpu=100m daemon unavailable=50% priority=10
base edge image=v1 daemon surge=1 unavailable=0
head edge image=v2 daemon surge=50% unavailable=0 tolerate=0
base agent image=v1 daemon ondelete
head agent image=v2 daemon ondelete port=80
both gone image=v1 cpu=100m daemon
both web replicas=2 image=v1 cpu=500m
events apply=1 drain=1 failures=1 removed=1 disk=1`,
}

// random fills a state with any counts that the fields can hold, small ones mostly.
func (s *script) random(r *rand.Rand) state.State {
	t := s.cfg.New()
	c := s.cfg
	t.Set(c.Applied, r.IntN(2))
	for _, armed := range c.Armed {
		t.Set(armed, r.IntN(2))
	}
	t.Set(c.Applies, r.IntN(s.spec.Events.Apply+1))
	for w := range s.spec.Workloads {
		t.SetReplicas(w, r.IntN(8))
		t.Set(c.Workload[w].Load, r.IntN(int(state.Loads)))
		t.Set(c.Workload[w].Loads, r.IntN(s.spec.Events.LoadChange+1))
		if f := c.Workload[w].Recommended; f != (state.Field{}) {
			t.Set(f, r.IntN(12))
		}
		if f := c.Workload[w].Sized; f != (state.Field{}) {
			t.Set(f, r.IntN(len(s.spec.Workloads[w].Sizes)+1))
		}
	}
	if e := s.spec.Events; e.Drain > 0 {
		t.Set(c.Drains, r.IntN(e.Drain+1))
		t.Set(c.Failures, r.IntN(e.NodeFailure+1))
		for n := range c.Nodes {
			t.SetMaintenance(n, state.Maintenance(r.IntN(3)))
			t.SetOutage(n, state.Outage(max(r.IntN(6)-3, 0)))
		}
	}
	if e := s.spec.Events; c.Presses() {
		t.Set(c.DiskPressures, r.IntN(e.DiskPressure+1))
		t.Set(c.MemoryPressures, r.IntN(e.MemoryPressure+1))
		for n := range c.Nodes {
			t.SetPressure(n, state.Pressure(r.IntN(4)))
		}
	}
	t.RefillPods()
	for p := range c.Pods {
		f := &c.Class[p]
		first := c.Pods[p].Ordinal == state.NoOrdinal || p == 0 || c.Pods[p-1].Workload != c.Pods[p].Workload || c.Pods[p-1].InBase // ordinals share it
		if s.spec.Events.BadRevision > 0 && c.Pods[p].InHead && !c.Pods[p].InBase && first && r.IntN(3) == 0 {
			t.SetBad(p)
		}
		if s.spec.Events.JobOverrun > 0 && s.spec.Workloads[c.Pods[p].Workload].Kind() == state.CronJob && r.IntN(3) == 0 {
			t.SetBad(p)
		}
		if c.Pods[p].Ordinal != state.NoOrdinal {
			s.someOrdinal(t, r, p)
			continue
		}
		if c.Pods[p].PerNode {
			s.someDaemons(t, r, p)
			continue
		}
		if r.IntN(4) > 0 {
			t.Set(f.Exists, 1)
			t.Set(f.Size, r.IntN(8))
			t.Set(f.Desired, r.IntN(8))
			t.Set(f.Max, r.IntN(12))
		}
		t.Set(f.Pending, max(r.IntN(6)-3, 0))
		for n := range c.Nodes {
			if c.Preempts(p) {
				t.Nominate(n, p, max(r.IntN(8)-6, 0))
			}
			for ph := range state.Phases {
				if c.HasPhase(p, ph) {
					t.SetAt(n, f.Phase[ph], max(r.IntN(6)-3, 0))
				}
			}
		}
	}
	for i := range s.spec.Claims {
		if c.Places(i) && r.IntN(2) > 0 {
			t.Bind(r.IntN(len(c.Nodes)), i)
		}
		if c.Attaches(i) && r.IntN(3) > 0 {
			t.SetAttached(r.IntN(len(c.Nodes)), i, true)
		}
	}
	s.come(t, r)
	for w := range s.spec.Workloads {
		if len(s.spec.Workloads[w].Sizes) > 0 && r.IntN(2) == 0 {
			s.rest(t, w)
		}
	}
	return t
}

// rest leaves a workload its ready pods only, as many as it should have.
func (s *script) rest(t state.State, w int) {
	for _, p := range s.cfg.ClassesOf[w] {
		t.Set(s.cfg.Class[p].Pending, 0)
		for n := range s.cfg.Nodes {
			t.SetAt(n, s.cfg.Class[p].Phase[state.Starting], 0)
		}
	}
	t.SetReplicas(w, t.ReadyOf(w))
}

// someOrdinal gives the ordinal of class p a pod somewhere, or none.
func (s *script) someOrdinal(t state.State, r *rand.Rand, p int) {
	for _, q := range s.cfg.ClassesOf[s.cfg.Pods[p].Workload] {
		if q < p && s.cfg.Pods[q].Ordinal == s.cfg.Pods[p].Ordinal && t.Existing(q) > 0 {
			return
		}
	}
	t.Begin(p)
	t.SetCurrent(s.cfg.Pods[p].Workload, state.Version(r.IntN(2)))
	ph := state.Phase(r.IntN(int(state.Phases)))
	switch k := r.IntN(6); {
	case k == 0:
	case k == 1 || !s.cfg.HasPhase(p, ph):
		t.Set(s.cfg.Class[p].Pending, 1)
	default:
		t.Add(r.IntN(len(s.cfg.Nodes)), p, ph, 1)
	}
}

// come has some nodes come and go, where the problem has that: one that is gone is empty.
func (s *script) come(t state.State, r *rand.Rand) {
	if !s.cfg.NodesComeAndGo() {
		return
	}
	e := s.spec.Events
	t.Set(s.cfg.Additions, r.IntN(e.NodeAdded+1))
	t.Set(s.cfg.Removals, r.IntN(e.NodeRemoved+1))
	t.Set(s.cfg.Reclaims, r.IntN(e.SpotReclaim+1))
	for n := range s.cfg.Nodes {
		t.SetTenure(n, max(state.Tenure(r.IntN(9)), 3)-3)
		if !t.Gone(n) {
			continue
		}
		t.ResetNode(n)
		for p := range s.cfg.Pods {
			for ph := range state.Phases {
				t.Add(n, p, ph, -t.On(n, p, ph))
			}
		}
	}
}

func eachProblem(t *testing.T, f func(t *testing.T, s *script, r *rand.Rand)) {
	for i, text := range problems {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := &script{}
			if err := s.cluster(strings.TrimSpace(text)); err != nil {
				t.Fatal(err)
			}
			f(t, s, rand.New(rand.NewPCG(uint64(i), 1)))
		})
	}
}

// canonical lists an actor's successors in canonical form, each once.
func (s *script) canonical(a control.Actor, from state.State) []string {
	var out []string
	for _, x := range control.Successors(a, from) {
		s.cfg.Canon(x.To.B)
		out = append(out, string(x.To.B))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestSymmetry: exchanging nodes of a class before a step or after it is the same.
func TestSymmetry(t *testing.T) {
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		moved := map[string]int{}
		for range 2000 {
			from := s.random(r)
			to := s.cfg.New()
			copy(to.B, from.B)
			for class := range s.nodes {
				first, end := s.cfg.NodesOf(class)
				r.Shuffle(end-first, func(i, j int) { to.SwapNodes(first+i, first+j) })
			}
			for _, a := range s.actors {
				one, other := s.canonical(a, from), s.canonical(a, to)
				if !slices.Equal(one, other) {
					t.Fatalf("%s has %d successors in\n%v and %d, or others, in\n%v", a.Name(), len(one), from.B, len(other), to.B)
				}
				moved[a.Name()] += len(one)
			}
		}
		for _, a := range s.actors {
			if moved[a.Name()] == 0 {
				t.Errorf("%s never moved", a.Name())
			}
		}
	})
}

// TestStepIsPure: a step neither changes its state nor offers it as a successor, and
// gives the same successors in the same order whenever it is asked.
func TestStepIsPure(t *testing.T) {
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		for range 500 {
			from := s.random(r)
			before := string(from.B)
			for _, a := range s.actors {
				first, again := control.Successors(a, from), control.Successors(a, from)
				if string(from.B) != before {
					t.Fatalf("%s changed the state it was given", a.Name())
				}
				for i, x := range first {
					if string(x.To.B) == before {
						t.Fatalf("%s offers the state itself", a.Name())
					}
					if string(x.To.B) != string(again[i].To.B) || x.Move != again[i].Move {
						t.Fatalf("%s gives other successors when asked again", a.Name())
					}
				}
			}
		}
	})
}

// TestWords: every step is worded, and names fields of objects that exist.
func TestWords(t *testing.T) {
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		for range 500 {
			from := s.random(r)
			for _, a := range s.actors {
				for _, x := range control.Successors(a, from) {
					w := a.Describe(from, x.To, x.Move)
					if w.Action == "" || w.Object == "" || w.Text == "" || strings.HasSuffix(w.Text, ".") || strings.Contains(w.Text, "\n") {
						t.Fatalf("%s: %+v", a.Name(), w)
					}
					for _, b := range w.Because {
						pool := strings.HasPrefix(b.Object, control.KarpenterObject("")) // of the cluster
						hook := strings.HasPrefix(b.Object, "admissionregistration.k8s.io/") && b.Field == "webhooks[0]"
						if !hook && (!pool && !strings.Contains(b.Object, " default/") || !strings.HasPrefix(b.Field, "spec")) {
							t.Fatalf("%s: because %+v", a.Name(), b)
						}
					}
				}
			}
		}
	})
}

// TestModels: every actor says what it was read from and how it errs, and actor names
// are unique.
func TestModels(t *testing.T) {
	eachProblem(t, func(t *testing.T, s *script, _ *rand.Rand) {
		seen := map[string]bool{}
		for _, a := range s.actors {
			m := a.Model()
			if m.Upstream == "" || len(m.Exact)+len(m.MayInvent)+len(m.MayHide) == 0 {
				t.Errorf("%s: incomplete model %+v", a.Name(), m)
			}
			if seen[a.Name()] {
				t.Errorf("two actors are called %s", a.Name())
			}
			seen[a.Name()] = true
		}
	})
}

// TestStepDoesNotAllocate: the search's speed rests on it.
func TestStepDoesNotAllocate(t *testing.T) {
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		var in []state.State
		for range 200 {
			in = append(in, s.random(r))
		}
		for _, a := range s.actors {
			if n := control.StepAllocs(a, in); n > 0 {
				t.Errorf("%s: %v allocations in %d steps", a.Name(), n, len(in))
			}
		}
	})
}
