package workloads

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/objects"
)

// DaemonRequests is what a pod of a DaemonSet requests.
func DaemonRequests(d *appsv1.DaemonSet) corev1.ResourceList {
	spec := d.Spec.Template.Spec.DeepCopy()
	objects.DefaultRequests(spec)
	return objects.PodRequests(&corev1.Pod{Spec: *spec})
}

// DaemonRuns reports whether a DaemonSet puts a pod on a node, and whether one that is there
// may stay.
//
// Upstream: pkg/controller/daemon: NodeShouldRunDaemonPod, NewPod, predicates.
func DaemonRuns(d *appsv1.DaemonSet, node *corev1.Node) (puts, keeps bool) {
	spec := d.Spec.Template.Spec.DeepCopy()
	if spec.NodeName != "" && spec.NodeName != node.Name {
		return false, false
	}
	objects.TolerateNodeProblems(spec)
	if match, _ := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *spec}).Match(node); !match {
		return false, false // upstream ignores parsing errors, too
	}
	if !untolerated(spec, node.Spec.Taints, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) {
		return true, true
	}
	return false, !untolerated(spec, node.Spec.Taints, corev1.TaintEffectNoExecute)
}

// untolerated reports whether one of some taints, of one of the effects, is not tolerated.
func untolerated(spec *corev1.PodSpec, taints []corev1.Taint, effects ...corev1.TaintEffect) bool {
	_, found := corev1helpers.FindMatchingUntoleratedTaint(objects.NoLog(), taints, spec.Tolerations,
		func(t *corev1.Taint) bool {
			for _, e := range effects {
				if t.Effect == e {
					return true
				}
			}
			return false
		}, false)
	return found
}
