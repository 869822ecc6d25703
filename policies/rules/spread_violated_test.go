package rules

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// spread asks for a topology spread over nodes.
func spread(how corev1.UnsatisfiableConstraintAction, keys ...string) func(*state.Manifest) {
	return func(m *state.Manifest) {
		t := &m.Deployment.Spec.Template
		t.Labels = map[string]string{"app": "web"}
		t.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: how, MatchLabelKeys: keys,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
	}
}

func prefersNodes(m *state.Manifest) {
	m.Deployment.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 1}},
	}}
}

// TestSpreadViolated: what is required counts in any state of rest, what is wished for
// where nothing else explains it; single-domain speaks in its place.
func TestSpreadViolated(t *testing.T) {
	const hard, soft = corev1.DoNotSchedule, corev1.ScheduleAnyway
	for _, x := range []struct {
		name    string
		more    []func(*state.Manifest)
		on      [3]int // ready pods by node
		pending int
		want    bool
		wish    bool
	}{
		{name: "level", more: []func(*state.Manifest){spread(hard)}, on: [3]int{1, 1, 1}},
		{name: "within maxSkew", more: []func(*state.Manifest){spread(hard)}, on: [3]int{2, 1, 1}},
		{name: "more than maxSkew", more: []func(*state.Manifest){spread(hard)}, on: [3]int{2, 1, 0}, want: true},
		{name: "pods are pending", more: []func(*state.Manifest){spread(hard)}, on: [3]int{2, 1, 0}, pending: 1},
		{name: "all on one node", more: []func(*state.Manifest){spread(hard)}, on: [3]int{3, 0, 0}},
		{name: "softly", more: []func(*state.Manifest){spread(soft)}, on: [3]int{2, 1, 0}, want: true, wish: true},
		{name: "softly, and nodes are preferred", more: []func(*state.Manifest){spread(soft), prefersNodes}, on: [3]int{2, 1, 0}},
		{name: "hard, and nodes are preferred", more: []func(*state.Manifest){spread(hard), prefersNodes}, on: [3]int{2, 1, 0}, want: true},
		{name: "preferred anti-affinity, a node is free", more: []func(*state.Manifest){apart}, on: [3]int{2, 1, 0}, want: true, wish: true},
		{name: "preferred anti-affinity, none is", more: []func(*state.Manifest){apart}, on: [3]int{2, 1, 1}},
	} {
		total := int32(x.on[0] + x.on[1] + x.on[2] + x.pending)
		c := problem{state.Manifest{}, deployment(total, "a", x.more...)}.steady(t)
		s := at(c, state.Head, int(total), pods{size: int(total), pending: x.pending})
		for n, ready := range x.on {
			s.Add(n, 0, state.Ready, ready)
		}
		p := spreadViolated.New(c, 0)
		if got := p.Quiescent != nil && p.Quiescent(s); got != x.want || got && p.Wish != x.wish {
			t.Errorf("%s: violated %t, wish %t, want %t and %t", x.name, got, p.Wish, x.want, x.wish)
		}
		s.SetMaintenance(0, state.Maintained)
		if p.Quiescent != nil && p.Quiescent(s) {
			t.Errorf("%s: a finding after maintenance", x.name)
		}
	}
}

// TestSpreadCountsRevisions: matchLabelKeys leaves out old pods, as the scheduler does.
func TestSpreadCountsRevisions(t *testing.T) {
	for keys, want := range map[string]int{"": 2, "pod-template-hash": 1} {
		f := spread(corev1.DoNotSchedule)
		if keys != "" {
			f = spread(corev1.DoNotSchedule, keys)
		}
		c := problem{deployment(3, "a", f), deployment(3, "b", f)}.steady(t)
		if v := newSpreadView(c, 0, state.Head); len(v.constraints) != 1 || len(v.constraints[0].match) != want {
			t.Errorf("matchLabelKeys %q: %+v, want %d classes", keys, v.constraints, want)
		}
	}
}

// steady is the problem without a cluster autoscaler, on nodes of unknown capacity.
func (p problem) steady(t *testing.T) *state.Config {
	t.Helper()
	spec := &state.Spec{
		Classes:   []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Min: 1, Max: 3, Elastic: true}},
		Workloads: []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{p.base, p.head}}},
		Events:    state.Events{Apply: 1, Drain: 1},
	}
	b, err := state.NewBuilder(spec, []int{3}, 20)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSoft: what one manifest requires is not soft, and what all of them only prefer is, for both rules on places.
func TestSoft(t *testing.T) {
	const hard, soft = corev1.DoNotSchedule, corev1.ScheduleAnyway
	both := func(m *state.Manifest) {
		spread(soft)(m)
		one := m.Deployment.Spec.Template.Spec.TopologySpreadConstraints
		spread(hard)(m)
		of := &m.Deployment.Spec.Template.Spec
		of.TopologySpreadConstraints = append(of.TopologySpreadConstraints, one...)
	}
	for _, x := range []struct {
		name string
		more func(*state.Manifest)
		want bool
	}{
		{"required", spread(hard), false}, {"preferred", spread(soft), true}, {"preferred anti-affinity", apart, true},
		{"one of each", both, false},
	} {
		c := problem{state.Manifest{}, deployment(3, "a", x.more)}.steady(t)
		for _, r := range []Rule{singleDomain, spreadViolated} {
			p := r.New(c, 0)
			if p.IsZero() || p.Soft != x.want {
				t.Errorf("%s, %s: says nothing %t, soft %t", r.ID, x.name, p.IsZero(), p.Soft)
			}
			if kept := r.Where(func(p Property) bool { return p.Soft }).New(c, 0); kept.IsZero() == x.want {
				t.Errorf("%s, %s: as a preference it says nothing: %t", r.ID, x.name, kept.IsZero())
			}
		}
	}
}
