package verify

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render"
)

// podTerms lists all inter-pod affinity terms of a pod.
func podTerms(p *corev1.PodSpec) []corev1.PodAffinityTerm {
	var out []corev1.PodAffinityTerm
	if p.Affinity == nil {
		return nil
	}
	if a := p.Affinity.PodAffinity; a != nil {
		out = append(out, a.RequiredDuringSchedulingIgnoredDuringExecution...)
		for _, t := range a.PreferredDuringSchedulingIgnoredDuringExecution {
			out = append(out, t.PodAffinityTerm)
		}
	}
	if a := p.Affinity.PodAntiAffinity; a != nil {
		out = append(out, a.RequiredDuringSchedulingIgnoredDuringExecution...)
		for _, t := range a.PreferredDuringSchedulingIgnoredDuringExecution {
			out = append(out, t.PodAffinityTerm)
		}
	}
	return out
}

// influences says whether a placement rule of p's pods looks at q's pods.
func influences(p, q *render.Object, s side) bool {
	if p.ID == q.ID {
		return false
	}
	from := templateOf(p)
	set := labels.Set(templateOf(q).Labels)
	matches := func(sel *metav1.LabelSelector) bool {
		x, err := metav1.LabelSelectorAsSelector(sel)
		return err == nil && x.Matches(set)
	}
	if p.ID.Namespace == q.ID.Namespace {
		for _, c := range from.Spec.TopologySpreadConstraints {
			if matches(c.LabelSelector) {
				return true
			}
		}
	}
	for _, t := range podTerms(&from.Spec) {
		if inNamespace(t, p.ID.Namespace, q.ID.Namespace, s.namespaces) && matches(t.LabelSelector) {
			return true
		}
	}
	return false
}

// inNamespace says whether a term of a pod in namespace own looks at namespace other.
func inNamespace(t corev1.PodAffinityTerm, own, other string, known map[string]map[string]string) bool {
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		return own == other
	}
	if slices.Contains(t.Namespaces, other) {
		return true
	}
	if t.NamespaceSelector == nil {
		return false
	}
	sel, err := metav1.LabelSelectorAsSelector(t.NamespaceSelector)
	set := labels.Set{corev1.LabelMetadataName: other}
	maps.Copy(set, known[other])
	return err == nil && sel.Matches(set)
}
