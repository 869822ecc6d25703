package slice

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// counts reports whether an autoscaler of p counts q's pods: it lists the pods that match the
// selector of its target's scale, whoever owns them (pkg/controller/podautoscaler:
// GetResourceReplicas).
func (s side) counts(p, q *object.Object) bool {
	if p.ID == q.ID || p.ID.Namespace != q.ID.Namespace {
		return false
	}
	if !s.autoscaled(p) {
		return false
	}
	m, _ := state.ManifestOf(p.Typed)
	sel, err := metav1.LabelSelectorAsSelector(m.Selector())
	return err == nil && !sel.Empty() && sel.Matches(labels.Set(templateOf(q).Labels))
}

// autoscaled reports whether an autoscaler counts the pods of a workload.
func (s side) autoscaled(o *object.Object) bool { return len(s.hpasOf(o))+len(s.kedaOf(o)) > 0 }

// servedBy names the Services that select a workload's pods, sorted, and gives those of them that lead callers to pods
// of their own node alone.
func (s side) servedBy(o *object.Object) (out []string, near []*object.Object) {
	set := templateOf(o).Labels
	for _, i := range s.found.services.candidates(o.ID.Namespace, set) {
		svc := s.services[i]
		spec := &svc.Typed.(*corev1.Service).Spec
		if svc.ID.Namespace != o.ID.Namespace || len(spec.Selector) == 0 ||
			!labels.SelectorFromSet(spec.Selector).Matches(labels.Set(set)) {
			continue
		}
		out = append(out, svc.ID.Name)
		if p := spec.InternalTrafficPolicy; p != nil && *p == corev1.ServiceInternalTrafficPolicyLocal {
			near = append(near, svc)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), near
}

// tellPodsApart keeps the selectors of the Services that pods of one version of a workload match and those of the other
// do not: while one is rolled out as the other, pods of both are there.
func tellPodsApart(w *state.Workload, sides [2]side) {
	var sets []labels.Set
	for v := range sides {
		if o := sides[v].Workloads[w.ID]; o != nil {
			sets = append(sets, templateOf(o).Labels)
		}
	}
	if len(sets) < 2 || maps.Equal(sets[0], sets[1]) {
		return
	}
	for v, s := range sides {
		m := &w.Manifests[v]
		for _, set := range sets {
			for _, i := range s.found.services.candidates(w.Namespace, set) {
				svc := s.services[i]
				selector := svc.Typed.(*corev1.Service).Spec.Selector
				by := labels.SelectorFromSet(selector)
				if svc.ID.Namespace == w.Namespace && len(selector) > 0 && by.Matches(sets[0]) != by.Matches(sets[1]) {
					m.Selectors = append(m.Selectors, state.ServiceSelector{Service: svc.ID.Name, Labels: selector})
				}
			}
		}
		slices.SortFunc(m.Selectors, func(a, b state.ServiceSelector) int { return strings.Compare(a.Service, b.Service) })
		m.Selectors = slices.CompactFunc(m.Selectors, func(a, b state.ServiceSelector) bool { return a.Service == b.Service })
	}
}
