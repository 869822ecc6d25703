package verify

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// counts says whether an autoscaler of p counts q's pods: it lists the pods that match the
// selector of its target's scale, whoever owns them (pkg/controller/podautoscaler:
// GetResourceReplicas).
func (s side) counts(p, q *render.Object) bool {
	if p.ID == q.ID || p.ID.Namespace != q.ID.Namespace {
		return false
	}
	if hpas, _ := s.targets(p); len(hpas)+len(s.kedaOf(p)) == 0 {
		return false
	}
	m, _ := state.ManifestOf(p.Typed)
	sel, err := metav1.LabelSelectorAsSelector(m.Selector())
	return err == nil && !sel.Empty() && sel.Matches(labels.Set(templateOf(q).Labels))
}

// servedBy names the Services that select a workload's pods, sorted.
func (s side) servedBy(o *render.Object) []string {
	var out []string
	for _, svc := range s.services {
		sel := svc.Typed.(*corev1.Service).Spec.Selector
		if svc.ID.Namespace == o.ID.Namespace && len(sel) > 0 && labels.SelectorFromSet(sel).Matches(labels.Set(templateOf(o).Labels)) {
			out = append(out, svc.ID.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
