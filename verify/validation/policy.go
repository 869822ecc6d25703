package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// serviceAccount has the two fields of the service account be one.
func serviceAccount(s *corev1.PodSpec) {
	s.ServiceAccountName, s.DeprecatedServiceAccount = cmp.Or(s.ServiceAccountName, s.DeprecatedServiceAccount), ""
}

// prepare gives a copy of an object with what the API server fills in beyond the defaults:
// (jobStrategy).PrepareForCreate, NormalizeClusterIPs, a Secret's stringData,
// SetDefaults_StorageClass, SetDefaults_RoleBinding and SetDefaults_ClusterRoleBinding, and what
// conversion to the internal version does: Convert_v1_StatefulSetSpec_To_apps_StatefulSetSpec,
// Convert_v1_PodSpec_To_core_PodSpec.
func prepare(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *appsv1.StatefulSet:
		o = o.DeepCopy()
		for i := range o.Spec.VolumeClaimTemplates {
			o.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
		}
		return o
	case *batchv1.Job:
		o = o.DeepCopy()
		named(&o.ObjectMeta)
		generateSelector(o)
		serviceAccount(&o.Spec.Template.Spec)
		return o
	case *corev1.Pod:
		o = o.DeepCopy()
		serviceAccount(&o.Spec)
		return o
	case *corev1.Service:
		o = o.DeepCopy()
		if o.Spec.ClusterIP != "" && len(o.Spec.ClusterIPs) == 0 {
			o.Spec.ClusterIPs = []string{o.Spec.ClusterIP}
		}
		return o
	case *corev1.Secret:
		o = o.DeepCopy()
		for k, v := range o.StringData {
			if o.Data == nil {
				o.Data = map[string][]byte{}
			}
			o.Data[k] = []byte(v)
		}
		return o
	case *storagev1.StorageClass:
		o = o.DeepCopy()
		if o.ReclaimPolicy == nil {
			reclaim := corev1.PersistentVolumeReclaimDelete
			o.ReclaimPolicy = &reclaim
		}
		if o.VolumeBindingMode == nil {
			mode := storagev1.VolumeBindingImmediate
			o.VolumeBindingMode = &mode
		}
		return o
	case *rbacv1.RoleBinding:
		o = o.DeepCopy()
		if o.RoleRef.APIGroup == "" {
			o.RoleRef.APIGroup = rbacv1.GroupName
		}
		return o
	case *rbacv1.ClusterRoleBinding:
		o = o.DeepCopy()
		if o.RoleRef.APIGroup == "" {
			o.RoleRef.APIGroup = rbacv1.GroupName
		}
		return o
	}
	return obj
}

