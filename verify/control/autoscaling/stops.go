package autoscaling

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// HPAStops implements [state.WatchesStops]: an autoscaler whose pods lack requests can compute something or not, as
// there are pods of either revision.
func HPAStops(s *state.Spec, _ int) bool {
	return s.Declares(func(w *state.Workload, m *state.Manifest) bool { return !requests(w, m.Pod()) })
}

// VPAStops implements [state.WatchesStops]: a vertical autoscaler evicts.
func VPAStops(s *state.Spec, _ int) bool {
	return slices.ContainsFunc(s.Workloads, func(w state.Workload) bool { return len(w.Sizes) > 0 })
}

// requests reports whether every container of a pod requests the resources that w's
// autoscalers look at, so that they can compute something whichever pods there are.
func requests(w *state.Workload, p *corev1.PodSpec) bool {
	for v := range w.Manifests {
		if w.Manifests[v].HPA == nil {
			continue
		}
		if len(w.Manifests[v].HPA.Spec.Metrics) == 0 { // the API server has a default
			return false
		}
		for _, m := range w.Manifests[v].HPA.Spec.Metrics {
			var name corev1.ResourceName
			switch {
			case m.Resource != nil:
				name = m.Resource.Name
			case m.ContainerResource != nil:
				name = m.ContainerResource.Name
			default:
				continue
			}
			if slices.ContainsFunc(p.Containers,
				func(c corev1.Container) bool { return c.Resources.Requests.Name(name, "").IsZero() }) {
				return false
			}
		}
	}
	return true
}
