package validation

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var specPath = field.NewPath("spec")

// How objects of a kind may be named.
func subdomain(name string, prefix bool) []string {
	return apivalidation.NameIsDNSSubdomain(name, prefix)
}
func label(name string, prefix bool) []string { return apivalidation.NameIsDNSLabel(name, prefix) }
func segment(name string, _ bool) []string    { return content.IsPathSegmentName(name) }

// validateObjectMeta is ValidateObjectMeta. A namespace comes from how the object is
// applied, where it has none of its own, and one that needs none loses it.
func validateObjectMeta(of *metav1.ObjectMeta, namespaced bool, name apivalidation.ValidateNameFunc) field.ErrorList {
	m := of.DeepCopy()
	switch {
	case !namespaced:
		m.Namespace = ""
	case m.Namespace == "":
		m.Namespace = metav1.NamespaceDefault
	}
	named(m)
	return apivalidation.ValidateObjectMeta(m, namespaced, name, field.NewPath("metadata"))
}

// named makes the name of an object that has only the start of one, as the API server does before it validates.
//
// Upstream: apiserver, pkg/registry/rest: BeforeCreate; pkg/storage/names: (simpleNameGenerator).GenerateName.
func named(m *metav1.ObjectMeta) {
	if m.Name == "" && m.GenerateName != "" {
		m.Name = m.GenerateName[:min(len(m.GenerateName), 58)] + "xxxxx"
	}
}

// validateObjectMetaUpdate is the part of ValidateObjectMetaUpdate that looks at what manifests
// hold.
func validateObjectMetaUpdate(obj runtime.Object) field.ErrorList {
	o, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	at := field.NewPath("metadata")
	return append(metav1validation.ValidateLabels(o.GetLabels(), at.Child("labels")),
		apivalidation.ValidateAnnotations(o.GetAnnotations(), at.Child("annotations"))...)
}

// immutable is ValidateImmutableField.
func immutable(now, was any, at *field.Path) field.ErrorList {
	return apivalidation.ValidateImmutableField(now, was, at)
}

func same(a, b any) bool { return equality.Semantic.DeepEqual(a, b) }

// nonnegative is ValidateNonnegativeField.
func nonnegative(v int64, at *field.Path) field.ErrorList {
	return apivalidation.ValidateNonnegativeField(v, at)
}

// orNonnegative is [nonnegative] of a value that may be absent.
func orNonnegative[T int32 | int64](v *T, at *field.Path) field.ErrorList {
	if v == nil {
		return nil
	}
	return nonnegative(int64(*v), at)
}

// dnsLabel is ValidateDNS1123Label.
func dnsLabel(v string, at *field.Path) field.ErrorList {
	var out field.ErrorList
	for _, msg := range validation.IsDNS1123Label(v) {
		out = append(out, field.Invalid(at, v, msg))
	}
	return out
}

// strictSelector validates a label selector, its values included.
func strictSelector(s *metav1.LabelSelector, at *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, at)
}

func emptySelector(s *metav1.LabelSelector) bool {
	return len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// validatePositiveIntOrPercent is ValidatePositiveIntOrPercent.
func validatePositiveIntOrPercent(v intstr.IntOrString, at *field.Path) field.ErrorList {
	var out field.ErrorList
	switch v.Type {
	case intstr.String:
		for _, msg := range validation.IsValidPercent(v.StrVal) {
			out = append(out, field.Invalid(at, v, msg))
		}
	case intstr.Int:
		out = append(out, nonnegative(int64(v.IntValue()), at)...)
	default:
		out = append(out, field.Invalid(at, v, "must be an integer or percentage (e.g '5%%')"))
	}
	return out
}

// isNotMoreThan100Percent is IsNotMoreThan100Percent.
func isNotMoreThan100Percent(v intstr.IntOrString, at *field.Path) field.ErrorList {
	if value, percent := percentValue(v); percent && value > 100 {
		return field.ErrorList{field.Invalid(at, v, "must not be greater than 100%")}
	}
	return nil
}

// percentValue is getPercentValue.
func percentValue(v intstr.IntOrString) (int, bool) {
	if v.Type != intstr.String || len(validation.IsValidPercent(v.StrVal)) != 0 {
		return 0, false
	}
	value, err := intstr.GetScaledValueFromIntOrPercent(&v, 100, false)
	return value, err == nil
}

// intOrPercentValue is getIntOrPercentValue.
func intOrPercentValue(v *intstr.IntOrString) int {
	if v == nil {
		return 0
	}
	if value, percent := percentValue(*v); percent {
		return value
	}
	return v.IntValue()
}
