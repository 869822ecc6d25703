package slice

import (
	"errors"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

func kedaFrom(t testing.TB, text string) (*autoscalingv2.HorizontalPodAutoscaler, *state.KEDA) {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Skip(err)
	}
	return kedaHPA(&object.Object{ID: object.ID{Namespace: "default", Name: "web"}, Content: content})
}

func TestKEDA(t *testing.T) {
	h, k := kedaFrom(t, `spec:
  minReplicaCount: 0
  triggers:
  - {type: kafka, metadata: {lagThreshold: "5"}}
  - {type: cpu, metricType: Utilization, metadata: {value: "60"}}
  - {type: memory, metadata: {type: AverageValue, value: 200Mi, containerName: app}}`)
	if k.Err != nil || !k.ToZero || h.Name != "keda-hpa-web" || *h.Spec.MinReplicas != 1 || h.Spec.MaxReplicas != 100 || len(h.Spec.Metrics) != 3 {
		t.Fatalf("%+v, %+v", k, h)
	}
	if m := h.Spec.Metrics; m[0].External.Metric.Name != "s0-kafka" || *m[1].Resource.Target.AverageUtilization != 60 ||
		m[2].ContainerResource.Container != "app" || m[2].ContainerResource.Target.AverageValue.String() != "200Mi" {
		t.Errorf("%+v", m)
	}
	for text, zero := range map[string]bool{
		"spec: {triggers: [{type: cron}]}":                                                             true,
		"spec: {minReplicaCount: 2, maxReplicaCount: 5, triggers: [{type: cron}]}":                     false,
		"spec: {triggers: [{type: cpu, metricType: Utilization, metadata: {value: \"60\"}}]}":          false,
		"spec: {advanced: {horizontalPodAutoscalerConfig: {name: own}}, triggers: [{type: rabbitmq}]}": true,
	} {
		if h, k := kedaFrom(t, text); k.Err != nil || k.ToZero != zero || h == nil {
			t.Errorf("%s: %+v", text, k)
		}
	}
	for text, want := range map[string]string{
		"spec: {triggers: []}":                                  "spec.triggers: there is none",
		"spec: {idleReplicaCount: 0, triggers: [{type: cron}]}": "spec.idleReplicaCount",
		"{metadata: {annotations: {autoscaling.keda.sh/paused: \"true\"}}, spec: {triggers: [{type: cron}]}}": "metadata.annotations[autoscaling.keda.sh/paused]",
		"spec: {triggers: [{type: cron, metricType: Value}]}":                                                 "spec.triggers[0].metricType: Value",
		"spec: {triggers: [{type: cpu, metricType: Utilization, metadata: {value: most}}]}":                   "spec.triggers[0].metadata.value: no percentage",
		"spec: {advanced: {scalingModifiers: {formula: a}}, triggers: [{type: cron}]}":                        "spec.advanced.scalingModifiers",
		"spec: {triggers: 3}": "cannot be read",
	} {
		if h, k := kedaFrom(t, text); h != nil || !errors.Is(k.Err, actor.ErrUnmodeled) || !strings.Contains(k.Err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, k.Err, want)
		}
	}
}

// FuzzKEDA: whatever stands in a ScaledObject, it is read or said not to be modeled.
func FuzzKEDA(f *testing.F) {
	f.Add("spec: {triggers: [{type: cpu, metricType: AverageValue, metadata: {value: 1e3}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		if h, k := kedaFrom(t, text); k.Err != nil && (h != nil || !errors.Is(k.Err, actor.ErrUnmodeled)) {
			t.Error(k.Err)
		}
	})
}
