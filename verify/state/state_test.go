package state_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/state"
)

func deployment(image string) *appsv1.Deployment {
	return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
	}}}
}

// problem is two workloads, the first with two revisions, on the given nodes.
func problem(t testing.TB, topology []int, maxPods int) *state.Config {
	spec := &state.Spec{Workloads: []state.Workload{
		{ID: "a", Manifests: [2]state.Manifest{{Deployment: deployment("v1")}, {Deployment: deployment("v2")}}},
		{ID: "b", Manifests: [2]state.Manifest{{Deployment: deployment("v1")}, {Deployment: deployment("v1")}}},
	}}
	for range topology {
		spec.Classes = append(spec.Classes, state.NodeClass{Name: string(rune('a' + len(spec.Classes)))})
	}
	b, err := state.NewBuilder(spec, topology, maxPods)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCanon: the canonical form is that of every state with nodes of a class exchanged,
// is canonical itself, and moves whole records only.
func TestCanon(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		topology := []int{r.IntN(5), r.IntN(5), r.IntN(3)}
		checkCanon(t, problem(t, topology, []int{3, 300}[r.IntN(2)]), r)
	}
}

func FuzzCanon(f *testing.F) {
	f.Add(uint64(1), uint8(2), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, one, other uint8) {
		checkCanon(t, problem(t, []int{int(one % 8), int(other % 8)}, 9), rand.New(rand.NewPCG(seed, 2)))
	})
}

func checkCanon(t *testing.T, c *state.Config, r *rand.Rand) {
	t.Helper()
	s := c.New()
	for i := range s.B {
		s.B[i] = byte(r.IntN(3))
	}
	moved := c.New()
	copy(moved.B, s.B)
	for class := range c.Topology {
		first, end := c.NodesOf(class)
		r.Shuffle(end-first, func(i, j int) { moved.SwapNodes(first+i, first+j) })
	}
	before := counts(s)
	c.Canon(s.B)
	c.Canon(moved.B)
	if !bytes.Equal(s.B, moved.B) {
		t.Fatalf("the canonical forms of a state and of one with nodes exchanged differ:\n%v\n%v", s.B, moved.B)
	}
	if after := counts(s); after != before {
		t.Fatalf("canonical form changed the counts from %v to %v", before, after)
	}
	c.Canon(moved.B)
	if !bytes.Equal(s.B, moved.B) {
		t.Fatal("the canonical form of a canonical form differs")
	}
	for class := range c.Topology {
		first, end := c.NodesOf(class)
		twins := 0
		for n := first + 1; n < end; n++ {
			if s.Twin(n) {
				twins++
			}
		}
		if distinct := distinctRecords(s, first, end); end > first && twins != end-first-distinct {
			t.Fatalf("class %d has %d twins, want %d nodes less %d distinct ones", class, twins, end-first, distinct)
		}
	}
}

// counts are the pods of every class by phase, summed over the nodes of each node class.
func counts(s state.State) (sum [3][3][state.Phases + 1]int) {
	for p := range s.C.Pods {
		for class := range s.C.Topology {
			first, end := s.C.NodesOf(class)
			for n := first; n < end; n++ {
				for ph := range state.Phases {
					sum[class][p][ph] += s.On(n, p, ph)
				}
			}
			sum[class][p][state.Phases] = s.Pending(p)
		}
	}
	return sum
}

func distinctRecords(s state.State, first, end int) int {
	seen := map[[3 * int(state.Phases)]int]bool{}
	for n := first; n < end; n++ {
		var k [3 * int(state.Phases)]int
		for p := range s.C.Pods {
			for ph := range state.Phases {
				k[p*int(state.Phases)+int(ph)] = s.On(n, p, ph)
			}
		}
		seen[k] = true
	}
	return len(seen)
}

// TestFields: a counter holds every value of its range, and no other counter moves.
func TestFields(t *testing.T) {
	for _, maxPods := range []int{1, 255, 256, 65535} {
		c := problem(t, []int{2, 1}, maxPods)
		s := c.New()
		s.Set(c.Class[1].Pending, maxPods)
		s.SetAt(2, c.Class[0].Phase[state.Ready], maxPods)
		s.Add(2, 0, state.Ready, -1)
		if got := s.Pending(1); got != maxPods {
			t.Errorf("pending holds %d, want %d", got, maxPods)
		}
		if got := s.On(2, 0, state.Ready); got != maxPods-1 {
			t.Errorf("node 2 holds %d ready pods, want %d", got, maxPods-1)
		}
		if got := s.Active(0) + s.Active(2) + s.Count(1, state.Terminating) + s.Replicas(0) + s.Replicas(1); got != maxPods-1 {
			t.Errorf("other counters moved: %d", got-maxPods+1)
		}
	}
}

