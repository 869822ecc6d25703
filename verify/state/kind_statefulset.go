package state

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type statefulSet appsv1.StatefulSet

func (s *statefulSet) name() Kind                        { return StatefulSet }
func (s *statefulSet) template() *corev1.PodTemplateSpec { return &s.Spec.Template }
func (s *statefulSet) selector() *metav1.LabelSelector   { return s.Spec.Selector }
func (s *statefulSet) replicas() **int32                 { return &s.Spec.Replicas }
func (s *statefulSet) minReady() *int32                  { return &s.Spec.MinReadySeconds }
func (s *statefulSet) jobs() *batchv1.JobSpec            { return nil }
func (s *statefulSet) suspend() *bool                    { return nil }

// pace has no shares, and one pod after the other: the feature gate of maxUnavailable is
// off by default.
func (s *statefulSet) pace() Pace {
	return Pace{
		AtLeastOne: true,
		Awaits:     s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType,
	}
}

func (s *statefulSet) paced() []string {
	return []string{"spec.podManagementPolicy", "spec.updateStrategy"}
}

func (s *statefulSet) aspects() []Aspect {
	return []Aspect{
		{"spec.minReadySeconds", &s.Spec.MinReadySeconds, ""},
		{"spec.podManagementPolicy", &s.Spec.PodManagementPolicy, ""},
		{"spec.updateStrategy", &s.Spec.UpdateStrategy, "new update strategy"},
		{"spec.ordinals", &s.Spec.Ordinals, ""},
		{"spec.volumeClaimTemplates", &s.Spec.VolumeClaimTemplates, ""},
	}
}
