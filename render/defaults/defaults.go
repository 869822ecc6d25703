// Package defaults fills in what the API server fills in when an object is created,
// for the kinds that are modeled. It knows nothing of where objects come from.
//
// Upstream: kubernetes v1.36.3, pkg/apis/{core,apps,batch,autoscaling,policy,scheduling}
// /v*/defaults.go and zz_generated.defaults.go; each function keeps its upstream name.
// Feature gates are taken at their v1.36 defaults. Left out: quantities in an object's
// status.
package defaults

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// Set defaults an object in place; a kind without a function here stays as it is.
func Set(obj runtime.Object) {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		Deployment(o)
		podTemplate(&o.Spec.Template)
	case *appsv1.StatefulSet:
		StatefulSet(o)
		podTemplate(&o.Spec.Template)
		for i := range o.Spec.VolumeClaimTemplates {
			PersistentVolumeClaim(&o.Spec.VolumeClaimTemplates[i])
		}
	case *appsv1.DaemonSet:
		DaemonSet(o)
		podTemplate(&o.Spec.Template)
	case *appsv1.ReplicaSet:
		ReplicaSet(o)
		podTemplate(&o.Spec.Template)
	case *rollouts.Rollout: // as the API server does with the ReplicaSets that are made of it
		podTemplate(&o.Spec.Template)
	case *corev1.ReplicationController:
		ReplicationController(o)
		if o.Spec.Template != nil {
			podTemplate(o.Spec.Template)
		}
	case *batchv1.Job:
		Job(o)
		podTemplate(&o.Spec.Template)
	case *batchv1.CronJob:
		CronJob(o)
		podTemplate(&o.Spec.JobTemplate.Spec.Template)
	case *corev1.Pod: // in this order: Pod adds requests up before podSpec rounds them
		Pod(o)
		podSpec(&o.Spec)
	default:
		setPlain(obj)
	}
}

// setPlain defaults the kinds without a pod template.
func setPlain(obj runtime.Object) {
	switch o := obj.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		HorizontalPodAutoscaler(o)
	case *schedulingv1.PriorityClass:
		PriorityClass(o)
	case *corev1.Service:
		Service(o)
	case *corev1.Secret:
		if o.Type == "" { // SetDefaults_Secret
			o.Type = corev1.SecretTypeOpaque
		}
	case *corev1.Namespace:
		Namespace(o)
	case *corev1.ResourceQuota:
		ResourceList(o.Spec.Hard)
	case *corev1.LimitRange:
		for i := range o.Spec.Limits {
			LimitRangeItem(&o.Spec.Limits[i])
		}
	case *corev1.PersistentVolumeClaim:
		PersistentVolumeClaim(o)
	case *corev1.Node:
		NodeStatus(&o.Status)
	}
}

// Deployment is SetDefaults_Deployment of apps/v1.
func Deployment(d *appsv1.Deployment) {
	orInt32(&d.Spec.Replicas, 1)
	s := &d.Spec.Strategy
	if s.Type == "" {
		s.Type = appsv1.RollingUpdateDeploymentStrategyType
	}
	if s.Type == appsv1.RollingUpdateDeploymentStrategyType {
		if s.RollingUpdate == nil {
			s.RollingUpdate = &appsv1.RollingUpdateDeployment{}
		}
		if s.RollingUpdate.MaxUnavailable == nil {
			s.RollingUpdate.MaxUnavailable = ptr(intstr.FromString("25%"))
		}
		if s.RollingUpdate.MaxSurge == nil {
			s.RollingUpdate.MaxSurge = ptr(intstr.FromString("25%"))
		}
	}
	orInt32(&d.Spec.RevisionHistoryLimit, 10)
	orInt32(&d.Spec.ProgressDeadlineSeconds, 600)
}

// DaemonSet is SetDefaults_DaemonSet of apps/v1.
func DaemonSet(d *appsv1.DaemonSet) {
	s := &d.Spec.UpdateStrategy
	if s.Type == "" {
		s.Type = appsv1.RollingUpdateDaemonSetStrategyType
	}
	if s.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		if s.RollingUpdate == nil {
			s.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
		}
		if s.RollingUpdate.MaxUnavailable == nil {
			s.RollingUpdate.MaxUnavailable = ptr(intstr.FromInt32(1))
		}
		if s.RollingUpdate.MaxSurge == nil {
			s.RollingUpdate.MaxSurge = ptr(intstr.FromInt32(0))
		}
	}
	orInt32(&d.Spec.RevisionHistoryLimit, 10)
}