// TestPhases: a phase is laid out where somebody can tell it from ready; counts of ready
// and available pods take in what they must.
func TestPhases(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		minReady                 [2]int32 // by version
		head                     string   // image
		spike, panics            int
		autoscaled               bool
		phases                   string // of base's class, beside the three that all have
		ready, available, active int    // with one pod in each phase
	}{
		{name: "neither", head: "v2", ready: 1, available: 1, active: 2},
		{name: "waits", head: "v2", minReady: [2]int32{5, 0}, phases: "fresh", ready: 2, available: 1, active: 3},
		{name: "head waits, for another template", head: "v2", minReady: [2]int32{0, 5}, ready: 1, available: 1, active: 2},
		{name: "head waits, for the same template", head: "v1", minReady: [2]int32{0, 5}, phases: "fresh", ready: 2, available: 1, active: 3},
		{name: "a spike that nobody looks at", head: "v2", spike: 300, ready: 1, available: 1, active: 2},
		{name: "a spike that an autoscaler sees", head: "v2", spike: 300, autoscaled: true, phases: "warming", ready: 2, available: 2, active: 3},
		{name: "a spike that a node feels", head: "v2", spike: 300, panics: 98, phases: "warming", ready: 2, available: 2, active: 3},
		{name: "both", head: "v2", spike: 300, panics: 98, minReady: [2]int32{5, 5}, phases: "warming fresh", ready: 3, available: 1, active: 4},
	} {
		base, head := deployment("v1"), deployment(tt.head)
		base.Spec.MinReadySeconds, head.Spec.MinReadySeconds = tt.minReady[0], tt.minReady[1]
		w := state.Workload{Manifests: [2]state.Manifest{{Deployment: base}, {Deployment: head}}}
		if tt.autoscaled {
			w.Manifests[state.Head].HPA = &autoscalingv2.HorizontalPodAutoscaler{}
		}
		b, err := state.NewBuilder(&state.Spec{
			Classes: []state.NodeClass{{Name: "a"}}, Workloads: []state.Workload{w},
			Events: state.Events{StartupSpike: tt.spike, NodePanic: tt.panics},
		}, []int{2}, 9)
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		s, phases := c.New(), ""
		for ph := range state.Phases {
			if c.HasPhase(0, ph) {
				s.Add(1, 0, ph, 1)
			}
		}
		if c.Warms(0) {
			phases += " warming"
		}
		if c.Ripens(0) {
			phases += " fresh"
		}
		if phases = strings.TrimSpace(phases); phases != tt.phases {
			t.Errorf("%s: has the phases %q, want %q", tt.name, phases, tt.phases)
		}
		if r, a, n := s.ReadyOf(0), s.AvailableOf(0), s.Active(0); r != tt.ready || a != tt.available || n != tt.active || s.ReadyOn(1, 0) != r || s.LiveOn(1, 0) != n {
			t.Errorf("%s: %d ready, %d available, %d active, want %d, %d, %d", tt.name, r, a, n, tt.ready, tt.available, tt.active)
		}
		if got := s.TakeReady(1, 0); got != tt.ready || s.ReadyOf(0) != 0 || s.Existing(0) != 2 {
			t.Errorf("%s: took %d ready pods of %d, and left %d pods", tt.name, got, tt.ready, s.Existing(0))
		}
	}
}

// TestFieldRange: a value outside the range of its counter is our own bug.
func TestFieldRange(t *testing.T) {
	c := problem(t, []int{1}, 7)
	for _, v := range []int{-1, 256} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a one-byte counter took %d", v)
				}
			}()
			c.New().SetReplicas(0, v)
		}()
	}
}

func TestTooLarge(t *testing.T) {
	spec := &state.Spec{Classes: []state.NodeClass{{Name: "a"}}}
	for _, maxPods := range []int{0, 65536} {
		if _, err := state.NewBuilder(spec, []int{1}, maxPods); !errors.Is(err, state.ErrTooLarge) {
			t.Errorf("%d pods: %v, want ErrTooLarge", maxPods, err)
		}
	}
	b, err := state.NewBuilder(spec, []int{70000}, 1)
	if err != nil {
		t.Fatal(err)
	}
	b.NodeField(1)
	if _, err := b.Freeze(); !errors.Is(err, state.ErrTooLarge) {
		t.Errorf("70000 nodes: %v, want ErrTooLarge", err)
	}
	if _, err := state.NewBuilder(spec, []int{1, 2}, 1); err == nil {
		t.Error("a topology with a number too many was accepted")
	}
}

// TestRevisions: templates that upstream takes for one revision are one pod class.
func TestRevisions(t *testing.T) {
	c := problem(t, []int{1}, 1)
	if got := []string{c.Revision(0), c.Revision(1), c.Revision(2)}; got[0] != "old" || got[1] != "new" || got[2] != "" {
		t.Errorf("revisions %q, want old, new and none", got)
	}
	template := func(cpu, hash string) *corev1.PodTemplateSpec {
		d := deployment("v1")
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(cpu)}
		d.Spec.Template.Labels = map[string]string{"app": "web"}
		if hash != "" {
			d.Spec.Template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
		}
		return &d.Spec.Template
	}
	if !state.SameTemplate(template("1", ""), template("1000m", "5c689d88bb")) {
		t.Error("one CPU and 1000m, or the hash label, make two revisions")
	}
	if state.SameTemplate(template("1", ""), template("2", "")) {
		t.Error("one CPU and two are one revision")
	}
}
