package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

func (p problem) config(t *testing.T) *state.Config {
	t.Helper()
	c, err := p.builder(t, nil).Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p problem) builder(t *testing.T, gitops *state.GitOps) *state.Builder {
	t.Helper()
	spec := &state.Spec{
		Classes:   []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Min: 1, Max: 3, Autoscaled: true}},
		Workloads: []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{p.base, p.head}}},
		Events:    state.Events{Apply: 1, LoadChange: 1, Drain: 1, StartupSpike: 200, NodePanic: 98, Revert: true}, ClusterAutoscaler: true, GitOps: gitops,
	}
	b, err := state.NewBuilder(spec, []int{3}, 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mostHelpWords is what a reader with a red check takes in: is it real, how bad is it, what now?
const mostHelpWords = 90

func TestRulesAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	c := problem{deployment(3, "a", hpa(2, 6), budget("1", ""), apart), deployment(3, "b", hpa(2, 6), budget("1", ""), apart)}.preempting(t)
	for _, r := range All() {
		if seen[r.ID] || r.ID != strings.ToLower(r.ID) || strings.ContainsAny(r.ID, " _") {
			t.Errorf("the ID %q is not unique or not in kebab-case", r.ID)
		}
		seen[r.ID] = true
		mild := slices.Contains([]string{CannotRevert, DanglingTarget, StaleConfig, NoLongerDeployed, NoEffect}, r.ID)
		if strings.HasSuffix(r.Title, ".") || r.Title == "" || r.Class == "" || r.Severity != Error && !mild {
			t.Errorf("%s: title %q, class %q, severity %q: want a title without a full stop, a class, and an error unless it is listed here", r.ID, r.Title, r.Class, r.Severity)
		}
		if r.Help.Real == "" || r.Help.Bad == "" || r.Help.Now == "" || len(r.Help.Sources) == 0 {
			t.Errorf("%s: a part of its help is missing", r.ID)
		}
		if n := len(strings.Fields(strings.ReplaceAll(r.Help.Real+" "+r.Help.Bad+" "+r.Help.Now, "- ", ""))); n > mostHelpWords {
			t.Errorf("%s: its help has %d words, more than %d", r.ID, n, mostHelpWords)
		}
		for _, src := range r.Help.Sources {
			if !strings.HasPrefix(src, "https://") {
				t.Errorf("%s: the source %q is not an address", r.ID, src)
			}
		}
		p := r.New(c, 0)
		if p.IsZero() { // it speaks of StatefulSets
			p = r.New(statefulProblem(t), 0)
		}
		set := 0
		for _, b := range []bool{p.Bad != nil, p.BadStep != nil, p.Quiescent != nil, p.Persists != nil, p.Settles != nil, p.Recurs != nil} {
			if b {
				set++
			}
		}
		if r.Static {
			if set != 0 {
				t.Errorf("%s: %d predicates of a rule without runs", r.ID, set)
			}
			continue
		}
		if set != 1 || p.IsZero() || p.Message == nil || len(p.Fields) == 0 {
			t.Errorf("%s: %d predicates, message %t, fields %v", r.ID, set, p.Message != nil, p.Fields)
		}
		for _, f := range p.Fields {
			if kind, path, ok := strings.Cut(f, ":"); !ok || kind == "" || !strings.HasPrefix(path, "spec.") {
				t.Errorf("%s: the field %q is not Kind:path", r.ID, f)
			}
		}
	}
}

