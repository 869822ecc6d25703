package admission

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
)

// Counts reports whether a quota counts a pod, by its scopes. A pod without a PriorityClass gets the fallback, the
// cluster's default; "": there is none.
//
// Upstream: apiserver/pkg/quota/v1/generic: Matches, getScopeSelectorsFromQuota; kubernetes v1.36.3,
// pkg/quota/v1/evaluator/core: podMatchesScopeFunc.
func Counts(quota *corev1.ResourceQuota, pod *corev1.Pod, fallback string) bool {
	for _, scope := range quota.Spec.Scopes {
		if !inScope(corev1.ScopedResourceSelectorRequirement{ScopeName: scope,
			Operator: corev1.ScopeSelectorOpExists}, pod, fallback) {
			return false
		}
	}
	if s := quota.Spec.ScopeSelector; s != nil {
		return !slices.ContainsFunc(s.MatchExpressions, func(r corev1.ScopedResourceSelectorRequirement) bool {
			return !inScope(r, pod, fallback)
		})
	}
	return true
}

// inScope is podMatchesScopeFunc.
func inScope(r corev1.ScopedResourceSelectorRequirement, pod *corev1.Pod, fallback string) bool {
	ends := pod.Spec.ActiveDeadlineSeconds != nil && *pod.Spec.ActiveDeadlineSeconds >= 0
	switch r.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return ends
	case corev1.ResourceQuotaScopeNotTerminating:
		return !ends
	case corev1.ResourceQuotaScopeBestEffort:
		return qos.ComputePodQOS(pod) == corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopeNotBestEffort:
		return qos.ComputePodQOS(pod) != corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return looksAcross(pod.Spec.Affinity)
	case corev1.ResourceQuotaScopePriorityClass:
		class := pod.Spec.PriorityClassName
		if class == "" {
			class = fallback
		}
		if r.Operator == corev1.ScopeSelectorOpExists {
			return class != ""
		}
		set := labels.Set{}
		if class != "" {
			set[string(r.ScopeName)] = class
		}
		sel, err := helper.ScopedResourceSelectorRequirementsAsSelector(r)
		return err == nil && sel.Matches(set)
	}
	return false
}

// looksAcross is usesCrossNamespacePodAffinity.
func looksAcross(a *corev1.Affinity) bool {
	if a == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	var weighted []corev1.WeightedPodAffinityTerm
	if p := a.PodAffinity; p != nil {
		terms, weighted = p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution
	}
	if p := a.PodAntiAffinity; p != nil {
		terms = slices.Concat(terms, p.RequiredDuringSchedulingIgnoredDuringExecution)
		weighted = slices.Concat(weighted, p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	for i := range weighted {
		terms = append(slices.Clip(terms), weighted[i].PodAffinityTerm)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
	})
}
