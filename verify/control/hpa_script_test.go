package control_test

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// otherMetrics are the metrics of a line hpa that are not of a pod's CPU or memory:
// container=PERCENT of CPU, disk=PERCENT, the external ones queue=AVERAGE and length=VALUE.
func otherMetrics(opt map[string]string) []autoscalingv2.MetricSpec {
	var out []autoscalingv2.MetricSpec
	percent := func(key string) autoscalingv2.MetricTarget {
		p := int32(number(opt, key, 0))
		return autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &p}
	}
	external := func(name string, t autoscalingv2.MetricTarget) {
		out = append(out, autoscalingv2.MetricSpec{
			Type:     autoscalingv2.ExternalMetricSourceType,
			External: &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name}, Target: t},
		})
	}
	if opt["disk"] != "" {
		out = append(out, autoscalingv2.MetricSpec{
			Type:     autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{Name: "ephemeral-storage", Target: percent("disk")},
		})
	}
	if opt["container"] != "" {
		out = append(out, autoscalingv2.MetricSpec{
			Type:              autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: "cpu", Container: "main", Target: percent("container")},
		})
	}
	if opt["queue"] != "" {
		q := resource.MustParse(opt["queue"])
		external("queue", autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &q})
	}
	if opt["length"] != "" {
		q := resource.MustParse(opt["length"])
		external("length", autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &q})
	}
	return out
}
