package slice

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// influences reports whether a placement rule of p's pods looks at q's pods.
func influences(p, q *object.Object, s side) bool {
	if p.ID == q.ID {
		return false
	}
	from := templateOf(p)
	set := labels.Set(templateOf(q).Labels)
	matches := func(sel *metav1.LabelSelector) bool {
		x, err := metav1.LabelSelectorAsSelector(sel)
		return err == nil && x.Matches(set)
	}
	if p.ID.Namespace == q.ID.Namespace {
		for _, c := range kube.Spreads(&from.Spec) {
			if matches(c.LabelSelector) {
				return true
			}
		}
	}
	for _, t := range kube.Terms(&from.Spec) {
		if inNamespace(*t.PodAffinityTerm, p.ID.Namespace, q.ID.Namespace, s.namespaces) && matches(t.LabelSelector) {
			return true
		}
	}
	return false
}

// inNamespace reports whether a term of a pod in namespace own looks at namespace other.
func inNamespace(t corev1.PodAffinityTerm, own, other string, known map[string]map[string]string) bool {
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		return own == other
	}
	if slices.Contains(t.Namespaces, other) {
		return true
	}
	if t.NamespaceSelector == nil {
		return false
	}
	sel, err := metav1.LabelSelectorAsSelector(t.NamespaceSelector)
	set := labels.Set{corev1.LabelMetadataName: other}
	maps.Copy(set, known[other])
	return err == nil && sel.Matches(set)
}

// befriend takes the required pod affinities out of the slice's manifests that no workload of
// the release meets: whose pods they are for, and where these run, is not among the objects.
// It says so. One that another version of the workload has in a form that is met is kept, as
// it is the change that parts them.
func (sl *Slice) befriend(sides [2]side) {
	for i := range sl.Workloads {
		w := &sl.Workloads[i]
		met := false
		for v := range w.Manifests {
			if m := &w.Manifests[v]; m.Exists() {
				for _, t := range requiredFriends(m.Pod()) {
					met = met || meets(sides, w.Namespace, t)
				}
			}
		}
		for v := range w.Manifests {
			m := &w.Manifests[v]
			if met || !m.Exists() || len(requiredFriends(m.Pod())) == 0 {
				continue
			}
			for _, t := range requiredFriends(m.Pod()) {
				sl.Notes = finding.AppendNew(sl.Notes,
					finding.Say(finding.FriendsAssumed, metav1.FormatLabelSelector(t.LabelSelector)).On(w.ID))
			}
			if v == int(state.Head) {
				if sl.friends == nil {
					sl.friends = map[string][]corev1.PodAffinityTerm{}
				}
				sl.friends[w.ID] = requiredFriends(m.Pod())
			}
			m.OwnObject()
			m.Pod().Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
		}
	}
}

func requiredFriends(p *corev1.PodSpec) []corev1.PodAffinityTerm {
	if p.Affinity == nil || p.Affinity.PodAffinity == nil {
		return nil
	}
	return p.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// meets reports whether a workload of either version has pods that a term of a pod in a
// namespace looks for.
func meets(sides [2]side, namespace string, t corev1.PodAffinityTerm) bool {
	sel, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
	if err != nil {
		return true // its errors are reported elsewhere
	}
	for _, s := range sides {
		in := namespace
		if len(t.Namespaces) > 0 || t.NamespaceSelector != nil {
			in = anywhere
		}
		for _, i := range s.found.pods.Candidates(in, sel) {
			o := s.found.placed[i]
			if inNamespace(t, namespace, o.ID.Namespace, s.namespaces) && sel.Matches(labels.Set(templateOf(o).Labels)) {
				return true
			}
		}
	}
	return false
}
