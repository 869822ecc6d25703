package state_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/rollouts"
	"github.com/kubesettle/kubesettle/verify/state"
)

func twoStrategies(canary bool) *rollouts.Rollout {
	r := &rollouts.Rollout{}
	if canary {
		r.Spec.Strategy.Canary = &rollouts.Canary{TrafficRouting: &rollouts.TrafficRouting{}}
	} else {
		r.Spec.Strategy.BlueGreen = &rollouts.BlueGreen{}
	}
	return r
}

// A rule asks for the pace of a rollout in every state of a search, so that one allocation
// there is millions in a run.
func TestPaceAllocatesNothing(t *testing.T) {
	for _, object := range []any{
		&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}, &appsv1.ReplicaSet{}, &batchv1.Job{}, &batchv1.CronJob{}, twoStrategies(true), twoStrategies(false),
		&corev1.Pod{},
	} {
		m, ok := state.ManifestOf(object)
		if !ok {
			t.Fatalf("%T is no workload", object)
		}
		keeps := 0
		if n := testing.AllocsPerRun(100, func() {
			if m.Pace().Keeps {
				keeps++
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations for its pace", m.Kind(), n)
		}
	}
}