// validateHorizontalPodAutoscalerSpec is its namesake, but for metrics and behavior. Whether
// the feature gate HPAScaleToZero is on is not known here: what it allows is not refused.
func validateHorizontalPodAutoscalerSpec(spec *autoscalingv2.HorizontalPodAutoscalerSpec) field.ErrorList {
	var out field.ErrorList
	least, at := spec.MinReplicas, specPath.Child("maxReplicas")
	switch {
	case least == nil || *least >= 1:
	case *least < 0:
		out = append(out, field.Invalid(specPath.Child("minReplicas"), *least, "must be greater than or equal to 0"))
	case !slices.ContainsFunc(spec.Metrics, func(m autoscalingv2.MetricSpec) bool {
		return m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType
	}):
		out = append(out, field.Forbidden(specPath.Child("metrics"),
			"must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	switch {
	case spec.MaxReplicas == 0:
		out = append(out, field.Required(at, "must be set and greater than 0"))
	case spec.MaxReplicas < 0:
		out = append(out, field.Invalid(at, spec.MaxReplicas, "must be greater than or equal to 1"))
	}
	if least != nil && spec.MaxReplicas < *least {
		out = append(out, field.Invalid(at, spec.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	ref := specPath.Child("scaleTargetRef")
	for _, x := range []struct{ field, value string }{{"kind", spec.ScaleTargetRef.Kind},
		{"name", spec.ScaleTargetRef.Name}} {
		if x.value == "" {
			out = append(out, field.Required(ref.Child(x.field), ""))
		} else {
			for _, msg := range segment(x.value, false) {
				out = append(out, field.Invalid(ref.Child(x.field), x.value, msg))
			}
		}
	}
	return out
}

// validatePodDisruptionBudgetSpec is ValidatePodDisruptionBudgetSpec.
func validatePodDisruptionBudgetSpec(spec *policyv1.PodDisruptionBudgetSpec) field.ErrorList {
	var out field.ErrorList
	if spec.MinAvailable != nil && spec.MaxUnavailable != nil {
		out = append(out, field.Invalid(specPath, field.OmitValueType{},
			"minAvailable and maxUnavailable cannot be both set"))
	}
	if v := spec.MinAvailable; v != nil {
		out = append(out, validatePositiveIntOrPercent(*v, specPath.Child("minAvailable"))...)
		out = append(out, isNotMoreThan100Percent(*v, specPath.Child("minAvailable"))...)
	}
	if v := spec.MaxUnavailable; v != nil {
		out = append(out, validatePositiveIntOrPercent(*v, specPath.Child("maxUnavailable"))...)
		out = append(out, isNotMoreThan100Percent(*v, specPath.Child("maxUnavailable"))...)
	}
	out = append(out, strictSelector(spec.Selector, specPath.Child("selector"))...)
	known := []policyv1.UnhealthyPodEvictionPolicyType{policyv1.AlwaysAllow, policyv1.IfHealthyBudget}
	if p := spec.UnhealthyPodEvictionPolicy; p != nil && *p != known[0] && *p != known[1] {
		out = append(out, field.NotSupported(specPath.Child("unhealthyPodEvictionPolicy"), *p, known))
	}
	return out
}

// Values of PriorityClasses: HighestUserDefinablePriority, and those of the two that
// Kubernetes has itself.
const (
	highestUserDefinablePriority = 1_000_000_000
	systemClusterCritical        = 2 * highestUserDefinablePriority
	systemNodeCritical           = systemClusterCritical + 1000
)

// validatePriorityClass is ValidatePriorityClass.
func validatePriorityClass(c *schedulingv1.PriorityClass) field.ErrorList {
	var out field.ErrorList
	switch own := map[string]int32{"system-cluster-critical": systemClusterCritical,
		"system-node-critical": systemNodeCritical}; {
	case strings.HasPrefix(c.Name, "system-"):
		if value, known := own[c.Name]; !known || c.Value != value || c.GlobalDefault {
			out = append(out, field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only"))
		}
	case c.Value > highestUserDefinablePriority:
		out = append(out, field.Forbidden(field.NewPath("value"),
			fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserDefinablePriority)))
	}
	known := []corev1.PreemptionPolicy{corev1.PreemptLowerPriority, corev1.PreemptNever}
	if p := c.PreemptionPolicy; p != nil && *p != known[0] && *p != known[1] {
		out = append(out, field.NotSupported(field.NewPath("preemptionPolicy"), *p, known))
	}
	return out
}

// validatePriorityClassUpdate is ValidatePriorityClassUpdate.
func validatePriorityClassUpdate(now, was *schedulingv1.PriorityClass) field.ErrorList {
	var out field.ErrorList
	if now.Value != was.Value {
		out = append(out, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	return append(out, immutable(now.PreemptionPolicy, was.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}

// validateProvisioner is its namesake.
func validateProvisioner(provisioner string) field.ErrorList {
	at := field.NewPath("provisioner")
	if provisioner == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var out field.ErrorList
	for _, msg := range validation.IsQualifiedName(strings.ToLower(provisioner)) {
		out = append(out, field.Invalid(at, provisioner, msg))
	}
	return out
}

// validateStorageClassUpdate is ValidateStorageClassUpdate.
func validateStorageClassUpdate(now, was *storagev1.StorageClass) field.ErrorList {
	out := immutable(now.Parameters, was.Parameters, field.NewPath("parameters"))
	out = append(out, immutable(now.Provisioner, was.Provisioner, field.NewPath("provisioner"))...)
	out = append(out, immutable(now.ReclaimPolicy, was.ReclaimPolicy, field.NewPath("reclaimPolicy"))...)
	return append(out, apivalidation.ValidateImmutableField(now.VolumeBindingMode, was.VolumeBindingMode,
		field.NewPath("volumeBindingMode"))...)
}

// validateRoleRef is what ValidateRoleBinding and ValidateClusterRoleBinding ask of roleRef.
func validateRoleRef(ref rbacv1.RoleRef, kinds ...string) field.ErrorList {
	at := field.NewPath("roleRef")
	var out field.ErrorList
	if ref.APIGroup != rbacv1.GroupName {
		out = append(out, field.NotSupported(at.Child("apiGroup"), ref.APIGroup, []string{rbacv1.GroupName}))
	}
	if ref.Kind != "ClusterRole" && (len(kinds) < 2 || ref.Kind != kinds[0]) {
		out = append(out, field.NotSupported(at.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		return append(out, field.Required(at.Child("name"), ""))
	}
	for _, msg := range segment(ref.Name, false) {
		out = append(out, field.Invalid(at.Child("name"), ref.Name, msg))
	}
	return out
}

// sameRole is the error of a binding that comes to bind another role.
func sameRole(now, was rbacv1.RoleRef) field.ErrorList {
	if now == was {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), field.OmitValueType{}, "cannot change roleRef")}
}
