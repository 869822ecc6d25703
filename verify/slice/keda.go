package slice

import (
	"errors"
	"fmt"
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// IsScaledObject reports whether an object is a KEDA ScaledObject of a Deployment.
func IsScaledObject(o *object.Object) bool {
	if o.ID.Group != "keda.sh" || o.ID.Kind != "ScaledObject" {
		return false
	}
	kind := ValueAt(o.Content, "spec", "scaleTargetRef", "kind")
	return kind == nil || kind == string(state.Deployment)
}

// kedaOf lists the ScaledObjects of a workload.
func (s side) kedaOf(o *object.Object) []*object.Object { return s.found.keda[o.ID.String()] }

// scaledBy adds what the ScaledObjects of a workload do to its manifest in version v.
func (sl *Slice) scaledBy(v int, objects []*object.Object, m *state.Manifest) {
	for _, k := range objects {
		sl.keep(v, k)
		var h *autoscalingv2.HorizontalPodAutoscaler
		if h, m.KEDA = kedaHPA(k); h == nil {
			continue
		}
		if m.HPA == nil {
			m.HPA = h
		} else {
			m.Rivals = append(m.Rivals, h)
		}
	}
}

// scaledObject is what of keda.sh/v1alpha1 is read.
type scaledObject struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		MinReplicaCount  *int32 `json:"minReplicaCount"`
		MaxReplicaCount  *int32 `json:"maxReplicaCount"`
		IdleReplicaCount *int32 `json:"idleReplicaCount"`
		Advanced         *struct {
			HorizontalPodAutoscalerConfig *struct {
				Name     string                                         `json:"name"`
				Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
			} `json:"horizontalPodAutoscalerConfig"`
			ScalingModifiers map[string]any `json:"scalingModifiers"`
		} `json:"advanced"`
		Triggers []struct {
			Type       string         `json:"type"`
			MetricType string         `json:"metricType"`
			Metadata   map[string]any `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// kedaPaused are the annotations that pause a ScaledObject.
var kedaPaused = [...]string{"autoscaling.keda.sh/paused", "autoscaling.keda.sh/paused-replicas"}

// kedaHPA gives the HorizontalPodAutoscaler that KEDA makes of a ScaledObject, and what it
// does beside it.
//
// Upstream: kedacore/keda, controllers/keda: newHPAForScaledObject, getHPAMetricSpecs
// (hpa.go); apis/keda/v1alpha1: GetHPAMinReplicas, GetHPAMaxReplicas.
func kedaHPA(o *object.Object) (*autoscalingv2.HorizontalPodAutoscaler, *state.KEDA) {
	k := &state.KEDA{Name: o.ID.Name}
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "keda-hpa-" + o.ID.Name,
		Namespace: o.ID.Namespace}}
	var x scaledObject
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Content, &x); err != nil {
		k.Err = fmt.Errorf("cannot be read: %w", errors.Join(err, actor.ErrUnmodeled))
		return nil, k
	}
	if k.Err = x.read(h, k); k.Err != nil {
		return nil, k
	}
	return h, k
}

// read fills in the autoscaler.
func (x *scaledObject) read(h *autoscalingv2.HorizontalPodAutoscaler, k *state.KEDA) error {
	for _, key := range kedaPaused {
		if _, ok := x.Metadata.Annotations[key]; ok {
			return fmt.Errorf("metadata.annotations[%s]: %w", key, actor.ErrUnmodeled)
		}
	}
	low, high := int32(0), int32(100)
	if x.Spec.MinReplicaCount != nil {
		low = *x.Spec.MinReplicaCount
	}
	if x.Spec.MaxReplicaCount != nil {
		high = *x.Spec.MaxReplicaCount
	}
	if x.Spec.IdleReplicaCount != nil {
		return fmt.Errorf("spec.idleReplicaCount: %w", actor.ErrUnmodeled)
	}
	if a := x.Spec.Advanced; a != nil {
		if len(a.ScalingModifiers) > 0 {
			return fmt.Errorf("spec.advanced.scalingModifiers: %w", actor.ErrUnmodeled)
		}
		if c := a.HorizontalPodAutoscalerConfig; c != nil {
			h.Spec.Behavior = c.Behavior
			if c.Name != "" {
				h.Name = c.Name
			}
		}
	}
	least := max(low, 1)
	h.Spec.MinReplicas, h.Spec.MaxReplicas = &least, high
	if len(x.Spec.Triggers) == 0 {
		return fmt.Errorf("spec.triggers: there is none: %w", actor.ErrUnmodeled)
	}
	outside := false // a trigger that can tell that there is nothing to do
	for i, trigger := range x.Spec.Triggers {
		m, err := triggerMetric(i, trigger.Type, trigger.MetricType, trigger.Metadata)
		if err != nil {
			return fmt.Errorf("spec.triggers[%d]%w", i, err)
		}
		outside = outside || m.External != nil
		h.Spec.Metrics = append(h.Spec.Metrics, m)
	}
	k.ToZero = low == 0 && outside
	return nil
}

// triggerMetric is the metric of a trigger. What most of them measure is in no manifest: it
// is taken for so many units a pod that the target is one.
func triggerMetric(i int, kind, target string, metadata map[string]any) (autoscalingv2.MetricSpec, error) {
	if kind != "cpu" && kind != "memory" {
		if target == string(autoscalingv2.ValueMetricType) {
			return autoscalingv2.MetricSpec{}, fmt.Errorf(".metricType: %s: %w", target, actor.ErrUnmodeled)
		}
		one := resource.MustParse("1")
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType,
			External: &autoscalingv2.ExternalMetricSource{
				Metric: autoscalingv2.MetricIdentifier{Name: fmt.Sprintf("s%d-%s", i, kind)},
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &one},
			}}, nil
	}
	if target == "" {
		target, _ = metadata["type"].(string)
	}
	text := fmt.Sprint(metadata["value"])
	t := autoscalingv2.MetricTarget{Type: autoscalingv2.MetricTargetType(target)}
	switch t.Type {
	case autoscalingv2.UtilizationMetricType:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return autoscalingv2.MetricSpec{}, fmt.Errorf(".metadata.value: no percentage: %w", actor.ErrUnmodeled)
		}
		p := int32(n)
		t.AverageUtilization = &p
	case autoscalingv2.AverageValueMetricType:
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return autoscalingv2.MetricSpec{}, fmt.Errorf(".metadata.value: no quantity: %w", actor.ErrUnmodeled)
		}
		t.AverageValue = &q
	default:
		return autoscalingv2.MetricSpec{}, fmt.Errorf(".metricType: %q: %w", target, actor.ErrUnmodeled)
	}
	if name, ok := metadata["containerName"].(string); ok && name != "" {
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: corev1.ResourceName(kind),
				Container: name, Target: t}}, nil
	}
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceName(kind), Target: t}}, nil
}
