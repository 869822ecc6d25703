package static

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Preferred says which workloads a descheduler comes to evict from nodes that they do not prefer, where a preference is
// one of several scores of the scheduler: it may put them back.
//
// Upstream: descheduler, pkg/framework/plugins/removepodsviolatingnodeaffinity: (*RemovePodsViolatingNodeAffinity)
// .Deschedule for preferredDuringSchedulingIgnoredDuringExecution, which looks at the weight of preferences alone.
func Preferred(p slice.Pair, was, is *state.Descheduler) []Remark {
	if !p.Comparable() {
		return nil
	}
	base := newAimIndex(p.Objects(state.Base))
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if !movesToPreferred(is, o) || movesToPreferred(was, base.counterpart(o)) {
			continue
		}
		const path = "spec.template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"
		out = append(out, Remark{
			Rule: rules.EvictionLoop, release: p.ID, Object: o, status: finding.New, Conditional: true, paths: []string{path},
			text: fmt.Sprintf("the descheduler evicts pods of %s from nodes that they do not prefer, and the scheduler can put them back",
				o.ID),
			premise: "a node that they prefer takes them, and scores less in all else, as by a PreferNoSchedule taint",
			remedies: byHand("have RemovePodsViolatingNodeAffinity look at requiredDuringSchedulingIgnoredDuringExecution alone, " +
				"or require the preference"),
		})
	}
	return out
}

// movesToPreferred reports whether a descheduler evicts pods of a workload that are not where they prefer to be.
func movesToPreferred(d *state.Descheduler, o *object.Object) bool {
	if d == nil || o == nil || !standing(o) {
		return false
	}
	m, _ := state.ManifestOf(o.Typed)
	if a := m.Pod().Affinity; a == nil || a.NodeAffinity == nil ||
		len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) == 0 || m.Replicas() == 0 {
		return false
	}
	return slices.ContainsFunc(d.Profiles, func(p state.DeschedulerProfile) bool {
		return slices.ContainsFunc(p.Deschedule, func(x state.DeschedulerPlugin) bool {
			a, ok := x.Args.(*state.NodeAffinityArgs)
			return ok && slices.Contains(a.Types, preferredType) && looksAt(&a.PodSelection, o)
		})
	})
}

const preferredType = "preferredDuringSchedulingIgnoredDuringExecution"

// looksAt reports whether a plugin of the descheduler looks at the pods of a workload.
func looksAt(by *state.PodSelection, o *object.Object) bool {
	if in := by.Namespaces.Include; len(in) > 0 && !slices.Contains(in, o.ID.Namespace) ||
		slices.Contains(by.Namespaces.Exclude, o.ID.Namespace) {
		return false
	}
	if by.LabelSelector == nil {
		return true
	}
	sel, err := metav1.LabelSelectorAsSelector(by.LabelSelector)
	return err == nil && sel.Matches(labels.Set(podLabels(o)))
}
