package state

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type cronJob batchv1.CronJob

func (c *cronJob) name() Kind                        { return CronJob }
func (c *cronJob) template() *corev1.PodTemplateSpec { return &c.Spec.JobTemplate.Spec.Template }
func (c *cronJob) selector() *metav1.LabelSelector   { return nil }
func (c *cronJob) replicas() **int32                 { return nil }
func (c *cronJob) minReady() *int32                  { return nil }
func (c *cronJob) jobs() *batchv1.JobSpec            { return &c.Spec.JobTemplate.Spec }
func (c *cronJob) suspend() *bool                    { return c.Spec.Suspend }

func (c *cronJob) pace() Pace      { return Pace{Keeps: true} }
func (c *cronJob) paced() []string { return nil }

func (c *cronJob) aspects() []Aspect {
	return append(aspectsOf(&c.Spec.JobTemplate.Spec),
		Aspect{"spec.suspend", &c.Spec.Suspend, ""},
		Aspect{"spec.concurrencyPolicy", &c.Spec.ConcurrencyPolicy, ""},
		Aspect{"spec.schedule", &c.Spec.Schedule, ""},
	)
}
