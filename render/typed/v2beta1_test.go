package typed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/yaml"
)

// An autoscaler of autoscaling/v2beta1 is read as the one of v2 that says the same.
func TestAnAutoscalerOfV2beta1IsReadAsV2(t *testing.T) {
	const head = "kind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 3\n  metrics:\n  - "
	for name, c := range map[string]struct{ old, now string }{
		"utilization of a resource": {
			"{type: Resource, resource: {name: cpu, targetAverageUtilization: 80}}",
			"{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}",
		},
		"average of a resource": {
			"{type: Resource, resource: {name: memory, targetAverageValue: 100Mi}}",
			"{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 100Mi}}}",
		},
		"pods": {
			"{type: Pods, pods: {metricName: qps, targetAverageValue: 10, selector: {matchLabels: {a: b}}}}",
			"{type: Pods, pods: {metric: {name: qps, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 10}}}",
		},
		"an object": {
			"{type: Object, object: {target: {kind: Service, name: web}, metricName: qps, targetValue: 10}}",
			"{type: Object, object: {describedObject: {kind: Service, name: web}, metric: {name: qps}, target: {type: Value, value: 10}}}",
		},
		"an external metric": {
			"{type: External, external: {metricName: qps, metricSelector: {matchLabels: {a: b}}, targetAverageValue: 10}}",
			"{type: External, external: {metric: {name: qps, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 10}}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(version, metric string) autoscalingv2.HorizontalPodAutoscalerSpec {
				var content map[string]any
				if err := yaml.Unmarshal([]byte("apiVersion: autoscaling/"+version+"\n"+head+metric+"\n"), &content); err != nil {
					t.Fatal(err)
				}
				d, err := Decode(content)
				if err != nil {
					t.Fatal(err)
				}
				return d.Typed.(*autoscalingv2.HorizontalPodAutoscaler).Spec
			}
			if diff := cmp.Diff(read("v2", c.now), read("v2beta1", c.old)); diff != "" {
				t.Errorf("-v2 +v2beta1:\n%s", diff)
			}
		})
	}
}
