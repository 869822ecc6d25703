package conformance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

var (
	loopPercent = flag.Int("loops.percent", fromEnvironment("LOOPS_PERCENT", 100), "number of cases of each loop, in percent of the usual")
	loopSeed    = flag.Uint64("loops.seed", 36, "seed of the generated cases of the loops")
)

// loopCases is the number of generated cases of a loop of which n are usual.
func loopCases(n int) int { return n * *loopPercent / 100 }

// loopProblem is one generated workload with its actors.
type loopProblem struct {
	cfg    *state.Config
	actors []actor.Actor
}

func newLoopProblem(t *testing.T, spec *state.Spec, topology []int) *loopProblem {
	t.Helper()
	b, err := state.NewBuilder(spec, topology, 200)
	if err != nil {
		t.Fatal(err)
	}
	p := &loopProblem{}
	if p.actors, err = control.All(b); err != nil {
		t.Fatal(err)
	}
	if p.cfg, err = b.Freeze(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *loopProblem) actor(t *testing.T, name string) actor.Actor {
	t.Helper()
	i := slices.IndexFunc(p.actors, func(a actor.Actor) bool { return a.Name() == name })
	if i < 0 {
		t.Fatalf("no actor %q", name)
	}
	return p.actors[i]
}

// webDeployment is a Deployment as the API server defaults it.
func webDeployment(r *rand.Rand, image string) *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
			},
			Paused: r.IntN(6) == 0,
		},
	}
	*d.Spec.Replicas = int32(r.IntN(12))
	if r.IntN(5) == 0 {
		d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		return d
	}
	fence := func() *intstr.IntOrString {
		v := intstr.FromInt32(int32(r.IntN(4)))
		if r.IntN(2) == 0 {
			v = intstr.FromString(fmt.Sprintf("%d%%", []int{0, 1, 10, 25, 30, 33, 50, 100, r.IntN(101)}[r.IntN(9)]))
		}
		return &v
	}
	d.Spec.Strategy = appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: fence(), MaxUnavailable: fence()},
	}
	return d
}

// webSpec is a slice of the one workload default/web.
func webSpec(base, head state.Manifest, classes int) *state.Spec {
	s := &state.Spec{Workloads: []state.Workload{{
		ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{base, head},
	}}}
	for i := range classes {
		name := string(rune('a' + i))
		s.Classes = append(s.Classes, state.NodeClass{Name: name, Node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				"cpu": resource.MustParse("64"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("500"),
			}},
		}})
	}
	return s
}

// scatter gives every pod class of s any pods, few of them, and any ReplicaSet.
func scatter(r *rand.Rand, s state.State) {
	few := func(n int) int { return max(r.IntN(2*n)-n, 0) }
	for p := range s.C.Pods {
		f := &s.C.Class[p]
		s.Set(f.Pending, few(3))
		for n := range s.C.Nodes {
			for ph := range state.Phases {
				if s.C.HasPhase(p, ph) {
					s.SetAt(n, f.Phase[ph], few(4))
				}
			}
		}
		if r.IntN(8) > 0 {
			s.Set(f.Exists, 1)
			s.Set(f.Size, few(12))
			if r.IntN(2) == 0 {
				s.Set(f.Size, s.Active(p))
			}
			s.Set(f.Desired, r.IntN(14))
			if r.IntN(2) == 0 {
				s.Set(f.Desired, s.Replicas(s.C.Pods[p].Workload))
			}
			s.Set(f.Max, r.IntN(18))
		}
	}
}

// classPods are the pods of class p as objects, owned by the ReplicaSet of that name.
// Starting ones are in phase Pending or Running, as r has it.
func classPods(r *rand.Rand, s state.State, p int, owner string) []*corev1.Pod {
	var out []*corev1.Pod
	add := func(node, kind string, k int) {
		for range k {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%d", owner, len(out)), Namespace: "default", UID: types.UID(fmt.Sprintf("%s-%d", owner, len(out))),
				Labels: s.C.Pods[p].Template.Labels,
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: types.UID(owner), Controller: new(bool),
				}},
			}, Spec: *s.C.Pods[p].Template.Spec.DeepCopy()}
			*pod.OwnerReferences[0].Controller = true
			pod.Spec.NodeName = node
			pod.Status.Phase = corev1.PodPending
			if kind == "ready" || kind == "starting" && r.IntN(2) == 0 || kind == "terminating" {
				pod.Status.Phase = corev1.PodRunning
			}
			status := corev1.ConditionFalse
			if kind == "ready" {
				status = corev1.ConditionTrue
			}
			if node != "" {
				pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
			}
			if kind == "terminating" {
				pod.DeletionTimestamp = &metav1.Time{}
			}
			out = append(out, pod)
		}
	}
	add("", "pending", s.Pending(p))
	for n := range s.C.Nodes {
		for ph, kind := range [...]string{"starting", "ready", "terminating"} {
			add(s.C.Nodes[n].Name, kind, s.On(n, p, state.Phase(ph)))
		}
	}
	return out
}

// describe prints a state for a failure.
func describe(s state.State) string {
	var out strings.Builder
	for w := range s.C.Spec.Workloads {
		fmt.Fprintf(&out, "version %d replicas %d load %s\n", s.Version(), s.Replicas(w), s.Load(w))
	}
	for p := range s.C.Pods {
		f := &s.C.Class[p]
		fmt.Fprintf(&out, "class %d exists %d size %d desired %d max %d pending %d", p,
			s.Get(f.Exists), s.Get(f.Size), s.Get(f.Desired), s.Get(f.Max), s.Pending(p))
		for n := range s.C.Nodes {
			fmt.Fprintf(&out, " %s:%d/%d/%d", s.C.Nodes[n].Name,
				s.On(n, p, state.Starting), s.On(n, p, state.Ready), s.On(n, p, state.Terminating))
		}
		out.WriteByte('\n')
	}
	return out.String()
}
