package nodes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// DrainStops implements [state.WatchesStops]: a drain evicts, and waits until its node is empty.
func DrainStops(s *state.Spec, _ int) bool { return s.Events.Drain > 0 }

// PoolStops implements [state.WatchesStops]: nodes come and go, and a node that goes waits until it is empty.
func PoolStops(s *state.Spec, _ int) bool { return s.Events.NodeAdded+s.Events.NodeRemoved > 0 }

// AutoscalerStops implements [state.WatchesStops]: an autoscaler of nodes evicts, and counts what pods hold until they
// are gone.
func AutoscalerStops(s *state.Spec, _ int) bool { return s.ClusterAutoscaler }

// VolumeStops implements [state.WatchesStops]: a volume stays attached until its pods are gone.
func VolumeStops(s *state.Spec, _ int) bool { return len(s.Claims) > 0 }

// TaintStops implements [state.WatchesStops]: pods are evicted from nodes that are down, and from those with a taint of
// their own.
func TaintStops(s *state.Spec, _ int) bool {
	return s.Events.NodeFailure > 0 || slices.ContainsFunc(s.Classes, func(c state.NodeClass) bool {
		return c.Node == nil || slices.ContainsFunc(c.Node.Spec.Taints, func(t corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoExecute
		})
	})
}

// OutageStops implements [state.WatchesStops]: pods of a node that is down are removed for good.
func OutageStops(s *state.Spec, _ int) bool { return s.Events.NodeFailure > 0 }

// PressureStops implements [state.WatchesStops]: the kubelet ranks and fails pods.
func PressureStops(s *state.Spec, _ int) bool { return s.Events.Presses() }
