package workloads

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// DeploymentStops implements [state.WatchesStops]: Recreate waits until no old pod is left.
func DeploymentStops(s *state.Spec, _ int) bool {
	return s.Declares(func(_ *state.Workload, m *state.Manifest) bool {
		return m.Kind() == state.Deployment && m.Deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
	})
}

// ReplicaSetStops implements [state.WatchesStops]: a quota counts pods on deletion, the server of a webhook answers
// while it stops, and what is bound to a node by its name is not while they have the room.
func ReplicaSetStops(s *state.Spec, _ int) bool {
	return len(s.Quotas) > 0 || len(s.Admission.Webhooks) > 0 ||
		s.Declares(func(_ *state.Workload, m *state.Manifest) bool { return m.Pod().NodeName != "" })
}

// Stops is the declaration of the controllers of one kind: they wait for pods to be gone, or count those that are not.
func Stops(kind state.Kind) state.WatchesStops {
	return func(s *state.Spec, _ int) bool {
		return s.Declares(func(_ *state.Workload, m *state.Manifest) bool { return m.Kind() == kind })
	}
}
