package state

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replicaSet is one that stands alone, without a Deployment.
type replicaSet appsv1.ReplicaSet

func (r *replicaSet) name() Kind                        { return ReplicaSet }
func (r *replicaSet) template() *corev1.PodTemplateSpec { return &r.Spec.Template }
func (r *replicaSet) selector() *metav1.LabelSelector   { return r.Spec.Selector }
func (r *replicaSet) replicas() **int32                 { return &r.Spec.Replicas }
func (r *replicaSet) minReady() *int32                  { return &r.Spec.MinReadySeconds }
func (r *replicaSet) jobs() *batchv1.JobSpec            { return nil }
func (r *replicaSet) suspend() *bool                    { return nil }

func (r *replicaSet) pace() Pace      { return Pace{Keeps: true} }
func (r *replicaSet) paced() []string { return nil }

func (r *replicaSet) aspects() []Aspect {
	return []Aspect{{"spec.minReadySeconds", &r.Spec.MinReadySeconds, ""}}
}
