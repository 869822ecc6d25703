package validation

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateDeploymentSpec is ValidateDeploymentSpec.
func validateDeploymentSpec(spec *appsv1.DeploymentSpec) field.ErrorList {
	out := orNonnegative(spec.Replicas, specPath.Child("replicas"))
	out = append(out, requiredSelector(spec.Selector, "deployment")...)
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		out = append(out, field.Invalid(specPath.Child("selector"), spec.Selector, "invalid label selector"))
	} else {
		at := specPath.Child("template")
		if !selector.Empty() && !selector.Matches(labels.Set(spec.Template.Labels)) {
			out = append(out, unmatched(&spec.Template, at))
		}
		out = append(out, validatePodTemplateSpec(&spec.Template, at)...)
		out = append(out, lasting(&spec.Template, at)...)
	}
	out = append(out, validateDeploymentStrategy(&spec.Strategy, specPath.Child("strategy"))...)
	out = append(out, nonnegative(int64(spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	out = append(out, orNonnegative(spec.RevisionHistoryLimit, specPath.Child("revisionHistoryLimit"))...)
	if deadline := spec.ProgressDeadlineSeconds; deadline != nil {
		at := specPath.Child("progressDeadlineSeconds")
		out = append(out, nonnegative(int64(*deadline), at)...)
		if *deadline <= spec.MinReadySeconds {
			out = append(out, field.Invalid(at, *deadline, "must be greater than minReadySeconds"))
		}
	}
	return out
}

// requiredSelector is what Deployments and StatefulSets ask of spec.selector.
func requiredSelector(s *metav1.LabelSelector, kind string) field.ErrorList {
	at := specPath.Child("selector")
	if s == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	out := strictSelector(s, at)
	if emptySelector(s) {
		out = append(out, field.Invalid(at, s, "empty selector is invalid for "+kind))
	}
	return out
}

// unmatched is the error of a selector that does not match its own template.
func unmatched(t *corev1.PodTemplateSpec, at *field.Path) *field.Error {
	return field.Invalid(at.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`")
}

// lasting is what a template has to be whose pods never end of themselves.
func lasting(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if t.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		out = append(out, field.NotSupported(at.Child("spec", "restartPolicy"), t.Spec.RestartPolicy,
			[]corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		out = append(out, field.Forbidden(at.Child("spec", "activeDeadlineSeconds"),
			"activeDeadlineSeconds is not supported here"))
	}
	return out
}

// validateDeploymentStrategy is ValidateDeploymentStrategy.
func validateDeploymentStrategy(s *appsv1.DeploymentStrategy, at *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if s.RollingUpdate != nil {
			return field.ErrorList{field.Forbidden(at.Child("rollingUpdate"),
				"may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	case appsv1.RollingUpdateDeploymentStrategyType:
		if s.RollingUpdate == nil {
			return field.ErrorList{field.Required(at.Child("rollingUpdate"), "this should be defaulted and never be nil")}
		}
		return validateRollingUpdateDeployment(s.RollingUpdate, at.Child("rollingUpdate"))
	}
	return field.ErrorList{field.NotSupported(at, s.Type,
		[]appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType})}
}

// validateRollingUpdateDeployment is ValidateRollingUpdateDeployment.
func validateRollingUpdateDeployment(r *appsv1.RollingUpdateDeployment, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if r.MaxUnavailable != nil {
		out = append(out, validatePositiveIntOrPercent(*r.MaxUnavailable, at.Child("maxUnavailable"))...)
		out = append(out, isNotMoreThan100Percent(*r.MaxUnavailable, at.Child("maxUnavailable"))...)
	}
	if r.MaxSurge != nil {
		out = append(out, validatePositiveIntOrPercent(*r.MaxSurge, at.Child("maxSurge"))...)
	}
	if intOrPercentValue(r.MaxUnavailable) == 0 && intOrPercentValue(r.MaxSurge) == 0 {
		out = append(out, field.Invalid(at.Child("maxUnavailable"), r.MaxUnavailable, "may not be 0 when `maxSurge` is 0"))
	}
	return out
}

// statefulSetMutable are the fields of a StatefulSet that an update may change.
var statefulSetMutable = []string{
	"spec.replicas", "spec.ordinals", "spec.template", "spec.updateStrategy", "spec.revisionHistoryLimit",
	"spec.persistentVolumeClaimRetentionPolicy", "spec.minReadySeconds",
}

// validateStatefulSetSpec is ValidateStatefulSetSpec; create says that nothing of it was
// there before.
func validateStatefulSetSpec(spec *appsv1.StatefulSetSpec, create bool) field.ErrorList {
	var out field.ErrorList
	switch spec.PodManagementPolicy {
	case appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement:
	default:
		out = append(out, field.Invalid(specPath.Child("podManagementPolicy"), spec.PodManagementPolicy,
			"must be 'OrderedReady' or 'Parallel'"))
	}
	out = append(out, validateStatefulSetStrategy(&spec.UpdateStrategy, specPath.Child("updateStrategy"))...)
	if p := spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		at := specPath.Child("persistentVolumeClaimRetentionPolicy")
		out = append(out, retention(p.WhenDeleted, at.Child("whenDeleted"))...)
		out = append(out, retention(p.WhenScaled, at.Child("whenScaled"))...)
	}
	out = append(out, orNonnegative(spec.Replicas, specPath.Child("replicas"))...)
	out = append(out, nonnegative(int64(spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	if spec.Ordinals != nil {
		out = append(out, nonnegative(int64(spec.Ordinals.Start), specPath.Child("ordinals.start"))...)
	}
	if create {
		for i := range spec.VolumeClaimTemplates {
			out = append(out, validatePersistentVolumeClaimSpec(&spec.VolumeClaimTemplates[i].Spec,
				specPath.Child("volumeClaimTemplates").Index(i).Child("spec"))...)
		}
		if spec.ServiceName != "" {
			out = append(out, dnsLabel(spec.ServiceName, specPath.Child("serviceName"))...)
		}
	}
	out = append(out, requiredSelector(spec.Selector, "statefulset")...)
	at := specPath.Child("template")
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		out = append(out, field.Invalid(specPath.Child("selector"), spec.Selector, ""))
	} else {
		if !selector.Empty() && !selector.Matches(labels.Set(spec.Template.Labels)) {
			out = append(out, unmatched(&spec.Template, at))
		}
		out = append(out, validatePodTemplateSpec(withClaims(spec), at)...)
	}
	return append(out, lasting(&spec.Template, at)...)
}

// withClaims is a StatefulSet's template with the volumes that its claims give.
func withClaims(spec *appsv1.StatefulSetSpec) *corev1.PodTemplateSpec {
	t := spec.Template.DeepCopy()
	var volumes []corev1.Volume
	own := map[string]bool{}
	for i := range spec.VolumeClaimTemplates {
		if name := spec.VolumeClaimTemplates[i].Name; !own[name] {
			own[name] = true
			volumes = append(volumes, corev1.Volume{Name: name})
		}
	}
	for _, v := range t.Spec.Volumes {
		if !own[v.Name] {
			volumes = append(volumes, v)
		}
	}
	t.Spec.Volumes = volumes
	return t
}

func retention(p appsv1.PersistentVolumeClaimRetentionPolicyType, at *field.Path) field.ErrorList {
	known := []appsv1.PersistentVolumeClaimRetentionPolicyType{appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		appsv1.DeletePersistentVolumeClaimRetentionPolicyType}
	if p == known[0] || p == known[1] {
		return nil
	}
	return field.ErrorList{field.NotSupported(at, p, known)}
}

func validateStatefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy, at *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.OnDeleteStatefulSetStrategyType:
		if s.RollingUpdate != nil {
			return field.ErrorList{field.Invalid(at.Child("rollingUpdate"), s.RollingUpdate,
				"only allowed for updateStrategy 'RollingUpdate'")}
		}
		return nil
	case appsv1.RollingUpdateStatefulSetStrategyType:
		return validateRollingUpdateStatefulSet(s.RollingUpdate, at.Child("rollingUpdate"))
	}
	return field.ErrorList{field.Invalid(at, s.Type, "must be 'RollingUpdate' or 'OnDelete'")}
}

// validateRollingUpdateStatefulSet is its namesake.
func validateRollingUpdateStatefulSet(r *appsv1.RollingUpdateStatefulSetStrategy, at *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	out := orNonnegative(r.Partition, at.Child("partition"))
	if r.MaxUnavailable != nil {
		at := at.Child("maxUnavailable")
		out = append(out, validatePositiveIntOrPercent(*r.MaxUnavailable, at)...)
		if intOrPercentValue(r.MaxUnavailable) == 0 {
			out = append(out, field.Invalid(at, *r.MaxUnavailable, "cannot be 0"))
		}
		out = append(out, isNotMoreThan100Percent(*r.MaxUnavailable, at)...)
	}
	return out
}

// validateStatefulSetUpdate is ValidateStatefulSetUpdate.
func validateStatefulSetUpdate(now, was *appsv1.StatefulSet) field.ErrorList {
	out := validateStatefulSetSpec(&now.Spec, false)
	clone := now.Spec.DeepCopy()
	clone.Replicas, clone.Template, clone.UpdateStrategy = was.Spec.Replicas, was.Spec.Template, was.Spec.UpdateStrategy
	clone.MinReadySeconds, clone.Ordinals = was.Spec.MinReadySeconds, was.Spec.Ordinals
	clone.RevisionHistoryLimit = was.Spec.RevisionHistoryLimit
	clone.PersistentVolumeClaimRetentionPolicy = was.Spec.PersistentVolumeClaimRetentionPolicy
	if !same(*clone, was.Spec) {
		out = append(out, field.Forbidden(specPath, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
	}
	return out
}

// validateDaemonSetSpec is ValidateDaemonSetSpec.
func validateDaemonSetSpec(spec *appsv1.DaemonSetSpec) field.ErrorList {
	out := strictSelector(spec.Selector, specPath.Child("selector"))
	at := specPath.Child("template")
	if selector, err := metav1.LabelSelectorAsSelector(spec.Selector); err == nil &&
		!selector.Matches(labels.Set(spec.Template.Labels)) {
		out = append(out, unmatched(&spec.Template, at))
	}
	if spec.Selector != nil && emptySelector(spec.Selector) {
		out = append(out, field.Invalid(specPath.Child("selector"), spec.Selector, "empty selector is invalid for daemonset"))
	}
	out = append(out, validatePodTemplateSpec(&spec.Template, at)...)
	out = append(out, lasting(&spec.Template, at)...)
	out = append(out, nonnegative(int64(spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	out = append(out, validateDaemonSetUpdateStrategy(&spec.UpdateStrategy, specPath.Child("updateStrategy"))...)
	return append(out, orNonnegative(spec.RevisionHistoryLimit, specPath.Child("revisionHistoryLimit"))...)
}

// validateDaemonSetUpdateStrategy is ValidateDaemonSetUpdateStrategy.
func validateDaemonSetUpdateStrategy(s *appsv1.DaemonSetUpdateStrategy, at *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
		return nil
	case appsv1.RollingUpdateDaemonSetStrategyType:
		if s.RollingUpdate == nil {
			return field.ErrorList{field.Required(at.Child("rollingUpdate"), "")}
		}
		return validateRollingUpdateDaemonSet(s.RollingUpdate, at.Child("rollingUpdate"))
	}
	return field.ErrorList{field.NotSupported(at, s.Type,
		[]appsv1.DaemonSetUpdateStrategyType{appsv1.RollingUpdateDaemonSetStrategyType,
			appsv1.OnDeleteDaemonSetStrategyType})}
}

// validateRollingUpdateDaemonSet is ValidateRollingUpdateDaemonSet.
func validateRollingUpdateDaemonSet(r *appsv1.RollingUpdateDaemonSet, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if r.MaxUnavailable != nil {
		out = append(out, validatePositiveIntOrPercent(*r.MaxUnavailable, at.Child("maxUnavailable"))...)
		out = append(out, isNotMoreThan100Percent(*r.MaxUnavailable, at.Child("maxUnavailable"))...)
	}
	if r.MaxSurge != nil {
		out = append(out, validatePositiveIntOrPercent(*r.MaxSurge, at.Child("maxSurge"))...)
		out = append(out, isNotMoreThan100Percent(*r.MaxSurge, at.Child("maxSurge"))...)
	}
	unavailable, surge := intOrPercentValue(r.MaxUnavailable) != 0, intOrPercentValue(r.MaxSurge) != 0
	switch {
	case unavailable && surge:
		out = append(out, field.Invalid(at.Child("maxSurge"), r.MaxSurge,
			fmt.Sprintf("may not be set when %s is non-zero", "maxUnavailable")))
	case !unavailable && !surge:
		out = append(out, field.Required(at.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
	}
	return out
}
