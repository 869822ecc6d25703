package state

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type daemonSet appsv1.DaemonSet

func (d *daemonSet) name() Kind                        { return DaemonSet }
func (d *daemonSet) template() *corev1.PodTemplateSpec { return &d.Spec.Template }
func (d *daemonSet) selector() *metav1.LabelSelector   { return d.Spec.Selector }
func (d *daemonSet) replicas() **int32                 { return nil }
func (d *daemonSet) minReady() *int32                  { return &d.Spec.MinReadySeconds }
func (d *daemonSet) jobs() *batchv1.JobSpec            { return nil }
func (d *daemonSet) suspend() *bool                    { return nil }

func (d *daemonSet) pace() Pace {
	p := Pace{
		RoundsUp: true, AtLeastOne: true, at: "spec.updateStrategy.rollingUpdate",
		Awaits: d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType,
	}
	if r := d.Spec.UpdateStrategy.RollingUpdate; r != nil {
		p.Surge, p.Unavailable = r.MaxSurge, r.MaxUnavailable
	}
	return p
}

func (d *daemonSet) paced() []string { return []string{"spec.updateStrategy"} }

func (d *daemonSet) aspects() []Aspect {
	return []Aspect{
		{"spec.updateStrategy", &d.Spec.UpdateStrategy, "new update strategy"},
		{"spec.minReadySeconds", &d.Spec.MinReadySeconds, ""},
	}
}
