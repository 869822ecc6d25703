package slice

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mutates reports whether a version fills something in where it creates a pod in a namespace.
func (s side) mutates(pod *corev1.PodSpec, namespace string) bool {
	return len(s.admission.rangesIn(namespace)) > 0 || s.admission.runtimeOf(pod) != nil
}

// rangesIn are the LimitRanges of a namespace.
func (a *guards) rangesIn(namespace string) []*corev1.LimitRange {
	var out []*corev1.LimitRange
	for _, r := range a.ranges {
		if r.ID.Namespace == namespace {
			out = append(out, r.Typed.(*corev1.LimitRange))
		}
	}
	return out
}

// mutate fills in the fields that mutating admission gives a pod of a namespace, or says why that refuses it.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/options: AllOrderedPlugins (LimitRanger, RuntimeClass).
func (s side) mutate(pod *corev1.PodSpec, namespace string) *state.Refusal {
	if ranges := s.admission.rangesIn(namespace); len(ranges) > 0 {
		admission.ApplyLimitRanges(pod, ranges)
	}
	class := s.admission.runtimeOf(pod)
	if class == nil {
		return nil
	}
	err := admission.ApplyRuntimeClass(pod, class.Typed.(*nodev1.RuntimeClass))
	return classRefusal(class, err)
}

// runtimeOf is the RuntimeClass of a pod; nil: it has none, or it is unknown.
func (a *guards) runtimeOf(pod *corev1.PodSpec) *object.Object {
	if pod.RuntimeClassName == nil {
		return nil
	}
	return a.runtimes[*pod.RuntimeClassName]
}

// badOverhead is why a pod is refused for its overhead. For an unknown class, it is trusted.
func (a *guards) badOverhead(pod *corev1.PodSpec) *state.Refusal {
	class := a.runtimeOf(pod)
	switch {
	case class != nil:
		return classRefusal(class, admission.CheckOverhead(pod, class.Typed.(*nodev1.RuntimeClass)))
	case pod.RuntimeClassName == nil:
		return classRefusal(nil, admission.CheckOverhead(pod, nil))
	}
	return nil
}

func classRefusal(class *object.Object, err error) *state.Refusal {
	if err == nil {
		return nil
	}
	out := &state.Refusal{Text: fmt.Sprintf("forbidden: %s", err)}
	if class != nil {
		out.Object, out.Field = class.ID.String(), "scheduling"
		if class.Typed.(*nodev1.RuntimeClass).Scheduling == nil {
			out.Field = "overhead"
		}
	}
	return out
}
