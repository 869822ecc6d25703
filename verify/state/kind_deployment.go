package state

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type deployment appsv1.Deployment

func (d *deployment) name() Kind                        { return Deployment }
func (d *deployment) template() *corev1.PodTemplateSpec { return &d.Spec.Template }
func (d *deployment) selector() *metav1.LabelSelector   { return d.Spec.Selector }
func (d *deployment) replicas() **int32                 { return &d.Spec.Replicas }
func (d *deployment) minReady() *int32                  { return &d.Spec.MinReadySeconds }
func (d *deployment) jobs() *batchv1.JobSpec            { return nil }
func (d *deployment) suspend() *bool                    { return nil }

func (d *deployment) pace() Pace {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return Pace{AtOnce: true}
	}
	p := Pace{AtLeastOne: true, at: "spec.strategy.rollingUpdate"}
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		p.Surge, p.Unavailable = r.MaxSurge, r.MaxUnavailable
	}
	return p
}

func (d *deployment) paced() []string {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return []string{"spec.strategy.type"}
	}
	return []string{"spec.strategy.rollingUpdate.maxSurge", "spec.strategy.rollingUpdate.maxUnavailable"}
}

func (d *deployment) aspects() []Aspect {
	return []Aspect{
		{"spec.strategy", &d.Spec.Strategy, "new strategy"},
		{"spec.minReadySeconds", &d.Spec.MinReadySeconds, ""},
		{"spec.paused", &d.Spec.Paused, ""},
	}
}
