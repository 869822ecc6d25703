// Package defaults fills in what the API server fills in when an object is created, and converts between the API's
// versions, by upstream's own code. It knows nothing of where objects come from.
//
// Upstream: kubernetes v1.36.3, pkg/apis; feature gates are at their v1.36 defaults.
package defaults

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	upstream "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// Set defaults an object in place; one of a group that is not modeled stays as it is.
func Set(obj runtime.Object) {
	if r, ok := obj.(*rollouts.Rollout); ok { // as the API server does with the ReplicaSets that are made of it
		t := corev1.PodTemplate{Template: r.Spec.Template}
		upstream.SetObjectDefaults_PodTemplate(&t)
		r.Spec.Template = t.Template
		return
	}
	Scheme().Default(obj)
}

// PullPolicy is the policy that a container gets for its image where it declares none.
func PullPolicy(image string) corev1.PullPolicy {
	c := corev1.Container{Image: image}
	upstream.SetDefaults_Container(&c)
	return c.ImagePullPolicy
}

// HPAFromV1 converts an autoscaling/v1 object to v2 as the API server does between its versions, with the metrics and
// the behavior that v1 keeps in annotations. in is defaulted. The error is of a value that neither version has.
func HPAFromV1(in *autoscalingv1.HorizontalPodAutoscaler) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	Set(in)
	internal, err := Scheme().ConvertToVersion(in, runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	out := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := Scheme().Convert(internal, out, nil); err != nil {
		return nil, err
	}
	out.APIVersion, out.Kind = "autoscaling/v2", in.Kind
	return out, nil
}
