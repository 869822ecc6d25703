package rules

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// statefulProblem is a StatefulSet of two pods on nodes that may be lost.
func statefulProblem(t *testing.T) *state.Config {
	t.Helper()
	replicas := int32(2)
	set := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: &replicas}}
	m := state.Manifest{StatefulSet: set, DeclaresReplicas: true}
	spec := &state.Spec{
		Classes:   []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Max: 2}},
		Workloads: []state.Workload{{ID: "apps/StatefulSet default/db", Namespace: "default", Name: "db", Manifests: [2]state.Manifest{m, m}}},
		Events:    state.Events{NodeFailure: 1},
	}
	b, err := state.NewBuilder(spec, []int{2}, 4)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNeverReplaced: an ordinal is lost while its pod is on deletion on a lost node, and
// one that nobody wants is not missed.
func TestNeverReplaced(t *testing.T) {
	c := statefulProblem(t)
	p := neverReplaced.New(c, 0)
	s := c.New()
	s.SetReplicas(0, 2)
	s.Add(0, c.ClassesOf[0][0], state.Ready, 1)
	s.Add(1, c.ClassesOf[0][1], state.Terminating, 1)
	if p.Persists(s) {
		t.Error("a pod that its kubelet stops is replaced")
	}
	s.SetDown(1, true)
	if !p.Persists(s) {
		t.Error("a pod on a lost node never stops")
	}
	const want = "1 pod of default/db can stay in deletion on a lost node forever and never be replaced: 1 of 2 replicas runs"
	if got := p.Message(s); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.SetReplicas(0, 1)
	if p.Persists(s) {
		t.Error("a pod that is scaled away is not missed")
	}
}
