package control_test

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
)

// statefulSetOf makes a Deployment the StatefulSet that the flags stateful, parallel and
// ondelete and the options partition and start ask for.
func statefulSetOf(d *appsv1.Deployment, flags []string, opt map[string]string) *appsv1.StatefulSet {
	partition := int32(number(opt, "partition", 0))
	set := &appsv1.StatefulSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.StatefulSetSpec{
		Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template, MinReadySeconds: d.Spec.MinReadySeconds,
		Ordinals:            &appsv1.StatefulSetOrdinals{Start: int32(number(opt, "start", 0))},
		PodManagementPolicy: appsv1.OrderedReadyPodManagement,
		UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
			Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition},
		},
	}}
	if slices.Contains(flags, "parallel") {
		set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	}
	if slices.Contains(flags, "ondelete") {
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	}
	return set
}
