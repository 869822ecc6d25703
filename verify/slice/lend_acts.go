package slice

import (
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/kube"
)

// Acts reports whether an object is of a kind that acts on workloads of other releases. A Namespace does by the level
// of Pod Security that it enforces.
func Acts(o *object.Object) bool {
	switch t := o.Typed.(type) {
	case *corev1.Namespace:
		return admission.Enforces(t.Labels)
	case *admissionv1.ValidatingAdmissionPolicy:
		return celpolicy.Sees(t, celpolicy.PodKind)
	case *corev1.ResourceQuota, *corev1.LimitRange, *admissionv1.ValidatingAdmissionPolicyBinding,
		*schedulingv1.PriorityClass, *policyv1.PodDisruptionBudget, *autoscalingv2.HorizontalPodAutoscaler,
		*storagev1.StorageClass, *nodev1.RuntimeClass, *corev1.PersistentVolumeClaim, *corev1.PersistentVolume:
		return true
	}
	return Mutates(o) || isDriven(o)
}

// actsOn reports whether an object of one of these kinds acts on a workload of its namespace, or of any where it has
// none, or may act on its pods as a policy makes them.
func (l *lender) actsOn(o, w *object.Object) bool {
	if actsOn(o, w) {
		return true
	}
	switch o.Typed.(type) {
	case *storagev1.StorageClass, *corev1.PersistentVolumeClaim, *corev1.PersistentVolume, *nodev1.RuntimeClass,
		*schedulingv1.PriorityClass, *policyv1.PodDisruptionBudget:
		return slices.ContainsFunc(l.mutating, func(release string) bool {
			return release == w.Release || l.Tie(release, w.Release) != Apart
		})
	}
	return false
}

// actsOn reports whether an object acts on the pods of a workload as its template has them.
func actsOn(o, w *object.Object) bool {
	if Mutates(o) { // what they make of a workload tells
		return true
	}
	template := templateOf(w)
	switch t := o.Typed.(type) {
	case *corev1.ResourceQuota, *corev1.LimitRange, *admissionv1.ValidatingAdmissionPolicy,
		*admissionv1.ValidatingAdmissionPolicyBinding: // whom these are asked about, refusals tell
		return true
	case *corev1.Namespace: // by the level that it enforces, and by labels that policies or terms of pods choose by
		return t.Name == w.ID.Namespace && len(t.Labels) > 0 ||
			slices.ContainsFunc(kube.Terms(&template.Spec), func(x kube.Term) bool { return x.NamespaceSelector != nil })
	case *storagev1.StorageClass:
		set, ok := w.Typed.(*appsv1.StatefulSet)
		return ok && len(set.Spec.VolumeClaimTemplates) > 0 || len(claimNames(&template.Spec)) > 0
	case *corev1.PersistentVolumeClaim:
		return mounts(w, t.Name)
	case *corev1.PersistentVolume:
		ref := t.Spec.ClaimRef
		return ref != nil && ref.Namespace == w.ID.Namespace && mounts(w, ref.Name) ||
			ref == nil && len(claimNames(&template.Spec)) > 0
	case *nodev1.RuntimeClass:
		class := template.Spec.RuntimeClassName
		return class != nil && *class == t.Name
	case *schedulingv1.PriorityClass:
		class := template.Spec.PriorityClassName
		return class == t.Name || class == "" && t.GlobalDefault
	case *policyv1.PodDisruptionBudget:
		sel, err := metav1.LabelSelectorAsSelector(t.Spec.Selector)
		return err == nil && sel.Matches(labels.Set(template.Labels))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return t.Spec.ScaleTargetRef.Kind == w.ID.Kind && t.Spec.ScaleTargetRef.Name == w.ID.Name
	}
	return Scaled(o).String() == w.ID.String()
}
