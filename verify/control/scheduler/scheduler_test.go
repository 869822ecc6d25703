package scheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// schedProblem is a cluster of some nodes in three zones and two workloads that use
// every dynamic plugin: hard and soft spread, affinity and anti-affinity, resources.
func schedProblem(t testing.TB, nodes int) *state.Config {
	t.Helper()
	spec := &state.Spec{}
	var topology []int
	for z := range 3 {
		node := &corev1.Node{}
		node.Labels = map[string]string{corev1.LabelTopologyZone: string(rune('a' + z))}
		node.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"),
			corev1.ResourcePods: resource.MustParse("110"),
		}
		spec.Classes = append(spec.Classes, state.NodeClass{Name: string(rune('a' + z)), Node: node})
		topology = append(topology, (nodes+z)/3)
	}
	for _, name := range []string{"web", "db"} {
		var w state.Workload
		w.ID, w.Namespace, w.Name = "apps/Deployment default/"+name, "default", name
		for v := range w.Manifests {
			w.Manifests[v].Deployment = schedDeployment(name, v)
		}
		spec.Workloads = append(spec.Workloads, w)
	}
	b, err := state.NewBuilder(spec, topology, 200)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func schedDeployment(name string, version int) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	d := &appsv1.Deployment{}
	d.Name, d.Namespace, d.Spec.Selector = name, "default", selector
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec = corev1.PodSpec{
		Containers: []corev1.Container{{
			Name: "c", Image: fmt.Sprintf("%s:%d", name, version),
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("512Mi")}},
		}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
			{MaxSkew: 2, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector},
			{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selector},
		},
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 10,
				PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: selector}}},
		}},
	}
	if name == "db" {
		other := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		d.Spec.Template.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
			[]corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname, LabelSelector: selector}}
		d.Spec.Template.Spec.Affinity.PodAffinity = &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{TopologyKey: corev1.LabelTopologyZone, LabelSelector: other}},
		}
	}
	return d
}

// schedState puts a few pods of every class at random.
func schedState(c *state.Config, r *rand.Rand) state.State {
	s := c.New()
	for p := range c.Pods {
		s.Set(c.Class[p].Pending, r.IntN(3))
		for range r.IntN(2*len(c.Nodes) + 1) {
			s.Add(r.IntN(len(c.Nodes)), p, state.Phase(r.IntN(int(state.Terminating)+1)), 1)
		}
	}
	return s
}

// schedDiscard is a sink that keeps nothing.
type schedDiscard struct{ buf []byte }

func (d *schedDiscard) Copy(s []byte) []byte { d.buf = append(d.buf[:0], s...); return d.buf }
func (d *schedDiscard) Move(search.Move)     {}

func TestSchedulerStepDoesNotAllocate(t *testing.T) {
	c := schedProblem(t, 9)
	a, err := NewScheduler(c)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	e := actor.NewEmit(&schedDiscard{}, c, &actor.Scratch{})
	for range 20 {
		s := schedState(c, r)
		if n := testing.AllocsPerRun(10, func() { a.Step(s, e) }); n != 0 {
			t.Fatalf("%v allocations in one step", n)
		}
	}
}

// Exchanging nodes of a class changes nothing: the canonical successors of a state and
// of its canonical form are the same, whether or not twins are skipped.
func TestSchedulerKeepsSymmetry(t *testing.T) {
	c := schedProblem(t, 7)
	a, err := NewScheduler(c)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		s := schedState(c, r)
		sorted := state.State{C: c, B: slices.Clone(s.B)}
		c.Canon(sorted.B)
		x, y := canonical(schedMoves(a, s)), canonical(schedMoves(a, sorted))
		if !slices.Equal(x, y) {
			t.Fatalf("a state has %d canonical successors, its canonical form %d", len(x), len(y))
		}
		if z := canonical(everyBinding(a, s)); !slices.Equal(x, z) {
			t.Fatalf("skipping twins leaves %d of %d canonical successors", len(x), len(z))
		}
	}
}

// everyBinding is what Step would emit without skipping twins.
func everyBinding(a *Scheduler, s state.State) []schedMove {
	var out []schedMove
	for _, group := range append(slices.Clone(a.K.Groups), a.K.Unranked) {
		before := len(out)
		for _, p := range group {
			if s.Pending(p) == 0 {
				continue
			}
			for _, n := range a.Decide(s, p).Best {
				to := state.State{C: s.C, B: slices.Clone(s.B)}
				to.Set(s.C.Class[p].Pending, s.Pending(p)-1)
				to.Add(n, p, state.Starting, 1)
				out = append(out, schedMove{to: to})
			}
		}
		if len(out) > before {
			break
		}
	}
	return out
}

// A scratch used for a large problem serves a small one, and the other way round.
func TestSchedulerSharesScratch(t *testing.T) {
	scratch := &actor.Scratch{}
	r := rand.New(rand.NewPCG(3, 3))
	for _, nodes := range []int{12, 3, 6, 1, 12} {
		c := schedProblem(t, nodes)
		a, err := NewScheduler(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			s := schedState(c, r)
			shared := &schedSink{cfg: c}
			a.Step(s, actor.NewEmit(shared, c, scratch))
			if x, y := canonical(shared.moves), canonical(schedMoves(a, s)); !slices.Equal(x, y) {
				t.Fatalf("%d nodes: %d successors with a used scratch, %d with a new one", nodes, len(x), len(y))
			}
		}
	}
}

func BenchmarkSchedulerStep(b *testing.B) {
	for _, nodes := range []int{3, 6, 12, 25, 50, 100} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := schedProblem(b, nodes)
			a, err := NewScheduler(c)
			if err != nil {
				b.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 1))
			var states []state.State
			for range 64 {
				states = append(states, schedState(c, r))
			}
			e := actor.NewEmit(&schedDiscard{}, c, &actor.Scratch{})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.Step(states[i%len(states)], e)
			}
		})
	}
}

func BenchmarkNewScheduler(b *testing.B) {
	for _, nodes := range []int{3, 6, 100} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := schedProblem(b, nodes)
			for b.Loop() {
				if _, err := NewScheduler(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
