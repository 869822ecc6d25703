package validation_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/verify/validation"
)

// What only counts CPU and memory of pods cannot come back from none: KEDA refuses to scale it to zero.
func TestKEDARefusesToScaleToZeroByWhatPodsUse(t *testing.T) {
	for spec, refused := range map[string]int{
		"{minReplicaCount: 0, triggers: [{type: cpu}, {type: memory}], scaleTargetRef: {name: web}}":             1,
		"{minReplicaCount: 1, triggers: [{type: cpu}], scaleTargetRef: {name: web}}":                             0,
		"{minReplicaCount: 0, triggers: [{type: cpu}, {type: cron}], scaleTargetRef: {name: web}}":               0,
		"{minReplicaCount: 0, triggers: [{type: cpu}], scaleTargetRef: {name: web, kind: Rollout}}":              0,
		"{minReplicaCount: 0, triggers: [{type: memory}], scaleTargetRef: {name: web, kind: StatefulSet}}":       1,
		"{minReplicaCount: \"{{ n }}\", triggers: [{type: cpu}], scaleTargetRef: {name: web, kind: Deployment}}": 0,
	} {
		content := map[string]any{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
			"metadata": map[string]any{"name": "web"}}
		var s map[string]any
		if err := yaml.Unmarshal([]byte(spec), &s); err != nil {
			t.Fatal(err)
		}
		content["spec"] = s
		if got := validation.CreateCustom(content); len(got) != refused {
			t.Errorf("%s: refused for %v", spec, got)
		}
	}
}
