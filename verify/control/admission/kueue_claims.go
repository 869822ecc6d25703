package admission

import "github.com/kubesettle/kubesettle/verify/state"

// A workload for which Kueue has preempted others stays at the head of its ClusterQueue, and each cycle takes what it
// asks for before workloads that come after it: the freed quota does not go back to preempted workloads.
// [queues.claimed] is the quota that other classes must leave for that.
//
// Upstream: kueue v0.19.2, pkg/scheduler: makeClassicalIterator, processEntry; pkg/cache/queue: preemptorWorkload.

// lacks reports whether more pods of class p are wanted than there are, and Kueue has to let them in.
func (x *queues) lacks(s state.State, p int) bool {
	w := s.C.Pods[p].Workload
	if !x.waits[p] || x.quota(s, x.in[p]) == nil {
		return false
	}
	if e := s.Evicted(p); e == state.BacksOff || e == state.GivenUp {
		return false
	}
	if s.C.Spec.Workloads[w].Kind() == state.Job {
		m := s.JobManifest(p)
		return s.Existing(p) == 0 && !m.Suspended() && m.Parallelism() > 0 && s.Outstanding(p) > 0
	}
	return s.ActiveIn(s.C.Pods[p].Set) < s.Get(s.C.Class[p].Size) && s.C.Sized(s.C.Pods[p].Set, s.SizeOf(w)) == p
}

// claimed is how much of a resource of the queue at place k others have claimed that go before class p.
func (x *queues) claimed(s state.State, k, r, p int) int64 {
	total := int64(0)
	for o, in := range x.in {
		if in == k && o != p && s.Claims(o) && x.lacks(s, o) && !x.before(s, p, o) && x.imminent(s, o) {
			total += x.uses[o][r] * x.unit(s, o)
		}
	}
	return total
}

// before reports whether Kueue looks at class p before it does at o, for which it has preempted others: within a queue
// by priority; else a workload that does not borrow goes first, and then the priority decides.
func (x *queues) before(s state.State, p, o int) bool {
	if x.in[p] != x.in[o] {
		if a, b := x.borrows(s, p), x.borrows(s, o); a != b {
			return !a
		}
	}
	return x.rank[p] > x.rank[o]
}

// borrows reports whether a queue borrows with one more workload of class p.
func (x *queues) borrows(s state.State, p int) bool {
	k := x.in[p]
	for r, use := range x.uses[p] {
		l := x.limit[s.VersionOfQuota(x.index[k])][k][r]
		if use == 0 || l == nil {
			continue
		}
		if let, _ := x.taken(s, k, r, x.rank[p]); let+use*x.unit(s, p) > l.Nominal {
			return true
		}
	}
	return false
}

// imminent reports whether a workload for which others were preempted gets their quota: it fits, or some of them are
// not gone yet. Otherwise it does not hold up others.
func (x *queues) imminent(s state.State, o int) bool {
	for p, in := range x.in {
		if in >= 0 && x.waits[p] && x.meet(s, in, x.in[o]) && s.Count(p, state.Terminating) > 0 {
			return true
		}
	}
	unit := x.unit(s, o)
	for r, use := range x.uses[o] {
		if use == 0 || x.limit[s.VersionOfQuota(x.index[x.in[o]])][x.in[o]][r] == nil {
			continue
		}
		left := x.leftOf(s, r, o, func(k int) int64 {
			let, others := x.taken(s, k, r, x.rank[o])
			return let + others
		})
		if use*unit > left {
			return false
		}
	}
	return true
}

// meet reports whether two queues are one, or in one cohort.
func (x *queues) meet(s state.State, j, k int) bool {
	a, b := x.quota(s, j), x.quota(s, k)
	return j == k || a != nil && b != nil && a.Cohort != "" && a.Cohort == b.Cohort
}
