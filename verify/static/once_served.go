package static

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// selectsOwnPods are the versions in which the selector of a workload defaulted to the
// labels of its pods.
//
// Upstream: pkg/apis/extensions/v1beta1 and pkg/apis/apps/v1beta1 (kubernetes v1.15): SetDefaults_Deployment,
// SetDefaults_DaemonSet, SetDefaults_ReplicaSet, SetDefaults_StatefulSet.
var selectsOwnPods = map[string]bool{"extensions/v1beta1": true, "apps/v1beta1": true}

// asOnceServed is a workload of such a version with the selector that it had; nil where it is of another one, or
// refused for more than that. That it is refused today is a separate finding; its other changes are checked all the
// same.
func asOnceServed(o *object.Object) *object.Object {
	version, _ := o.Content["apiVersion"].(string)
	if !selectsOwnPods[version] || o.Typed == nil || o.Undecodable() {
		return nil
	}
	own := func(labels map[string]string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: labels}
	}
	out := *o
	switch t := o.Typed.DeepCopyObject().(type) {
	case *appsv1.Deployment:
		if t.Spec.Selector != nil {
			return nil
		}
		t.Spec.Selector, out.Typed = own(t.Spec.Template.Labels), t
	case *appsv1.StatefulSet:
		if t.Spec.Selector != nil {
			return nil
		}
		t.Spec.Selector, out.Typed = own(t.Spec.Template.Labels), t
	case *appsv1.DaemonSet:
		if t.Spec.Selector != nil {
			return nil
		}
		t.Spec.Selector, out.Typed = own(t.Spec.Template.Labels), t
	case *appsv1.ReplicaSet:
		if t.Spec.Selector != nil {
			return nil
		}
		t.Spec.Selector, out.Typed = own(t.Spec.Template.Labels), t
	default:
		return nil
	}
	if len(validation.Create(out.Typed)) > 0 {
		return nil
	}
	return &out
}
