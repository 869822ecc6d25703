package validation

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/rbac"
	rbacvalidation "k8s.io/kubernetes/pkg/apis/rbac/validation"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"k8s.io/kubernetes/pkg/features"
)

// strategy is how objects of one kind are validated: the part of a registry's strategy that needs no API server.
type strategy struct {
	namespaced bool
	create     func(runtime.Object) field.ErrorList
	update     func(now, was runtime.Object) field.ErrorList
}

type entry struct {
	of reflect.Type
	*strategy
}

// kind declares a kind in its internal version.
func kind[T runtime.Object](namespaced bool, create func(T) field.ErrorList,
	update func(now, was T) field.ErrorList) entry {
	return entry{reflect.TypeFor[T](), &strategy{namespaced,
		func(o runtime.Object) field.ErrorList { return create(o.(T)) },
		func(now, was runtime.Object) field.ErrorList { return update(now.(T), was.(T)) }}}
}

// replaced is an update that looks at the new object alone.
func replaced[T any](create func(T) field.ErrorList) func(now, was T) field.ErrorList {
	return func(now, _ T) field.ErrorList { return create(now) }
}

// both is an update that validates the new object, and then the step.
func both[T any](create func(T) field.ErrorList,
	update func(now, was T) field.ErrorList) func(now, was T) field.ErrorList {
	return func(now, was T) field.ErrorList { return append(create(now), update(now, was)...) }
}

type podOptions = corevalidation.PodValidationOptions

// workload declares a kind with a template of pods.
func workload[T runtime.Object](template func(T) *core.PodTemplateSpec, create func(T, podOptions) field.ErrorList,
	update func(now, was T, o podOptions) field.ErrorList) entry {
	return kind(true,
		func(o T) field.ErrorList {
			podutil.DropDisabledTemplateFields(template(o), nil)
			return create(o, podutil.GetValidationOptionsFromPodTemplate(template(o), nil))
		},
		func(now, was T) field.ErrorList {
			podutil.DropDisabledTemplateFields(template(now), template(was))
			return update(now, was, podutil.GetValidationOptionsFromPodTemplate(template(now), template(was)))
		})
}

// strategies are the kinds that are looked at.
//
// Upstream: pkg/registry/*/*/strategy.go: Validate, ValidateUpdate.
var strategies = sync.OnceValue(func() map[reflect.Type]*strategy {
	out := map[reflect.Type]*strategy{}
	for _, e := range append(policies(),
		workload(func(o *apps.Deployment) *core.PodTemplateSpec { return &o.Spec.Template },
			appsvalidation.ValidateDeployment, appsvalidation.ValidateDeploymentUpdate),
		workload(func(o *apps.StatefulSet) *core.PodTemplateSpec { return &o.Spec.Template },
			createStatefulSet, updateStatefulSet),
		workload(func(o *apps.DaemonSet) *core.PodTemplateSpec { return &o.Spec.Template },
			appsvalidation.ValidateDaemonSet, updateDaemonSet),
		workload(func(o *apps.ReplicaSet) *core.PodTemplateSpec { return &o.Spec.Template },
			appsvalidation.ValidateReplicaSet, appsvalidation.ValidateReplicaSetUpdate),
		workload(func(o *core.ReplicationController) *core.PodTemplateSpec { return o.Spec.Template },
			corevalidation.ValidateReplicationController, corevalidation.ValidateReplicationControllerUpdate),
		workload(func(o *batch.CronJob) *core.PodTemplateSpec { return &o.Spec.JobTemplate.Spec.Template },
			batchvalidation.ValidateCronJobCreate, batchvalidation.ValidateCronJobUpdate),
		kind(true, createJob, updateJob),
		kind(true, createPod, updatePod),
		kind(true, createService, updateService),
		kind(true, createClaim, updateClaim),
		kind(false, createVolume, both(createVolume, updateVolume)),
		kind(true, corevalidation.ValidateConfigMap, corevalidation.ValidateConfigMapUpdate),
		kind(true, createSecret, updateSecret),
		kind(true, corevalidation.ValidateServiceAccount, corevalidation.ValidateServiceAccountUpdate),
		kind(true, createLimitRange, replaced(createLimitRange)),
		kind(true, corevalidation.ValidateResourceQuota, corevalidation.ValidateResourceQuotaUpdate),
		kind(false, createNamespace, updateNamespace),
		kind(true, createAutoscaler, updateAutoscaler),
		kind(true, createBudget, updateBudget),
		kind(false, schedulingvalidation.ValidatePriorityClass, schedulingvalidation.ValidatePriorityClassUpdate),
		kind(false, storagevalidation.ValidateStorageClass,
			both(storagevalidation.ValidateStorageClass, storagevalidation.ValidateStorageClassUpdate)),
		kind(true, networkingvalidation.ValidateIngressCreate, networkingvalidation.ValidateIngressUpdate),
		kind(false, networkingvalidation.ValidateIngressClass, networkingvalidation.ValidateIngressClassUpdate),
		kind(true, createNetworkPolicy, updateNetworkPolicy),
		kind(true, rbacvalidation.ValidateRole, rbacvalidation.ValidateRoleUpdate),
		kind(false, createClusterRole, updateClusterRole),
		kind(true, rbacvalidation.ValidateRoleBinding, rbacvalidation.ValidateRoleBindingUpdate),
		kind(false, rbacvalidation.ValidateClusterRoleBinding, rbacvalidation.ValidateClusterRoleBindingUpdate),
	) {
		out[e.of] = e.strategy
	}
	return out
})

