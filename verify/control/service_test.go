package control_test

import (
	"math/rand"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestServiceIsLikeTaints: the scheduler decides about nodes that are cordoned, lost or under pressure in
// the state as it does about nodes whose objects say so.
func TestServiceIsLikeTaints(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	refused, placed := 0, 0
	for range 400 {
		template := serviceTemplate(r)
		events := state.Events{Drain: 3, DrainConcurrency: 3, NodeFailure: 3, DiskPressure: 1}
		moving := serviceProblem(t, template, [3][]corev1.Taint{}, events)
		s := moving.New()
		var taints [3][]corev1.Taint
		for n := range taints {
			if r.Intn(3) == 0 {
				s.SetMaintenance(n, state.Draining)
				taints[n] = append(taints[n], corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
			}
			if r.Intn(3) == 0 {
				s.SetDown(n, true)
				taints[n] = append(taints[n],
					corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule},
					corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
			}
		}
		for n := range taints {
			if r.Intn(3) == 0 {
				s.SetPressure(n, state.DiskPressure)
				taints[n] = append(taints[n], corev1.Taint{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule})
			}
		}
		fixed := serviceProblem(t, template, taints, state.Events{})
		u := fixed.New()
		s.Set(moving.Class[0].Pending, 1)
		u.Set(fixed.Class[0].Pending, 1)
		for n := range taints {
			k := r.Intn(3)
			s.Add(n, 0, state.Ready, k)
			u.Add(n, 0, state.Ready, k)
		}
		a, b := decide(t, s), decide(t, u)
		if !slices.Equal(a.Feasible, b.Feasible) || !slices.Equal(a.Best, b.Best) || !slices.Equal(a.Total, b.Total) || !sameTexts(a.Why, b.Why) {
			t.Fatalf("pod %+v with taints %v:\nin the state %+v\non the nodes %+v", template.Spec, taints, a, b)
		}
		refused, placed = refused+len(a.Why), placed+len(a.Best)
	}
	if refused < 100 || placed < 100 {
		t.Errorf("%d nodes refused, %d taken: the cases say little", refused, placed)
	}
}

func decide(t *testing.T, s state.State) scheduler.Decision {
	t.Helper()
	a, err := scheduler.NewScheduler(s.C)
	if err != nil {
		t.Fatal(err)
	}
	return a.Decide(s, 0)
}

func sameTexts(a, b []scheduler.Reason) bool {
	return slices.EqualFunc(a, b, func(x, y scheduler.Reason) bool { return x.Node == y.Node && x.Text == y.Text })
}

// serviceTemplate is a pod with some tolerations and some spread constraints.
func serviceTemplate(r *rand.Rand) corev1.PodTemplateSpec {
	out := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}
	out.Spec.Containers = []corev1.Container{{Name: "web", Image: "web"}}
	for _, key := range []string{corev1.TaintNodeUnschedulable, corev1.TaintNodeUnreachable, corev1.TaintNodeDiskPressure, ""} {
		if r.Intn(4) == 0 {
			out.Spec.Tolerations = append(out.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
		}
	}
	for _, key := range []string{corev1.LabelHostname, corev1.LabelTopologyZone} {
		if r.Intn(2) == 0 {
			continue
		}
		policy := []corev1.NodeInclusionPolicy{corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore}[r.Intn(2)]
		c := corev1.TopologySpreadConstraint{
			MaxSkew: int32(1 + r.Intn(2)), TopologyKey: key, NodeTaintsPolicy: &policy,
			WhenUnsatisfiable: []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}[r.Intn(2)],
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}
		if c.WhenUnsatisfiable == corev1.DoNotSchedule && r.Intn(3) == 0 {
			domains := int32(1 + r.Intn(3))
			c.MinDomains = &domains
		}
		out.Spec.TopologySpreadConstraints = append(out.Spec.TopologySpreadConstraints, c)
	}
	return out
}

// serviceProblem is three nodes in two zones.
func serviceProblem(t *testing.T, template corev1.PodTemplateSpec, taints [3][]corev1.Taint, e state.Events) *state.Config {
	t.Helper()
	spec := &state.Spec{Events: e}
	for i, zone := range []string{"a", "a", "b"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyZone: zone}}}
		node.Spec.Taints = taints[i]
		node.Spec.Unschedulable = slices.ContainsFunc(taints[i], func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
		node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("110")}
		spec.Classes = append(spec.Classes, state.NodeClass{Name: string(rune('x' + i)), Node: node, Min: 1, Max: 1})
	}
	replicas := int32(9)
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template,
	}}
	spec.Workloads = []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{{}, {Deployment: d}}}}
	b, err := state.NewBuilder(spec, []int{1, 1, 1}, 20)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEventsThatAreOffTakeNoMemory: a state is no larger for drains and node failures
// that do not happen.
func TestEventsThatAreOffTakeNoMemory(t *testing.T) {
	template := serviceTemplate(rand.New(rand.NewSource(1)))
	off := serviceProblem(t, template, [3][]corev1.Taint{}, state.Events{DrainConcurrency: 5, IgnorePDB: true})
	for _, x := range []struct {
		events state.Events
		more   int // bytes: one budget, and one byte a node
	}{
		{state.Events{}, 0},
		{state.Events{Drain: 1}, 4},
		{state.Events{Drain: 1, NodeFailure: 1}, 8},
		{state.Events{Drain: 1, NodeFailure: 1, MemoryPressure: 1}, 12},
	} {
		if c := serviceProblem(t, template, [3][]corev1.Taint{}, x.events); c.Width()-off.Width() != x.more {
			t.Errorf("%+v: %d bytes more, want %d", x.events, c.Width()-off.Width(), x.more)
		}
	}
	s := off.New()
	if off.NodesMove() || s.Cordoned(0) || s.Down(0) || s.DownNodes()+s.DrainsLeft()+s.FailuresLeft() != 0 {
		t.Error("nodes are out of service although no event takes them out")
	}
}
