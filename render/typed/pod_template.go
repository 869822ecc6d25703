package typed

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// PodTemplate is the pod template of a workload, or nil.
func PodTemplate(o runtime.Object) *corev1.PodTemplateSpec {
	switch t := o.(type) {
	case *appsv1.Deployment:
		return &t.Spec.Template
	case *appsv1.StatefulSet:
		return &t.Spec.Template
	case *appsv1.DaemonSet:
		return &t.Spec.Template
	case *appsv1.ReplicaSet:
		return &t.Spec.Template
	case *rollouts.Rollout:
		return &t.Spec.Template
	case *batchv1.Job:
		return &t.Spec.Template
	case *batchv1.CronJob:
		return &t.Spec.JobTemplate.Spec.Template
	}
	return nil
}