// dropPace takes the fields out of a StatefulSet that the API server drops without their gate, as
// dropStatefulSetDisabledFields does.
func dropPace(o, was *apps.StatefulSet) {
	paced := func(s *apps.StatefulSet) bool {
		return s != nil && s.Spec.UpdateStrategy.RollingUpdate != nil &&
			s.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable != nil
	}
	if paced(o) && !paced(was) && !utilfeature.DefaultFeatureGate.Enabled(features.MaxUnavailableStatefulSet) {
		o.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = nil
	}
}

func createStatefulSet(o *apps.StatefulSet, opts podOptions) field.ErrorList {
	dropPace(o, nil)
	return appsvalidation.ValidateStatefulSet(o, opts)
}

func updateStatefulSet(now, was *apps.StatefulSet, o podOptions) field.ErrorList {
	dropPace(was, nil)
	dropPace(now, was)
	return appsvalidation.ValidateStatefulSetUpdate(now, was, o)
}

// updateDaemonSet is (daemonSetStrategy).PrepareForUpdate and ValidateUpdate.
func updateDaemonSet(now, was *apps.DaemonSet, o podOptions) field.ErrorList {
	now.Spec.TemplateGeneration = was.Spec.TemplateGeneration
	if !equality.Semantic.DeepEqual(now.Spec.Template, was.Spec.Template) {
		now.Spec.TemplateGeneration++
	}
	o.AllowInvalidLabelValueInSelector = o.AllowInvalidLabelValueInSelector ||
		metav1validation.LabelSelectorHasInvalidLabelValue(was.Spec.Selector)
	return appsvalidation.ValidateDaemonSetUpdate(now, was, o)
}

func createVolume(o *core.PersistentVolume) field.ErrorList {
	return corevalidation.ValidatePersistentVolume(o, corevalidation.ValidationOptionsForPersistentVolume(o, nil))
}

func updateVolume(now, was *core.PersistentVolume) field.ErrorList {
	o := corevalidation.ValidationOptionsForPersistentVolume(now, was)
	return corevalidation.ValidatePersistentVolumeUpdate(now, was, o)
}

// notJSON stands for how a part of a Secret fails to be JSON: the parser quotes from it.
func notJSON(list field.ErrorList) field.ErrorList {
	for _, e := range list {
		if e.BadValue == "<secret contents redacted>" {
			e.Detail = "not a JSON object"
		}
	}
	return list
}

func createSecret(o *core.Secret) field.ErrorList { return notJSON(corevalidation.ValidateSecret(o)) }

func updateSecret(now, was *core.Secret) field.ErrorList {
	return notJSON(corevalidation.ValidateSecretUpdate(now, was))
}

// createLimitRange also names one: (limitrangeStrategy).PrepareForCreate.
func createLimitRange(o *core.LimitRange) field.ErrorList {
	if o.Name == "" {
		o.Name = "unnamed"
	}
	return corevalidation.ValidateLimitRange(o)
}

type autoscalerValidation = autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions

// autoscalerOptions let through what some version or gate in use does: no replicas at all, and a target in no group.
func autoscalerOptions(was, now *autoscaling.HorizontalPodAutoscaler) autoscalerValidation {
	named := autoscalingvalidation.CrossVersionObjectReferenceValidationOptions{AllowEmptyAPIGroup: true}
	o := autoscalerValidation{
		ScaleTargetRefValidationOptions: named, ObjectMetricsValidationOptions: named}
	if was == nil {
		return o
	}
	target, before := now.Spec.ScaleTargetRef, was.Spec.ScaleTargetRef
	o.ScaleTargetRefValidationOptions.AllowInvalidAPIVersion = target.APIVersion == before.APIVersion &&
		target.Kind == before.Kind
	for _, m := range was.Spec.Metrics {
		if m.Type == autoscaling.ObjectMetricSourceType && m.Object != nil &&
			autoscalingvalidation.ValidateAPIVersion(m.Object.DescribedObject, named) != nil {
			o.ObjectMetricsValidationOptions.AllowInvalidAPIVersion = true
		}
	}
	return o
}

func createAutoscaler(o *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	return autoscalingvalidation.ValidateHorizontalPodAutoscaler(o, autoscalerOptions(nil, o))
}

func updateAutoscaler(now, was *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	return autoscalingvalidation.ValidateHorizontalPodAutoscalerUpdate(now, was, autoscalerOptions(was, now))
}

func createBudget(o *policy.PodDisruptionBudget) field.ErrorList {
	return policyvalidation.ValidatePodDisruptionBudget(o, policyvalidation.PodDisruptionBudgetValidationOptions{})
}

func updateBudget(now, was *policy.PodDisruptionBudget) field.ErrorList {
	return policyvalidation.ValidatePodDisruptionBudget(now, policyvalidation.PodDisruptionBudgetValidationOptions{
		AllowInvalidLabelValueInSelector: metav1validation.LabelSelectorHasInvalidLabelValue(was.Spec.Selector)})
}

func createNetworkPolicy(o *networking.NetworkPolicy) field.ErrorList {
	return networkingvalidation.ValidateNetworkPolicy(o, networkingvalidation.ValidationOptionsForNetworking(o, nil))
}

func updateNetworkPolicy(now, was *networking.NetworkPolicy) field.ErrorList {
	o := networkingvalidation.ValidationOptionsForNetworking(now, was)
	return networkingvalidation.ValidateNetworkPolicyUpdate(now, was, o)
}

func createClusterRole(o *rbac.ClusterRole) field.ErrorList {
	return rbacvalidation.ValidateClusterRole(o, rbacvalidation.ClusterRoleValidationOptions{})
}

// updateClusterRole lets selectors be that base has as well.
func updateClusterRole(now, was *rbac.ClusterRole) field.ErrorList {
	return rbacvalidation.ValidateClusterRoleUpdate(now, was, rbacvalidation.ClusterRoleValidationOptions{
		AllowInvalidLabelValueInSelector: len(createClusterRole(was)) > 0})
}
