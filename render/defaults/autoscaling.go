package defaults

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// defaultCPUUtilization is autoscaling.DefaultCPUUtilization, in percent of the request.
const defaultCPUUtilization = 80

// HorizontalPodAutoscaler is SetDefaults_HorizontalPodAutoscaler of autoscaling/v2.
func HorizontalPodAutoscaler(h *autoscalingv2.HorizontalPodAutoscaler) {
	orInt32(&h.Spec.MinReplicas, 1)
	if len(h.Spec.Metrics) == 0 {
		h.Spec.Metrics = []autoscalingv2.MetricSpec{cpuUtilization(defaultCPUUtilization)}
	}
	if b := h.Spec.Behavior; b != nil { // SetDefaults_HorizontalPodAutoscalerBehavior
		b.ScaleUp = overRules(b.ScaleUp, scaleUpRules())
		b.ScaleDown = overRules(b.ScaleDown, scaleDownRules())
	}
}

func cpuUtilization(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{
			Name:   corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
		},
	}
}

// scaleUpRules is defaultHPAScaleUpRules.
func scaleUpRules() *autoscalingv2.HPAScalingRules {
	return &autoscalingv2.HPAScalingRules{
		StabilizationWindowSeconds: ptr(int32(0)),
		SelectPolicy:               ptr(autoscalingv2.MaxChangePolicySelect),
		Policies: []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		},
	}
}

// scaleDownRules is defaultHPAScaleDownRules: its window is the controller's flag.
func scaleDownRules() *autoscalingv2.HPAScalingRules {
	return &autoscalingv2.HPAScalingRules{
		SelectPolicy: ptr(autoscalingv2.MaxChangePolicySelect),
		Policies: []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PercentScalingPolicy,
			Value: 100, PeriodSeconds: 15}},
	}
}

// overRules is copyHPAScalingRules.
func overRules(from, to *autoscalingv2.HPAScalingRules) *autoscalingv2.HPAScalingRules {
	if from == nil {
		return to
	}
	if from.SelectPolicy != nil {
		to.SelectPolicy = from.SelectPolicy
	}
	if from.StabilizationWindowSeconds != nil {
		to.StabilizationWindowSeconds = from.StabilizationWindowSeconds
	}
	if from.Policies != nil {
		to.Policies = from.Policies
	}
	if from.Tolerance != nil {
		to.Tolerance = from.Tolerance
	}
	return to
}

// HPAFromV1 converts an autoscaling/v1 object to v2 as the API server does between its
// versions: Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler,
// with the metrics and the behavior that v1 keeps in annotations. As upstream, it ignores
// an annotation that is no JSON.
func HPAFromV1(in *autoscalingv1.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: *in.ObjectMeta.DeepCopy()}
	out.APIVersion, out.Kind = "autoscaling/v2", in.Kind
	out.Spec.MinReplicas = in.Spec.MinReplicas
	out.Spec.MaxReplicas = in.Spec.MaxReplicas
	out.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef)
	if text, ok := in.Annotations["autoscaling.alpha.kubernetes.io/metrics"]; ok {
		var metrics []autoscalingv1.MetricSpec
		if err := json.Unmarshal([]byte(text), &metrics); err == nil {
			for _, m := range metrics {
				out.Spec.Metrics = append(out.Spec.Metrics, metricFromV1(m))
			}
		}
	}
	if p := in.Spec.TargetCPUUtilizationPercentage; p != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, cpuUtilization(*p))
	}
	if text, ok := in.Annotations["autoscaling.alpha.kubernetes.io/behavior"]; ok {
		var b autoscalingv2.HorizontalPodAutoscalerBehavior
		if err := json.Unmarshal([]byte(text), &b); err == nil && b != (autoscalingv2.HorizontalPodAutoscalerBehavior{}) {
			out.Spec.Behavior = &b
		}
	}
	delete(out.Annotations, "autoscaling.alpha.kubernetes.io/metrics")
	delete(out.Annotations, "autoscaling.alpha.kubernetes.io/behavior")
	return out
}

// metricFromV1 is Convert_v1_MetricSpec_To_autoscaling_MetricSpec.
func metricFromV1(in autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.Resource; m != nil {
		t := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: m.TargetAverageValue}
		if m.TargetAverageUtilization != nil {
			t.Type, t.AverageUtilization = autoscalingv2.UtilizationMetricType, m.TargetAverageUtilization
		}
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: m.Name, Target: t}
	}
	if m := in.ContainerResource; m != nil {
		t := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: m.TargetAverageValue}
		if m.TargetAverageUtilization != nil {
			t.Type, t.AverageUtilization = autoscalingv2.UtilizationMetricType, m.TargetAverageUtilization
		}
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: m.Name, Container: m.Container, Target: t}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector},
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &m.TargetAverageValue},
		}
	}
	if m := in.Object; m != nil {
		t := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &m.TargetValue}
		if m.AverageValue != nil {
			t = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: m.AverageValue}
		}
		out.Object = &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(m.Target),
			Metric:          autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector},
			Target:          t,
		}
	}
	if m := in.External; m != nil {
		t := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: m.TargetValue,
			AverageValue: m.TargetAverageValue}
		if m.TargetValue == nil {
			t.Type = autoscalingv2.AverageValueMetricType
		}
		out.External = &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.MetricSelector}, Target: t,
		}
	}
	return out
}
