package workloads

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// wanted reports whether the controller of class p's workload wants one more pod of it.
func wanted(s state.State, p int) bool {
	w := s.C.Pods[p].Workload
	if s.C.Spec.Workloads[w].Kind().Ends() {
		return s.Active(p) < wantedByJobs(s, p)
	}
	if s.C.Spec.Workloads[w].Kind().Bare() {
		return s.Owed(w) && p == s.NewClass(w)
	}
	if s.C.Pods[p].PerNode {
		r, err := compileDaemon(s.C, w, s.VersionOf(w))
		if err != nil || !s.Manifest(w).Exists() || r.class != p {
			return false
		}
		x := daemonSync{daemonRollout: &r, s: s}
		return x.lacks()
	}
	if s.C.Pods[p].Ordinal == state.NoOrdinal {
		return s.ActiveIn(s.C.Pods[p].Set) < s.Get(s.C.Class[p].Size) && s.C.Sized(s.C.Pods[p].Set, s.SizeOf(w)) == p
	}
	x, err := compileStatefulSet(s.C, w)
	var y statefulSync
	if err == nil {
		y.sync(x, s) // without quotas
	}
	return slices.Contains(y.creates, p)
}

// QuotaRefusal words why the controller of class p may not create a pod that it wants in s,
// and names the fields; it gives "" where it may, or wants none. It runs for words only.
func QuotaRefusal(s state.State, p int) (string, []actor.Ref) {
	if !wanted(s, p) {
		return "", nil
	}
	if text, refs := admission.Forbidden(s, p); text != "" {
		return text, refs
	}
	x := admission.NewQuotas(s.C)
	for v := range x.List {
		if text, refs := quotaRefusal(s, p, x, state.Version(v)); text != "" {
			return text, refs
		}
	}
	if text, q, v := x.Gated(s, p); text != "" {
		return text, []actor.Ref{{Object: q.Queues[v].Object, Version: v, Field: "spec.resourceGroups"}}
	}
	return "", nil
}

// quotaRefusal is the part of the quotas that are in force as version v has them.
func quotaRefusal(s state.State, p int, x *admission.Quotas, v state.Version) (string, []actor.Ref) {
	for i := range x.List[v] {
		q := &x.List[v][i]
		if !q.InForce(s, v) {
			continue
		}
		at := slices.Index(q.Classes, p)
		if at < 0 {
			continue
		}
		if text := q.Unsaid[at]; text != "" {
			refs := []actor.Ref{{Object: q.Object, Version: v, Field: "spec.hard"}}
			return fmt.Sprintf("failed quota: %s: %s", q.Name, text), refs
		}
		for j := range q.Limits {
			l := &q.Limits[j]
			if left := q.Left(s, l); l.Use[at] > left {
				ref := actor.Ref{Object: q.Object, Version: v, Field: "spec.hard[" + string(l.Resource) + "]"}
				told := objects.Quantities(l.Resource, l.Use[at], l.Hard-left, l.Hard)
				return fmt.Sprintf("exceeded quota: %s, requested: %s=%s, used: %s=%s, limited: %s=%s", q.Name, l.Resource, told[0],
					l.Resource, told[1], l.Resource, told[2]), []actor.Ref{ref}
			}
		}
	}
	return "", nil
}
