// Package validation refuses objects as the API server does: one that is created, and
// one that an apply makes of another. It knows neither files nor clusters.
//
// Upstream: kubernetes v1.36.3, pkg/apis/{apps,batch,core,autoscaling,policy,rbac,
// scheduling,storage}/validation; each function keeps its upstream name, in lower case.
// Objects are defaulted (render/defaults), and feature gates are at their v1.36 defaults.
//
// Left out, so that what they refuse passes here: lifecycle hooks, probes of init containers, env, security
// contexts, the sources of volumes, host names and DNS settings of pods; metrics and
// behavior of autoscalers; second IP families of Services; custom resources but for ScaledObjects, and definitions
// but for their conversion.
package validation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Create gives why the API server refuses to create an object; of a kind that is not looked
// at, what is wrong with its labels and annotations.
func Create(obj runtime.Object) field.ErrorList { return sorted(create(prepare(obj))) }

func create(obj runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return append(validateObjectMeta(&o.ObjectMeta, true, subdomain), validateDeploymentSpec(&o.Spec)...)
	case *appsv1.StatefulSet:
		return append(validateObjectMeta(&o.ObjectMeta, true, label), validateStatefulSetSpec(&o.Spec, true)...)
	case *appsv1.DaemonSet:
		return append(validateObjectMeta(&o.ObjectMeta, true, subdomain), validateDaemonSetSpec(&o.Spec)...)
	case *batchv1.Job:
		return validateJob(o)
	case *batchv1.CronJob:
		return validateCronJobCreate(o)
	case *corev1.Pod:
		return validatePod(o)
	case *corev1.Service:
		return append(validateObjectMeta(&o.ObjectMeta, true, label), validateService(o)...)
	case *corev1.PersistentVolumeClaim:
		return append(validateObjectMeta(&o.ObjectMeta, true, subdomain),
			validatePersistentVolumeClaimSpec(&o.Spec, specPath)...)
	case *corev1.ConfigMap:
		return validateConfigMap(o)
	case *corev1.Secret:
		return validateSecret(o)
	}
	return createPolicy(obj)
}

// createPolicy is [Create] for the kinds that run nothing.
func createPolicy(obj runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		return append(validateObjectMeta(&o.ObjectMeta, true, subdomain), validateHorizontalPodAutoscalerSpec(&o.Spec)...)
	case *policyv1.PodDisruptionBudget:
		return append(validateObjectMetaUpdate(o), validatePodDisruptionBudgetSpec(&o.Spec)...)
	case *schedulingv1.PriorityClass:
		return append(validateObjectMeta(&o.ObjectMeta, false, subdomain), validatePriorityClass(o)...)
	case *storagev1.StorageClass:
		return append(validateObjectMeta(&o.ObjectMeta, false, subdomain), validateProvisioner(o.Provisioner)...)
	case *rbacv1.RoleBinding:
		return append(validateObjectMeta(&o.ObjectMeta, true, segment), validateRoleRef(o.RoleRef, "Role", "ClusterRole")...)
	case *rbacv1.ClusterRoleBinding:
		return append(validateObjectMeta(&o.ObjectMeta, false, segment), validateRoleRef(o.RoleRef, "ClusterRole")...)
	}
	return validateObjectMetaUpdate(obj) // of every kind: rest.BeforeCreate
}

// Update gives why the API server refuses to make an object of another of the same kind and
// name. old is as it was applied; what the cluster adds to it (a Service's address, that a
// claim is bound) is filled in.
func Update(obj, old runtime.Object) field.ErrorList {
	return sorted(append(update(prepare(obj), prepare(old)), validateObjectMetaUpdate(obj)...))
}

func update(obj, old runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		if was, ok := old.(*appsv1.Deployment); ok {
			return append(validateDeploymentSpec(&o.Spec),
				immutable(o.Spec.Selector, was.Spec.Selector, specPath.Child("selector"))...)
		}
	case *appsv1.StatefulSet:
		if was, ok := old.(*appsv1.StatefulSet); ok {
			return validateStatefulSetUpdate(o, was)
		}
	case *appsv1.DaemonSet:
		if was, ok := old.(*appsv1.DaemonSet); ok {
			return append(validateDaemonSetSpec(&o.Spec),
				immutable(o.Spec.Selector, was.Spec.Selector, specPath.Child("selector"))...)
		}
	case *batchv1.Job:
		if was, ok := old.(*batchv1.Job); ok {
			return validateJobUpdate(o, was)
		}
	case *batchv1.CronJob:
		if was, ok := old.(*batchv1.CronJob); ok {
			return validateCronJobSpec(&o.Spec, &was.Spec)
		}
	case *corev1.Pod:
		if was, ok := old.(*corev1.Pod); ok {
			return validatePodUpdate(o, was)
		}
	case *corev1.Service:
		if was, ok := old.(*corev1.Service); ok {
			return validateServiceUpdate(o, was)
		}
	case *corev1.PersistentVolumeClaim:
		if was, ok := old.(*corev1.PersistentVolumeClaim); ok {
			return validatePersistentVolumeClaimUpdate(o, was)
		}
	case *corev1.ConfigMap:
		if was, ok := old.(*corev1.ConfigMap); ok {
			return validateConfigMapUpdate(o, was)
		}
	case *corev1.Secret:
		if was, ok := old.(*corev1.Secret); ok {
			return validateSecretUpdate(o, was)
		}
	}
	return updatePolicy(obj, old)
}

// updatePolicy is [Update] for the kinds that run nothing.
func updatePolicy(obj, old runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		return validateHorizontalPodAutoscalerSpec(&o.Spec)
	case *policyv1.PodDisruptionBudget:
		return validatePodDisruptionBudgetSpec(&o.Spec)
	case *schedulingv1.PriorityClass:
		if was, ok := old.(*schedulingv1.PriorityClass); ok {
			return validatePriorityClassUpdate(o, was)
		}
	case *storagev1.StorageClass:
		if was, ok := old.(*storagev1.StorageClass); ok {
			return validateStorageClassUpdate(o, was)
		}
	case *rbacv1.RoleBinding:
		if was, ok := old.(*rbacv1.RoleBinding); ok {
			return append(validateRoleRef(o.RoleRef, "Role", "ClusterRole"), sameRole(o.RoleRef, was.RoleRef)...)
		}
	case *rbacv1.ClusterRoleBinding:
		if was, ok := old.(*rbacv1.ClusterRoleBinding); ok {
			return append(validateRoleRef(o.RoleRef, "ClusterRole"), sameRole(o.RoleRef, was.RoleRef)...)
		}
	}
	return nil
}

// Mutable lists the fields that an update may change below one that it is refused for as a
// whole, such as those of a StatefulSet's spec.
func Mutable(obj runtime.Object, refused string) []string {
	if refused != "spec" {
		return nil
	}
	switch o := obj.(type) {
	case *appsv1.StatefulSet:
		return slices.Clone(statefulSetMutable)
	case *corev1.Pod:
		return podMutable(o)
	case *corev1.PersistentVolumeClaim:
		return []string{"spec.resources.requests", "spec.volumeAttributesClassName"}
	}
	return nil
}
