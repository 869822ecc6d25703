package control

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// wanted says whether the controller of class p's workload wants one more pod of it.
func wanted(s state.State, p int) bool {
	w := s.C.Pods[p].Workload
	if s.C.Spec.Workloads[w].Kind().Ends() {
		return s.Active(p) < wantedByJobs(s, p)
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
func QuotaRefusal(s state.State, p int) (string, []Ref) {
	if !wanted(s, p) {
		return "", nil
	}
	if text, refs := forbidden(s, p); text != "" {
		return text, refs
	}
	x := NewQuotas(s.C)
	for i := range x.list[s.Version()] {
		q := &x.list[s.Version()][i]
		at := slices.Index(q.classes, p)
		if at < 0 {
			continue
		}
		for j := range q.limits {
			l := &q.limits[j]
			if left := q.left(s, l); l.use[at] > left {
				ref := Ref{Object: q.object, Version: s.Version(), Field: "spec.hard[" + string(l.resource) + "]"}
				return fmt.Sprintf("exceeded quota: %s, requested: %s=%s, used: %s=%s, limited: %s=%s", q.name, l.resource, unmilli(l.use[at]),
					l.resource, unmilli(l.hard-left), l.resource, unmilli(l.hard)), []Ref{ref}
			}
		}
	}
	return "", nil
}
