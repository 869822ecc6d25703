package slice

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Watched adds to a slice what the user's own rules look at in it: pods on deletion, and
// labels of nodes.
func (sl *Slice) Watched(rules []rules.Rule) {
	for _, r := range rules {
		if !sl.Concerns(r) {
			continue
		}
		sl.Spec.CountsTerminating = sl.Spec.CountsTerminating || r.Scope.Terminating
		for _, key := range r.Scope.Labels {
			sl.Keys[key], sl.Values[key] = true, true
		}
	}
}

// Concerns reports whether a rule of the user's own speaks of the slice: of all workloads
// that it names, or of any.
func (sl *Slice) Concerns(r rules.Rule) bool {
	if r.Scope == nil {
		return false
	}
	for _, name := range r.Scope.Workloads {
		if !slices.ContainsFunc(sl.Workloads, func(w state.Workload) bool { return w.Namespace+"/"+w.Name == name }) {
			return false
		}
	}
	return true
}

// HasAny reports whether the slice has one of some workloads, by "namespace/name".
func (sl *Slice) HasAny(names []string) bool {
	return slices.ContainsFunc(sl.Workloads,
		func(w state.Workload) bool { return slices.Contains(names, w.Namespace+"/"+w.Name) })
}
