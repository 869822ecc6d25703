package control_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/others"
	"github.com/kubesettle/kubesettle/verify/state"
)

// random fills a state with any counts that the fields can hold, small ones mostly.
func (s *script) random(r *rand.Rand) state.State {
	t := s.cfg.New()
	c := s.cfg
	t.Set(c.Applied, r.IntN(2))
	if s.spec.Events.Revert {
		t.Set(c.Reverts, r.IntN(2))
	}
	if c.Steps() > 1 && t.Version() == state.Head {
		t.Set(c.StepsLeft, r.IntN(c.Steps()))
	}
	if s.spec.Helm != nil && c.Remedies() {
		for range r.IntN(3) {
			t.FailUpgrade()
		}
		if s.spec.Helm.Undo == state.Uninstalls && r.IntN(2) == 0 {
			t.Reinstall()
		}
	}
	for _, armed := range c.Armed {
		t.Set(armed, r.IntN(2))
	}
	t.Set(c.Applies, r.IntN(s.spec.Events.Apply+1))
	for i := range s.spec.Declared {
		t.Notice(i, r.IntN(2) == 0)
	}
	for w := range s.spec.Workloads {
		if c.Restarts(w) && r.IntN(2) == 0 {
			t.Turn(w)
		}
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
	for w := range s.spec.Workloads {
		s.someStatus(t, r, w)
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
	if c.Lags() {
		defer s.fallBehind(t, r)
	}
	if t.RestartsLeft() > 0 && r.IntN(3) == 0 {
		t.StopManager()
	}
	for p := range c.Pods {
		f := &c.Class[p]
		if f.Displaced.Laid() {
			t.Set(f.Displaced, r.IntN(2))
		}
		if f.Claims.Laid() {
			t.Set(f.Claims, r.IntN(2))
		}
		if f.Evicted.Laid() {
			t.Set(f.Evicted, r.IntN(int(state.GivenUp)+1))
		}
		if f.Started.Laid() {
			t.Set(f.Started, r.IntN(2))
		}
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
		if (len(s.spec.Workloads[w].Sizes) > 0 || c.Steps() > 1) && r.IntN(2) == 0 {
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
func (s *script) canonical(a actor.Actor, from state.State) []string {
	var out []string
	for _, x := range actor.Successors(a, from) {
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
				first, again := actor.Successors(a, from), actor.Successors(a, from)
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
				for _, x := range actor.Successors(a, from) {
					w := a.Describe(from, x.To, x.Move)
					if w.Action == "" || w.Object == "" || w.Text == "" || strings.HasSuffix(w.Text, ".") || strings.Contains(w.Text, "\n") {
						t.Fatalf("%s: %+v", a.Name(), w)
					}
					for _, b := range w.Because {
						pool := strings.HasPrefix(b.Object, nodes.KarpenterObject("")) // of the cluster
						heals := b.Object == gitops.Object && b.Field == "selfHeal"    // of an Application
						hook := strings.HasPrefix(b.Object, "admissionregistration.k8s.io/") && b.Field == "webhooks[0]"
						own := strings.HasPrefix(b.Object, others.Object("")) || b.Field == "data" // of the policy, and what it watches
						queue := strings.HasPrefix(b.Object, "kueue.x-k8s.io/ClusterQueue ")
						wave := b.Field == "metadata.annotations[argocd.argoproj.io/sync-wave]"
						if !hook && !heals && !own && !wave && (!pool && !queue && !strings.Contains(b.Object, " default/") || !strings.HasPrefix(b.Field, "spec")) {
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
			if n := StepAllocs(a, in); n > 0 {
				t.Errorf("%s: %v allocations in %d steps", a.Name(), n, len(in))
			}
		}
	})
}

// fallBehind has the view of a loop lag, by a pod or two that have gone on since.
func (s *script) fallBehind(t state.State, r *rand.Rand) {
	loops := 0
	for _, a := range s.actors {
		if actor.TraitsOf(a, s.cfg).Lag != nil {
			loops++
		}
	}
	if s.cfg.Lag.Disruption >= 0 {
		loops++ // a budget's status
	}
	if r.IntN(4) == 0 {
		return
	}
	t.BeginLag(r.IntN(loops))
	for range r.IntN(3) {
		n, p := r.IntN(len(s.cfg.Nodes)), r.IntN(len(s.cfg.Pods))
		switch {
		case t.On(n, p, state.Ready) > 0:
			t.Add(n, p, state.Ready, -1)
			t.Add(n, p, state.Terminating, 1)
		case t.On(n, p, state.Starting) > 0:
			t.Add(n, p, state.Starting, -1)
			t.Add(n, p, state.Ready, 1)
		case t.Awaited(n, p) > 0 && !s.cfg.Preempts(p):
			t.Await(n, p, -1)
			t.Add(n, p, state.Starting, 1)
		case t.Pending(p) > 0 && !s.cfg.Preempts(p) && !s.cfg.Pods[p].PerNode:
			t.Set(s.cfg.Class[p].Pending, t.Pending(p)-1)
			t.Add(n, p, state.Starting, 1)
		}
	}
}
