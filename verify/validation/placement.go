package validation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateTopologySpreadConstraint is the part of validateTopologySpreadConstraints that looks
// at constraint i, but for matchLabelKeys.
func validateTopologySpreadConstraint(list []corev1.TopologySpreadConstraint, i int, at *field.Path) field.ErrorList {
	c := &list[i]
	var out field.ErrorList
	if c.MaxSkew <= 0 {
		out = append(out, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
	}
	if c.TopologyKey == "" {
		out = append(out, field.Required(at.Child("topologyKey"), "can not be empty"))
	}
	actions := []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}
	if !slices.Contains(actions, c.WhenUnsatisfiable) {
		out = append(out, field.NotSupported(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, actions))
	}
	if slices.ContainsFunc(list[i+1:], func(o corev1.TopologySpreadConstraint) bool {
		return o.TopologyKey == c.TopologyKey && o.WhenUnsatisfiable == c.WhenUnsatisfiable
	}) {
		out = append(out, field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"),
			c.TopologyKey+", "+string(c.WhenUnsatisfiable)))
	}
	if m := c.MinDomains; m != nil {
		if *m <= 0 {
			out = append(out, field.Invalid(at.Child("minDomains"), *m, "must be greater than zero"))
		}
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			out = append(out, field.Invalid(at.Child("minDomains"), *m,
				"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+string(c.WhenUnsatisfiable)))
		}
	}
	policies := []corev1.NodeInclusionPolicy{corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore}
	if p := c.NodeAffinityPolicy; p != nil && !slices.Contains(policies, *p) {
		out = append(out, field.NotSupported(at.Child("nodeAffinityPolicy"), *p, policies))
	}
	if p := c.NodeTaintsPolicy; p != nil && !slices.Contains(policies, *p) {
		out = append(out, field.NotSupported(at.Child("nodeTaintsPolicy"), *p, policies))
	}
	return append(out, strictSelector(c.LabelSelector, at.Child("labelSelector"))...)
}

// validateToleration is the part of ValidateTolerations that looks at one of them.
func validateToleration(t *corev1.Toleration, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if t.Key != "" {
		out = append(out, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
	} else if t.Operator != corev1.TolerationOpExists {
		out = append(out, field.Invalid(at.Child("operator"), t.Operator,
			"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		out = append(out, field.Invalid(at.Child("effect"), t.Effect,
			"effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		if errs := validation.IsValidLabelValue(t.Value); len(errs) != 0 {
			out = append(out, field.Invalid(at.Child("operator"), t.Value, strings.Join(errs, ";")))
		}
	case corev1.TolerationOpExists:
		if t.Value != "" {
			out = append(out, field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
		}
	default:
		out = append(out, field.NotSupported(at.Child("operator"), t.Operator,
			[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
		corev1.TaintEffectNoExecute}
	if t.Effect != "" && !slices.Contains(effects, t.Effect) {
		out = append(out, field.NotSupported(at.Child("effect"), t.Effect, effects))
	}
	return out
}

// validateAffinity is its namesake.
func validateAffinity(a *corev1.Affinity, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if a == nil {
		return nil
	}
	const (
		required  = "requiredDuringSchedulingIgnoredDuringExecution"
		preferred = "preferredDuringSchedulingIgnoredDuringExecution"
	)
	if n := a.NodeAffinity; n != nil {
		at := at.Child("nodeAffinity")
		if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
			at := at.Child(required, "nodeSelectorTerms")
			if len(r.NodeSelectorTerms) == 0 {
				out = append(out, field.Required(at, "must have at least one node selector term"))
			}
			for i := range r.NodeSelectorTerms {
				out = append(out, validateNodeSelectorTerm(&r.NodeSelectorTerms[i], at.Index(i), true)...)
			}
		}
		for i, t := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			at := at.Child(preferred).Index(i)
			out = append(out, weight(t.Weight, at)...)
			out = append(out, validateNodeSelectorTerm(&t.Preference, at.Child("preference"), false)...)
		}
	}
	pods := func(terms []corev1.PodAffinityTerm, weighted []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i := range terms {
			out = append(out, validatePodAffinityTerm(&terms[i], at.Child(required).Index(i))...)
		}
		for i := range weighted {
			at := at.Child(preferred).Index(i)
			out = append(out, weight(weighted[i].Weight, at)...)
			out = append(out, validatePodAffinityTerm(&weighted[i].PodAffinityTerm, at.Child("podAffinityTerm"))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		pods(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution,
			at.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		pods(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution,
			at.Child("podAntiAffinity"))
	}
	return out
}

func weight(w int32, at *field.Path) field.ErrorList {
	if w <= 0 || w > 100 {
		return field.ErrorList{field.Invalid(at.Child("weight"), w, "must be in the range 1-100")}
	}
	return nil
}

// validateNodeSelectorTerm is the part of ValidateNodeSelectorTerm that looks at labels; those
// of a preference may have values that no label has.
func validateNodeSelectorTerm(t *corev1.NodeSelectorTerm, at *field.Path, values bool) field.ErrorList {
	var out field.ErrorList
	for i, r := range t.MatchExpressions {
		at := at.Child("matchExpressions").Index(i)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if len(r.Values) == 0 {
				out = append(out, field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if len(r.Values) > 0 {
				out = append(out, field.Forbidden(at.Child("values"),
					"may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
			}
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			if len(r.Values) != 1 {
				out = append(out, field.Required(at.Child("values"),
					"must be specified single value when `operator` is 'Lt' or 'Gt'"))
			}
		default:
			out = append(out, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		}
		out = append(out, metav1validation.ValidateLabelName(r.Key, at.Child("key"))...)
		for j, value := range r.Values {
			for _, msg := range validation.IsValidLabelValue(value) {
				if values {
					out = append(out, field.Invalid(at.Child("values").Index(j), value, msg))
				}
			}
		}
	}
	return out
}

// validatePodAffinityTerm is its namesake, but for match and mismatch label keys.
func validatePodAffinityTerm(t *corev1.PodAffinityTerm, at *field.Path) field.ErrorList {
	out := strictSelector(t.LabelSelector, at.Child("labelSelector"))
	out = append(out, strictSelector(t.NamespaceSelector, at.Child("namespaceSelector"))...)
	for _, name := range t.Namespaces {
		for _, msg := range apivalidation.ValidateNamespaceName(name, false) {
			out = append(out, field.Invalid(at.Child("namespace"), name, msg))
		}
	}
	if t.TopologyKey == "" {
		out = append(out, field.Required(at.Child("topologyKey"), "can not be empty"))
	}
	return append(out, metav1validation.ValidateLabelName(t.TopologyKey, at.Child("topologyKey"))...)
}
