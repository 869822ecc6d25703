package slice

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

func TestOftenDue(t *testing.T) {
	for schedule, want := range map[string]bool{
		"* * * * *": true, "*/1 * * * *": true, "*/5 * * * *": true, "@every 90s": true, "@every 5m": true,
		"*/6 * * * *": false, "5 * * * *": false, "*/5 3 * * *": false, "*/5 * * * 1": false, "@hourly": false, "@every 1h": false,
		"": false, "*/0 * * * *": false, "*/-1 * * * *": false, "*/x * * * *": false, "@every": false,
	} {
		if oftenDue(schedule) != want {
			t.Errorf("%q is due often: want %t", schedule, want)
		}
	}
}

// A guard is dropped only where base had it: a workload that is new, or never had one, drops none; nor does one that
// head no longer has.
func TestDroppedIsWhatBaseHad(t *testing.T) {
	manifest := func(guarded bool) state.Manifest {
		d := &appsv1.Deployment{}
		d.Spec.Template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			WhenUnsatisfiable: corev1.DoNotSchedule, MatchLabelKeys: map[bool][]string{true: {"pod-template-hash"}}[guarded],
		}}
		budget := &policyv1.PodDisruptionBudget{}
		if always := policyv1.AlwaysAllow; guarded {
			budget.Spec.UnhealthyPodEvictionPolicy = &always
		}
		m, _ := state.ManifestOf(d)
		m.PDBs = []*policyv1.PodDisruptionBudget{budget}
		return m
	}
	with, without := manifest(true), manifest(false)
	for name, c := range map[string]struct {
		base, head state.Manifest
		want       Dropped
	}{
		"taken away": {with, without, Dropped{Unhealthy: true, Spread: true}},
		"kept":       {with, with, Dropped{}},
		"never had":  {without, without, Dropped{}},
		"given":      {without, with, Dropped{}},
		"new":        {state.Manifest{}, without, Dropped{}},
		"removed":    {with, state.Manifest{}, Dropped{}},
	} {
		if got := droppedFrom([2]state.Manifest{c.base, c.head}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
