package objects

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// SameFootprint reports whether pods of two classes of one workload take and hold the same resources on their nodes.
// They may differ in the programs of their containers, in annotations, and in the label of their ReplicaSets, which is
// in no selector.
func SameFootprint(c *state.Config, p, q int) bool {
	a, b := &c.Pods[p], &c.Pods[q]
	if a.Workload != b.Workload || a.Ordinal != state.NoOrdinal || b.Ordinal != state.NoOrdinal ||
		a.PerNode || b.PerNode ||
		!slices.Equal(c.Uses[p], c.Uses[q]) || selectsRevisions(c) {
		return false
	}
	if maps.Equal(a.Template.Labels, b.Template.Labels) &&
		equality.Semantic.DeepEqual(footprint(&a.Template.Spec), footprint(&b.Template.Spec)) {
		return true // defaults follow from the same fields
	}
	x, y := Admitted(c, p), Admitted(c, q)
	for _, hash := range []string{PodTemplateHash, state.RolloutsHash} {
		delete(x.Labels, hash)
		delete(y.Labels, hash)
	}
	return maps.Equal(x.Labels, y.Labels) && equality.Semantic.DeepEqual(footprint(&x.Spec), footprint(&y.Spec))
}

// footprint is a pod's specification without what only matters inside of its containers.
func footprint(spec *corev1.PodSpec) *corev1.PodSpec {
	out := *spec
	out.InitContainers, out.Containers = kube.Outside(spec.InitContainers), kube.Outside(spec.Containers)
	return &out
}

// selectsRevisions reports whether some pod's rules, or a budget, speak of pods of one revision only.
func selectsRevisions(c *state.Config) bool {
	for i := range c.Spec.Workloads {
		for v := range c.Spec.Workloads[i].Manifests {
			for _, pdb := range c.Spec.Workloads[i].Manifests[v].PDBs {
				if selectsHash(pdb.Spec.Selector) {
					return true
				}
			}
		}
	}
	for p := range c.Pods {
		spec := &c.Pods[p].Template.Spec
		for _, t := range kube.Spreads(spec) {
			if len(t.MatchLabelKeys) > 0 || selectsHash(t.LabelSelector) {
				return true
			}
		}
		for _, t := range kube.Terms(spec) {
			if len(t.MatchLabelKeys)+len(t.MismatchLabelKeys) > 0 || selectsHash(t.LabelSelector) {
				return true
			}
		}
	}
	return false
}

// selectsHash reports whether a selector asks for the label that tells ReplicaSets apart.
func selectsHash(s *metav1.LabelSelector) bool {
	if s == nil {
		return false
	}
	tells := func(key string) bool { return key == PodTemplateHash || key == state.RolloutsHash }
	for key := range s.MatchLabels {
		if tells(key) {
			return true
		}
	}
	return slices.ContainsFunc(s.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool { return tells(r.Key) })
}
