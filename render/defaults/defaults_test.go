package defaults

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"
)

// Defaulting what was defaulted changes nothing, for any content.
func TestSetIsIdempotent(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.5).NumElements(0, 2).MaxDepth(12)
	for _, kind := range []runtime.Object{
		&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}, &appsv1.ReplicaSet{}, &batchv1.Job{}, &batchv1.CronJob{},
		&corev1.Pod{}, &corev1.Service{}, &corev1.LimitRange{}, &corev1.ResourceQuota{}, &autoscalingv2.HorizontalPodAutoscaler{},
	} {
		for range 20 {
			o := kind.DeepCopyObject()
			fill.Fill(o)
			Set(o)
			again := o.DeepCopyObject()
			Set(again)
			if !equality.Semantic.DeepEqual(o, again) {
				t.Errorf("%T: a second run changes %v", kind, o)
			}
		}
	}
}

func TestPullPolicy(t *testing.T) {
	for image, want := range map[string]corev1.PullPolicy{
		"nginx": corev1.PullAlways, "nginx:latest": corev1.PullAlways, "nginx:1": corev1.PullIfNotPresent,
		"localhost:5000/nginx": corev1.PullAlways, "localhost:5000/nginx:1": corev1.PullIfNotPresent,
		"nginx@sha256:00": corev1.PullIfNotPresent, "": corev1.PullIfNotPresent, "Not/A:Name": corev1.PullIfNotPresent,
	} {
		if got := PullPolicy(image); got != want {
			t.Errorf("%q: %s, want %s", image, got, want)
		}
	}
}

// The strategy that is not asked for gets no parameters, and given ones are kept.
func TestDeploymentStrategy(t *testing.T) {
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}, Replicas: ptr.To(int32(0))}}
	Set(d)
	if d.Spec.Strategy.RollingUpdate != nil || *d.Spec.Replicas != 0 || *d.Spec.ProgressDeadlineSeconds != 600 {
		t.Errorf("%+v", d.Spec)
	}
	d = &appsv1.Deployment{}
	Set(d)
	if r := d.Spec.Strategy.RollingUpdate; r.MaxSurge.StrVal != "25%" || r.MaxUnavailable.StrVal != "25%" || *d.Spec.Replicas != 1 {
		t.Errorf("%+v", d.Spec)
	}
}

// autoscaling/v1 keeps further metrics in an annotation; its own target comes last.
func TestHPAFromV1(t *testing.T) {
	in := &autoscalingv1.HorizontalPodAutoscaler{Spec: autoscalingv1.HorizontalPodAutoscalerSpec{MaxReplicas: 5, TargetCPUUtilizationPercentage: ptr.To(int32(60))}}
	in.Annotations = map[string]string{
		"autoscaling.alpha.kubernetes.io/metrics":  `[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":70}}]`,
		"autoscaling.alpha.kubernetes.io/behavior": `{"ScaleDown":{"StabilizationWindowSeconds":10}}`,
	}
	out, err := HPAFromV1(in)
	if err != nil {
		t.Fatal(err)
	}
	Set(out)
	m := out.Spec.Metrics
	if len(m) != 2 || *m[0].Resource.Target.AverageUtilization != 70 || *m[1].Resource.Target.AverageUtilization != 60 {
		t.Errorf("metrics %+v", m)
	}
	if b := out.Spec.Behavior; *b.ScaleDown.StabilizationWindowSeconds != 10 || len(b.ScaleUp.Policies) != 2 || len(out.Annotations) != 0 {
		t.Errorf("behavior %+v, annotations %v", b, out.Annotations)
	}
	in = &autoscalingv1.HorizontalPodAutoscaler{}
	if out, err = HPAFromV1(in); err != nil {
		t.Fatal(err)
	}
	Set(out)
	if *out.Spec.Metrics[0].Resource.Target.AverageUtilization != 80 || *out.Spec.MinReplicas != 1 {
		t.Errorf("%+v", out.Spec)
	}
}