// StatefulSet is SetDefaults_StatefulSet of apps/v1. The gate MaxUnavailableStatefulSet
// is off, as it is by default in v1.36.
func StatefulSet(s *appsv1.StatefulSet) {
	if s.Spec.PodManagementPolicy == "" {
		s.Spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement
	}
	u := &s.Spec.UpdateStrategy
	if u.Type == "" {
		u.Type = appsv1.RollingUpdateStatefulSetStrategyType
		if u.RollingUpdate == nil {
			u.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{}
		}
	}
	if u.Type == appsv1.RollingUpdateStatefulSetStrategyType && u.RollingUpdate != nil {
		orInt32(&u.RollingUpdate.Partition, 0)
	}
	if s.Spec.PersistentVolumeClaimRetentionPolicy == nil {
		s.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{}
	}
	p := s.Spec.PersistentVolumeClaimRetentionPolicy
	if p.WhenDeleted == "" {
		p.WhenDeleted = appsv1.RetainPersistentVolumeClaimRetentionPolicyType
	}
	if p.WhenScaled == "" {
		p.WhenScaled = appsv1.RetainPersistentVolumeClaimRetentionPolicyType
	}
	orInt32(&s.Spec.Replicas, 1)
	orInt32(&s.Spec.RevisionHistoryLimit, 10)
}

// ReplicaSet is SetDefaults_ReplicaSet of apps/v1.
func ReplicaSet(r *appsv1.ReplicaSet) { orInt32(&r.Spec.Replicas, 1) }

// ReplicationController is SetDefaults_ReplicationController of core/v1 and its
// declared default of one replica.
func ReplicationController(r *corev1.ReplicationController) {
	if r.Spec.Template != nil && r.Spec.Template.Labels != nil {
		if len(r.Spec.Selector) == 0 {
			r.Spec.Selector = r.Spec.Template.Labels
		}
		if len(r.Labels) == 0 {
			r.Labels = r.Spec.Template.Labels
		}
	}
	orInt32(&r.Spec.Replicas, 1)
}

// Job is SetDefaults_Job of batch/v1.
func Job(j *batchv1.Job) {
	if j.Spec.Completions == nil && j.Spec.Parallelism == nil {
		j.Spec.Completions = ptr(int32(1))
	}
	orInt32(&j.Spec.Parallelism, 1)
	if j.Spec.BackoffLimitPerIndex != nil {
		orInt32(&j.Spec.BackoffLimit, math.MaxInt32)
	}
	orInt32(&j.Spec.BackoffLimit, 6)
	if j.Spec.Template.Labels != nil && len(j.Labels) == 0 {
		j.Labels = j.Spec.Template.Labels
	}
	if j.Spec.CompletionMode == nil {
		j.Spec.CompletionMode = ptr(batchv1.NonIndexedCompletion)
	}
	if j.Spec.Suspend == nil {
		j.Spec.Suspend = ptr(false)
	}
	if j.Spec.PodReplacementPolicy == nil {
		j.Spec.PodReplacementPolicy = ptr(batchv1.TerminatingOrFailed)
		if j.Spec.PodFailurePolicy != nil {
			j.Spec.PodReplacementPolicy = ptr(batchv1.Failed)
		}
	}
	if j.Spec.ManualSelector == nil {
		j.Spec.ManualSelector = ptr(false)
	}
	podFailurePolicy(j.Spec.PodFailurePolicy)
}

// podFailurePolicy is SetDefaults_PodFailurePolicyOnPodConditionsPattern of batch/v1.
func podFailurePolicy(p *batchv1.PodFailurePolicy) {
	if p == nil {
		return
	}
	for i := range p.Rules {
		conditions := p.Rules[i].OnPodConditions
		for k := range conditions {
			if conditions[k].Status == "" {
				conditions[k].Status = corev1.ConditionTrue
			}
		}
	}
}

// CronJob is SetDefaults_CronJob of batch/v1.
func CronJob(c *batchv1.CronJob) {
	if c.Spec.ConcurrencyPolicy == "" {
		c.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent
	}
	if c.Spec.Suspend == nil {
		c.Spec.Suspend = ptr(false)
	}
	orInt32(&c.Spec.SuccessfulJobsHistoryLimit, 3)
	orInt32(&c.Spec.FailedJobsHistoryLimit, 1)
	podFailurePolicy(c.Spec.JobTemplate.Spec.PodFailurePolicy)
}

// PriorityClass is SetDefaults_PriorityClass of scheduling/v1.
func PriorityClass(p *schedulingv1.PriorityClass) {
	if p.PreemptionPolicy == nil {
		p.PreemptionPolicy = ptr(corev1.PreemptLowerPriority)
	}
}

func orInt32(field **int32, value int32) {
	if *field == nil {
		*field = &value
	}
}

func ptr[T any](v T) *T { return &v }