// TestPendingAndStuck: a state is judged by one of the two rules at most, whichever
// tells more.
func TestPendingAndStuck(t *testing.T) {
	change := problem{deployment(3, "a"), deployment(3, "b")}
	scale := problem{deployment(3, "a"), deployment(5, "a")}
	gone := problem{deployment(3, "a"), state.Manifest{}}
	for _, x := range []struct {
		name    string
		p       problem
		v       state.Version
		live    int
		classes []pods
		want    string // the rule that fires and its message, or ""
	}{
		{"settled", change, state.Head, 3, []pods{{}, {size: 3, ready: 3}}, ""},
		{"settled on base", change, state.Base, 3, []pods{{size: 3, ready: 3}}, ""},
		{"pending on base", change, state.Base, 3, []pods{{size: 3, ready: 2, pending: 1}},
			"unschedulable: pod of default/web (old revision) can stay pending forever: 2 of 3 replicas run"},
		{"the surge pod has no node", change, state.Head, 3, []pods{{size: 3, ready: 3}, {size: 1, pending: 1}},
			"rollout-stuck: the rollout of default/web can stay incomplete forever: 0 of 3 replicas are updated and ready, 1 pod of the new revision stays pending, 3 pods of the old revision stay"},
		{"no surge pod was made", change, state.Head, 3, []pods{{size: 3, ready: 3}, {size: 1}},
			"rollout-stuck: the rollout of default/web can stay incomplete forever: 0 of 3 replicas are updated and ready, 3 pods of the old revision stay"},
		{"the new ReplicaSet does not exist", change, state.Head, 3, []pods{{size: 3, ready: 3}, {}},
			"rollout-stuck: the rollout of default/web can stay incomplete forever: 0 of 3 replicas are updated and ready, 3 pods of the old revision stay"},
		{"rolled out, one replica has no node", change, state.Head, 6, []pods{{}, {size: 6, ready: 5, pending: 1}},
			"unschedulable: pod of default/web (new revision) can stay pending forever: 5 of 6 replicas run"},
		{"the old pods terminate", change, state.Head, 3, []pods{{terminating: 1}, {size: 3, ready: 1, pending: 2}},
			"unschedulable: 2 pods of default/web (new revision) can stay pending forever: 1 of 3 replicas runs"},
		{"all old gone, no pod made", change, state.Head, 3, []pods{{}, {size: 3, ready: 2}},
			"rollout-stuck: the rollout of default/web can stay incomplete forever: 2 of 3 replicas are updated and ready"},
		{"reverted, and stuck there", change, state.Base, 3, []pods{{size: 1, pending: 1}, {size: 3, ready: 3}},
			"rollout-stuck: the rollout of default/web can stay incomplete forever: 0 of 3 replicas are updated and ready, 1 pod of the old revision stays pending, 3 pods of the new revision stay"},
		{"only scaled", scale, state.Head, 5, []pods{{size: 5, ready: 4, pending: 1}},
			"unschedulable: pod of default/web can stay pending forever: 4 of 5 replicas run"},
		{"only scaled, not all ready yet", scale, state.Head, 5, []pods{{size: 5, ready: 4, starting: 1}}, ""},
		{"paused on purpose", problem{deployment(3, "a"), deployment(3, "b", paused)}, state.Head, 3, []pods{{size: 3, ready: 3}, {}}, ""},
		{"paused, with a pending pod", problem{deployment(3, "a"), deployment(3, "b", paused)}, state.Head, 3, []pods{{size: 3, ready: 2, pending: 1}, {}},
			"unschedulable: pod of default/web (old revision) can stay pending forever: 2 of 3 replicas run"},
		{"removed", gone, state.Head, 0, []pods{{size: 3, ready: 2, pending: 1}}, ""},
		{"scaled to zero", change, state.Head, 0, []pods{{}, {}}, ""},
	} {
		c := x.p.config(t)
		s := at(c, x.v, x.live, x.classes...)
		var got []string
		for _, r := range []Rule{unschedulable, rolloutStuck} {
			if p := r.New(c, 0); p.Persists != nil && p.Persists(s) {
				got = append(got, r.ID+": "+p.Message(s))
			}
		}
		if strings.Join(got, "; ") != x.want {
			t.Errorf("%s:\n got %q\nwant %q", x.name, got, x.want)
		}
	}
}

