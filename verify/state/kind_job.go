package state

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type job batchv1.Job

func (j *job) name() Kind                        { return Job }
func (j *job) template() *corev1.PodTemplateSpec { return &j.Spec.Template }
func (j *job) selector() *metav1.LabelSelector   { return nil }
func (j *job) replicas() **int32                 { return nil }
func (j *job) minReady() *int32                  { return nil }
func (j *job) jobs() *batchv1.JobSpec            { return &j.Spec }
func (j *job) suspend() *bool                    { return j.Spec.Suspend }

func (j *job) pace() Pace      { return Pace{Keeps: true} }
func (j *job) paced() []string { return nil }

func (j *job) aspects() []Aspect {
	return append(aspectsOf(&j.Spec), Aspect{"spec.suspend", &j.Spec.Suspend, ""})
}
