package slice

import (
	"maps"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// SelfGuard is a workload whose own pods a webhook is asked about that they answer.
type SelfGuard struct {
	Workload, Object *object.Object // Object has the webhook
	Index            int
	Name             string
	// Selects says that a namespaceSelector takes part in it: it hangs on the namespace.
	Selects bool
	Least   int // pods of the workload at rest, at least
}

// SelfGuards are those among objects, in the order of workloads, objects and webhooks.
func SelfGuards(objects []*object.Object) []SelfGuard {
	if !slices.ContainsFunc(objects, func(o *object.Object) bool { return len(hooksOf(o)) > 0 }) {
		return nil
	}
	s := NewSide(objects)
	var out []SelfGuard
	for _, id := range slices.Sorted(maps.Keys(s.Workloads)) {
		o := s.Workloads[id]
		for i, c := range s.admission.hooks {
			for _, h := range s.admission.asked[i] {
				if h.serves(o, s) && h.guards(o, s) {
					selects := h.namespaces != nil && len(h.namespaces.MatchExpressions)+len(h.namespaces.MatchLabels) > 0
					out = append(out, SelfGuard{o, c, h.index, h.name, selects, s.least(o)})
				}
			}
		}
	}
	return out
}

// least is how many pods a workload has at rest, at least; 0: it does not say.
func (s side) least(o *object.Object) int {
	m, ok := state.ManifestOf(o.Typed)
	if ok && m.Kind() == state.DaemonSet {
		return 2 // a cluster has nodes
	}
	if !ok || m.ReplicasField() == nil {
		return 0
	}
	least := int(m.Replicas())
	hpas, _ := s.targets(o)
	for _, h := range hpas {
		least = 1
		if t, ok := h.Typed.(*autoscalingv2.HorizontalPodAutoscaler); ok && t.Spec.MinReplicas != nil {
			least = int(*t.Spec.MinReplicas)
		}
	}
	return least
}
