package admission

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// ApplyRuntimeClass gives a pod the overhead, nodeSelector and tolerations of its RuntimeClass, or says why the API
// server refuses it.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/runtimeclass: setOverhead, setScheduling. The selector's keys are
// tried in the order of their names, where upstream's is not defined.
func ApplyRuntimeClass(spec *corev1.PodSpec, class *nodev1.RuntimeClass) error {
	if o := class.Overhead; o != nil {
		if len(spec.Overhead) > 0 && !apiequality.Semantic.DeepEqual(o.PodFixed, spec.Overhead) {
			return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
		spec.Overhead = o.PodFixed.DeepCopy()
	}
	s := class.Scheduling
	if s == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		value := s.NodeSelector[key]
		if own, ok := spec.NodeSelector[key]; ok && own != value {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s",
				key, value, key, own)
		}
		if spec.NodeSelector == nil {
			spec.NodeSelector = map[string]string{}
		}
		spec.NodeSelector[key] = value
	}
	spec.Tolerations = mergeTolerations(spec.Tolerations, s.Tolerations)
	return nil
}

// CheckOverhead says why the API server refuses a pod for an overhead that its RuntimeClass does not have; class is nil
// where the pod has none.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/runtimeclass: validateOverhead.
func CheckOverhead(spec *corev1.PodSpec, class *nodev1.RuntimeClass) error {
	switch {
	case class != nil && class.Overhead != nil:
		if !apiequality.Semantic.DeepEqual(class.Overhead.PodFixed, spec.Overhead) {
			return errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
	case spec.Overhead != nil:
		return errors.New("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	}
	return nil
}

// mergeTolerations merges two lists; of one toleration that covers another, it alone is kept.
//
// Upstream: kubernetes v1.36.3, pkg/util/tolerations: MergeTolerations.
func mergeTolerations(first, second []corev1.Toleration) []corev1.Toleration {
	all := append(append([]corev1.Toleration(nil), first...), second...)
	var merged []corev1.Toleration
next:
	for i, t := range all {
		for _, t2 := range merged {
			if isSuperset(t2, t) {
				continue next
			}
		}
		for _, t2 := range all[i+1:] { // of equal ones, the first
			if !apiequality.Semantic.DeepEqual(&t, &t2) && isSuperset(t2, t) {
				continue next
			}
		}
		merged = append(merged, t)
	}
	return merged
}

// isSuperset is upstream's: ss tolerates everything that t tolerates.
func isSuperset(ss, t corev1.Toleration) bool {
	if apiequality.Semantic.DeepEqual(&t, &ss) {
		return true
	}
	if t.Key != ss.Key && (ss.Key != "" || ss.Operator != corev1.TolerationOpExists) {
		return false
	}
	if t.Effect != ss.Effect && ss.Effect != "" {
		return false
	}
	if ss.Effect == corev1.TaintEffectNoExecute && ss.TolerationSeconds != nil {
		if t.TolerationSeconds == nil || *t.TolerationSeconds > *ss.TolerationSeconds {
			return false
		}
	}
	switch ss.Operator {
	case corev1.TolerationOpEqual, "":
		return t.Operator == corev1.TolerationOpEqual && t.Value == ss.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}