func TestReplicasReset(t *testing.T) {
	for _, x := range []struct {
		name     string
		p        problem
		from, to int
		want     bool
	}{
		{"pinned beside an autoscaler", problem{deployment(2, "a", hpa(2, 10)), deployment(2, "b", hpa(2, 10))}, 6, 2, true},
		{"unpinned, so reset to 1", problem{deployment(3, "a", hpa(2, 10)), deployment(1, "a", hpa(2, 10), undeclared)}, 6, 1, true},
		{"autoscaler comes and the number goes", problem{deployment(3, "a"), deployment(1, "a", hpa(2, 10), undeclared)}, 3, 1, true},
		{"autoscaler comes, fewer are declared", problem{deployment(3, "a"), deployment(2, "a", hpa(2, 10))}, 3, 2, false},
		{"autoscaler goes, fewer are declared", problem{deployment(3, "a", hpa(2, 10)), deployment(3, "a")}, 6, 3, false},
		{"number kept", problem{deployment(1, "a", hpa(2, 10), undeclared), deployment(1, "b", hpa(2, 10), undeclared)}, 6, 6, false},
		{"raised", problem{deployment(8, "a", hpa(2, 10)), deployment(8, "b", hpa(2, 10))}, 6, 8, false},
		{"down to the new maximum", problem{deployment(8, "a", hpa(2, 10)), deployment(4, "b", hpa(2, 4))}, 8, 4, false},
		{"below the new maximum", problem{deployment(8, "a", hpa(2, 10)), deployment(3, "b", hpa(2, 4))}, 8, 3, true},
	} {
		c := x.p.config(t)
		from, to := at(c, state.Base, x.from), at(c, state.Head, x.to)
		p := replicasReset.New(c, 0)
		if got := p.BadStep(from, to); got != x.want {
			t.Errorf("%s: from %d to %d is bad: %t, want %t", x.name, x.from, x.to, got, x.want)
		}
		other := at(c, state.Head, x.from)
		if p.BadStep(other, to) {
			t.Errorf("%s: a step that is no apply is bad", x.name)
		}
	}
	c := problem{deployment(3, "a"), deployment(3, "b")}.config(t)
	if !replicasReset.New(c, 0).IsZero() {
		t.Error("the rule speaks of a workload without an autoscaler")
	}
	c = problem{deployment(3, "a", hpa(2, 6)), deployment(1, "a", hpa(2, 6), undeclared)}.config(t)
	got := replicasReset.New(c, 0).Message(at(c, state.Head, 1))
	want := "applying the change resets default/web to 1 replica although a HorizontalPodAutoscaler owns the number and has a minimum of 2"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestBadRevision: what a bad revision leaves undone is none of rollout-stuck's business;
// what it does to the old pods is below-floor's; its own pods can hold up a drain.
func TestBadRevision(t *testing.T) {
	config := func(more ...func(*state.Manifest)) *state.Config {
		spec := &state.Spec{
			Classes: []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Min: 1, Max: 3}},
			Workloads: []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web",
				Manifests: [2]state.Manifest{deployment(3, "a", more...), deployment(3, "b", more...)}}},
			Events: state.Events{Apply: 1, Drain: 1, PodCrash: 1, BadRevision: 1},
		}
		b, err := state.NewBuilder(spec, []int{3}, 20)
		if err != nil {
			t.Fatal(err)
		}
		b.AddCrashes()
		b.AddBadRevisions([]int{1})
		c, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := config(budget("1", ""))
	bad := func(c *state.Config, replicas int, classes ...pods) state.State {
		s := at(c, state.Head, replicas, classes...)
		s.SetBad(1)
		return s
	}
	good := at(c, state.Head, 3, pods{size: 3, ready: 3}, pods{size: 1, starting: 1})
	s := bad(c, 3, pods{size: 3, ready: 3}, pods{size: 1, starting: 1})
	if stuck := rolloutStuck.New(c, 0); !stuck.Persists(good) || stuck.Persists(s) {
		t.Error("a rollout that cannot complete is one of a bad revision or a finding, not both or neither")
	}
	floor := belowFloor.New(c, 0)
	none := bad(c, 3, pods{size: 0, terminating: 3}, pods{size: 3, starting: 3})
	if !floor.BadStep(s, none) {
		t.Error("a bad revision takes all pods away, and it is no finding")
	}
	crashed := bad(c, 3, pods{size: 3, starting: 3}, pods{size: 1, starting: 1})
	s.RefillPods()
	if floor.BadStep(s, crashed) || !BelowFloorAt(2).New(c, 0).BadStep(s, crashed) {
		t.Error("a crash breaks a minReady, and no derived floor")
	}
	scaled := config(hpa(3, 6))
	if belowFloor.New(scaled, 0).BadStep(bad(scaled, 3, pods{size: 3, ready: 3}), bad(scaled, 3, pods{size: 2, ready: 2})) {
		t.Error("an autoscaler that shrinks a bad rollout in proportion breaks the floor")
	}
	blocked := drainBlocked.New(c, 0)
	s.SetMaintenance(0, state.Draining)
	if !blocked.Persists(s) || blocked.Message(s) != "node n-1 can stay undrained forever: 1 unready pod of default/web stays on it, 3 of 3 replicas are ready" {
		t.Errorf("the bad revision's pod on the node: %t, %q", blocked.Persists(s), blocked.Message(s))
	}
	s.Add(0, 1, state.Starting, -1)
	if blocked.Persists(s) {
		t.Error("the old pods that serve while a revision is bad hold up a drain")
	}
	spread := config(apart)
	together := bad(spread, 3, pods{size: 3, ready: 3}, pods{size: 1, starting: 1})
	if singleDomain.New(spread, 0).Quiescent(together) {
		t.Error("where old pods are while a revision is bad is a finding")
	}
}

