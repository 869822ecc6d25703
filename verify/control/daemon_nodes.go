package control

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// DaemonRequests is what a pod of a DaemonSet requests.
func DaemonRequests(d *appsv1.DaemonSet) corev1.ResourceList {
	spec := d.Spec.Template.Spec.DeepCopy()
	defaultRequests(spec)
	return podRequests(&corev1.Pod{Spec: *spec})
}

// DaemonRuns says whether a DaemonSet puts a pod on a node, and whether one that is there
// may stay.
//
// Upstream: pkg/controller/daemon: NodeShouldRunDaemonPod, NewPod, predicates.
func DaemonRuns(d *appsv1.DaemonSet, node *corev1.Node) (puts, keeps bool) {
	spec := d.Spec.Template.Spec.DeepCopy()
	if spec.NodeName != "" && spec.NodeName != node.Name {
		return false, false
	}
	tolerateNodeProblems(spec)
	if match, _ := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *spec}).Match(node); !match {
		return false, false // upstream ignores parsing errors, too
	}
	if !untolerated(spec, node.Spec.Taints, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) {
		return true, true
	}
	return false, !untolerated(spec, node.Spec.Taints, corev1.TaintEffectNoExecute)
}

// untolerated says whether one of some taints, of one of the effects, is not tolerated.
func untolerated(spec *corev1.PodSpec, taints []corev1.Taint, effects ...corev1.TaintEffect) bool {
	_, found := corev1helpers.FindMatchingUntoleratedTaint(noLog(), taints, spec.Tolerations, func(t *corev1.Taint) bool {
		for _, e := range effects {
			if t.Effect == e {
				return true
			}
		}
		return false
	}, false)
	return found
}

// tolerateNodeProblems adds what the pods of a DaemonSet tolerate.
//
// Upstream: pkg/controller/daemon/util: AddOrUpdateDaemonPodTolerations; pkg/apis/core/v1/helper:
// AddOrUpdateTolerationInPodSpec.
func tolerateNodeProblems(spec *corev1.PodSpec) {
	add := func(key string, effect corev1.TaintEffect) {
		want := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
		for i := range spec.Tolerations {
			if have := &spec.Tolerations[i]; have.Key == key && have.Effect == effect && have.Operator == want.Operator && have.Value == "" {
				*have = want
				return
			}
		}
		spec.Tolerations = append(spec.Tolerations, want)
	}
	add(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule)
	if spec.HostNetwork {
		add(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
	}
}
