package scheduler

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// PriorityOf is a pod's priority as it is admitted while version v is applied, and false
// where it names a class that the spec does not have.
//
// Upstream: plugin/pkg/admission/priority: (*Plugin).admitPod, getDefaultPriority; the
// two system classes of pkg/apis/scheduling exist in every cluster.
func PriorityOf(spec *state.Spec, pod *corev1.Pod, v state.Version) (int32, bool) {
	if name := cmp.Or(pod.Spec.PriorityClassName, spec.DefaultPriority[v]); name != "" {
		switch name {
		case "system-cluster-critical":
			return 2_000_000_000, true
		case "system-node-critical":
			return 2_000_001_000, true
		}
		v, ok := spec.PriorityClasses[name]
		return v, ok
	}
	if pod.Spec.Priority != nil {
		return *pod.Spec.Priority, true
	}
	return 0, true
}

// NeverPreempts reports whether a pod's preemptionPolicy is Never, its own or its class's.
func NeverPreempts(spec *state.Spec, pod *corev1.Pod, v state.Version) bool {
	if p := pod.Spec.PreemptionPolicy; p != nil {
		return *p == corev1.PreemptNever
	}
	return spec.NeverPreempt[cmp.Or(pod.Spec.PriorityClassName, spec.DefaultPriority[v])]
}