// TestRunawayScale: the sync that reaches the maximum is judged by the load that is there.
func TestRunawayScale(t *testing.T) {
	for _, x := range []struct {
		name     string
		justify  int // what the load asks for
		from, to int
		held     int // by the stabilization windows; 0: nothing but the live count
		declared int32
		heals    bool // Git's number is set again
		want     bool
		happened string
	}{
		{"to the maximum", 2, 2, 6, 0, 2, false, true, ""},
		{"the load asks for it", 6, 2, 6, 0, 2, false, false, ""},
		{"short of the maximum", 2, 2, 5, 0, 2, false, true, ""},
		{"twice what the load asks for", 2, 2, 4, 0, 2, false, false, ""},
		{"far beyond it already", 2, 5, 6, 0, 2, false, false, ""},
		{"down to the maximum", 2, 8, 6, 0, 2, false, false, ""},
		{"back from it", 2, 6, 2, 0, 2, false, false, ""},
		{"held of no load", 2, 2, 6, 6, 2, false, true, ""},
		{"held from an earlier load", 2, 2, 6, 6, 2, false, false, "load"},
		{"held from before an apply", 2, 2, 6, 6, 2, false, false, "apply"},
		{"held less", 2, 2, 6, 3, 2, false, true, ""},
		{"Git says so", 2, 2, 6, 0, 6, true, false, ""},
		{"Git says less", 2, 2, 6, 0, 2, true, true, ""},
	} {
		p := problem{deployment(x.declared, "a", hpa(2, 6)), deployment(x.declared, "a", hpa(2, 6))}
		b := p.builder(t, &state.GitOps{SelfHeal: x.heals})
		b.Rest(0, state.Head, state.Nominal, x.justify)
		b.Rest(0, state.Head, state.Saturating, 6)
		b.Config().Workload[0].Recommended = b.Field(20)
		c, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		from, to := at(c, state.Head, x.from), at(c, state.Head, x.to)
		from.Set(c.Workload[0].Recommended, x.held)
		for _, s := range []state.State{from, to} {
			s.Set(c.Workload[0].Load, int(state.Nominal))
			s.Set(c.Applies, map[bool]int{true: 0, false: 1}[x.happened == "apply"])
			s.Set(c.Workload[0].Loads, map[bool]int{true: 0, false: 1}[x.happened == "load"])
		}
		r := runawayScale.New(c, 0)
		if got := r.BadStep(from, to); got != x.want {
			t.Errorf("%s: %t, want %t", x.name, got, x.want)
		}
		before := at(c, state.Base, x.from)
		before.Set(c.Workload[0].Load, int(state.Nominal))
		if r.BadStep(before, to) {
			t.Errorf("%s: an apply runs away", x.name)
		}
		of := "its maximum of 6 replicas"
		if x.to < 6 {
			of = fmt.Sprintf("%d replicas, of at most 6,", x.to)
		}
		want := "the autoscaler of default/web can go to " + of + " with no load to justify it: the nominal load asks for 2"
		if got := r.Message(to); x.want && got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
	if c := (problem{deployment(3, "a"), deployment(3, "a")}).config(t); !runawayScale.New(c, 0).IsZero() || !replicaOscillation.New(c, 0).IsZero() {
		t.Error("a rule on autoscalers speaks of a workload without one")
	}
}

func TestReplicaOscillation(t *testing.T) {
	c := problem{deployment(2, "a", hpa(2, 6)), deployment(2, "a", hpa(2, 6))}.config(t)
	p := replicaOscillation.New(c, 0)
	s := at(c, state.Head, 4, pods{size: 4, ready: 2, starting: 2})
	if p.Recurs(s, at(c, state.Head, 4, pods{size: 4, ready: 3, starting: 1})) {
		t.Error("a step that leaves the replicas alone recurs")
	}
	if !p.Recurs(s, at(c, state.Head, 2, pods{size: 4, ready: 2, starting: 2})) {
		t.Error("a step that changes the replicas does not recur")
	}
	got, want := p.Message(s), "the replicas of default/web can go up and down forever with no event left to happen: the loop starts at 4 replicas, 2 ready"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestNeverSettles(t *testing.T) {
	c := problem{deployment(3, "a"), deployment(3, "b")}.config(t)
	p := neverSettles.New(c, 0)
	s := at(c, state.Head, 3, pods{}, pods{size: 3, ready: 2, starting: 1})
	if p.Recurs(s, s) {
		t.Error("a step that changes nothing of the workload recurs")
	}
	moved := state.State{C: c, B: append([]byte(nil), s.B...)}
	moved.Add(0, 1, state.Ready, -1)
	moved.Add(2, 1, state.Ready, 1)
	if p.Recurs(s, moved) {
		t.Error("an exchange of like nodes recurs")
	}
	for name, to := range map[string]state.State{
		"replicas": at(c, state.Head, 4, pods{}, pods{size: 3, ready: 2, starting: 1}),
		"size":     at(c, state.Head, 3, pods{}, pods{size: 4, ready: 2, starting: 1}),
		"pending":  at(c, state.Head, 3, pods{}, pods{size: 3, ready: 2, starting: 1, pending: 1}),
		"phase":    at(c, state.Head, 3, pods{}, pods{size: 3, ready: 3}),
		"old":      at(c, state.Head, 3, pods{terminating: 1}, pods{size: 3, ready: 2, starting: 1}),
	} {
		if !p.Recurs(s, to) {
			t.Errorf("a step that changes the %s does not recur", name)
		}
	}
	got, want := p.Message(s), "default/web can keep changing forever with no event left to happen: the loop starts at 3 replicas, 2 ready"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestCrashLoop: it is the pods' node that goes down, and its pods are not evicted.
func TestCrashLoop(t *testing.T) {
	c := problem{deployment(2, "a"), deployment(2, "a")}.config(t)
	p := crashLoop.New(c, 0)
	up := at(c, state.Head, 2, pods{size: 2, ready: 2})
	down := at(c, state.Head, 2, pods{size: 2, starting: 2})
	if p.Recurs(up, down) {
		t.Error("pods that are not ready any more are a node that goes down")
	}
	down.SetOutage(0, state.Panicked)
	other := at(c, state.Head, 2, pods{size: 2, ready: 2})
	other.SetOutage(1, state.Panicked)
	if !p.Recurs(up, down) || p.Recurs(up, other) || p.Recurs(down, up) {
		t.Errorf("its node goes down: %t; another one: %t; it comes back: %t", p.Recurs(up, down), p.Recurs(up, other), p.Recurs(down, up))
	}
	evicted := at(c, state.Head, 2, pods{size: 2, terminating: 2})
	loop := evictionLoop.New(c, 0)
	if !loop.Recurs(up, evicted) {
		t.Error("two pods are evicted, and it is no eviction")
	}
	evicted.SetOutage(0, state.Panicked)
	if loop.Recurs(down, evicted) {
		t.Error("pods that are lost with their node are evicted")
	}
	want := "nodes can go down under the pods of default/web again and again with no event left to happen: the loop starts at 2 replicas, 2 ready"
	if got := p.Message(up); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestRefusedPods: a pod that its node refuses is no pod that waits for the scheduler.
func TestRefusedPods(t *testing.T) {
	fixed := func(m *state.Manifest) { m.Deployment.Spec.Template.Spec.NodeName = "n-1" }
	c := problem{deployment(2, "a", fixed), deployment(2, "a", fixed)}.config(t)
	s := at(c, state.Head, 2, pods{size: 2, ready: 1, pending: 1})
	p := crashLoop.New(c, 0)
	if !p.Persists(s) || unschedulable.New(c, 0).Persists(s) {
		t.Errorf("refused: %t, unschedulable: %t", p.Persists(s), unschedulable.New(c, 0).Persists(s))
	}
	if p.Persists(at(c, state.Head, 2, pods{size: 2, ready: 2})) {
		t.Error("pods that run are refused")
	}
	want := "1 pod of default/web can be refused by the node and created again forever: 1 of 2 replicas runs"
	if got := p.Message(s); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestFacets: a rule that is judged by runs says what its violations are like, one that is judged on the objects alone
// has nothing that a search or a fix of its runs could ask for, and FacetsOf finds both.
func TestFacets(t *testing.T) {
	for _, r := range All() {
		if r.Static != (r.Facets == 0) {
			t.Errorf("%s: judged on the objects alone: %t, facets %b", r.ID, r.Static, r.Facets)
		}
		if FacetsOf(r.ID) != r.Facets {
			t.Errorf("%s: another rule's facets", r.ID)
		}
	}
	if FacetsOf("my-own") != 0 {
		t.Error("an unknown rule has facets")
	}
}
