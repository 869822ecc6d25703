package typed

import (
	"maps"
	"slices"
)

// hpaFromV2beta1 is an autoscaler of autoscaling/v2beta1 with its metrics as v2 writes them.
//
// Upstream: pkg/apis/autoscaling/v2beta1 (kubernetes v1.24):
// Convert_v2beta1_ResourceMetricSource_To_autoscaling_ResourceMetricSource and those of the other sources.
func hpaFromV2beta1(content map[string]any) map[string]any {
	spec, _ := content["spec"].(map[string]any)
	metrics, ok := spec["metrics"].([]any)
	if !ok {
		return content
	}
	out, to := maps.Clone(content), maps.Clone(spec)
	to["metrics"], out["spec"] = metricsFromV2beta1(metrics), to
	return out
}

func metricsFromV2beta1(metrics []any) []any {
	converted := make([]any, len(metrics))
	for i, m := range metrics {
		converted[i] = metricFromV2beta1(m)
	}
	return converted
}

// MetricsFromV2beta1 are the metrics of an autoscaler as v2 writes them, whatever version it claims to be of: those
// that have a field of v2beta1 alone are read as of that; nil where it is no list.
func MetricsFromV2beta1(metrics any) []any {
	list, ok := metrics.([]any)
	if !ok {
		return nil
	}
	out := slices.Clone(list)
	for i, metric := range list {
		m, _ := metric.(map[string]any)
		for _, key := range sourcesOfV2beta1 {
			source, _ := m[key].(map[string]any)
			for _, field := range []string{"targetAverageUtilization", "targetAverageValue", "targetValue", "metricName"} {
				if source[field] != nil {
					out[i] = metricFromV2beta1(metric)
				}
			}
		}
	}
	return out
}

// sourcesOfV2beta1 are the keys of a metric's sources.
var sourcesOfV2beta1 = []string{"resource", "containerResource", "pods", "object", "external"}

func metricFromV2beta1(metric any) any {
	m, ok := metric.(map[string]any)
	if !ok {
		return metric
	}
	m = maps.Clone(m)
	for _, key := range sourcesOfV2beta1 {
		if source, ok := m[key].(map[string]any); ok {
			m[key] = sourceFromV2beta1(key, maps.Clone(source))
		}
	}
	return m
}

// sourceFromV2beta1 moves the fields of one source to where v2 has them; s is a copy.
func sourceFromV2beta1(key string, s map[string]any) map[string]any {
	move := func(from string, into map[string]any, to string) bool {
		v, ok := s[from]
		if delete(s, from); ok {
			into[to] = v
		}
		return ok
	}
	target, metric := map[string]any{}, map[string]any{}
	if key == "object" {
		move("target", s, "describedObject")
		move("averageValue", target, "averageValue")
		move("selector", metric, "selector")
	}
	if key == "pods" {
		move("selector", metric, "selector")
	}
	move("metricName", metric, "name")
	move("metricSelector", metric, "selector")
	switch { // the first that is set is the kind, and all of them are kept
	case move("targetAverageUtilization", target, "averageUtilization"):
		target["type"] = "Utilization"
	case move("targetAverageValue", target, "averageValue") || target["averageValue"] != nil:
		target["type"] = "AverageValue"
	default:
		target["type"] = "Value"
	}
	move("targetAverageValue", target, "averageValue")
	move("targetValue", target, "value")
	if key != "resource" && key != "containerResource" {
		s["metric"] = metric
	}
	s["target"] = target
	return s
}
