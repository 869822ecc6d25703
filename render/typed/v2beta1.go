package typed

import "maps"

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
	converted := make([]any, len(metrics))
	for i, m := range metrics {
		converted[i] = metricFromV2beta1(m)
	}
	out, to := maps.Clone(content), maps.Clone(spec)
	to["metrics"], out["spec"] = converted, to
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
