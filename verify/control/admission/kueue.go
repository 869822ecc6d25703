package admission

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcehelpers "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// queues says for how many pods of a class Kueue has quota. A pod without quota has a scheduling gate and is unready,
// like one that was never created, so it counts as not created. [queues.most] does not allocate.
//
// Upstream: kueue v0.19.2, pkg/cache/scheduler: available, addUsage, accumulateFromChild; pkg/scheduler/flavorassigner:
// fitsResourceQuota; pkg/controller/jobs: deployment, pod, job.
//
// Abstraction:
//   - exact: nominal quota, borrowing and lending limits in a cohort of ClusterQueues; a resource that a queue does not
//     cover; a Job is let in as a whole, a pod of a Deployment by itself.
//   - may hide: flavors are one; a cohort with an object of its own has no end; order in a queue, admission
//     checks and topologies are not modeled; only Deployments and Jobs wait, a StatefulSet's pods take quota.
//     Whoever preemption could remove is gone where it is not known who that would be: with fair sharing, in a
//     cohort without end, and of what takes quota and does not wait.
type queues struct {
	index []int     // of each ClusterQueue, in [state.Spec.Quotas]
	in    []int     // by pod class: its place in index; -1: in none, or not known
	waits []bool    // by pod class: it is let in by Kueue
	uses  [][]int64 // by pod class: of each resource, in thousandths
	names []corev1.ResourceName
	rank  []int32                  // by pod class: its priority
	limit [2][][]*state.QueueLimit // by version, queue and resource; nil: not covered
}

// newQueues reads the ClusterQueues of a problem; nil: there is none.
func newQueues(c *state.Config) *queues {
	x := &queues{}
	for i := range c.Spec.Quotas {
		if q := &c.Spec.Quotas[i]; q.Queues[state.Base] != nil || q.Queues[state.Head] != nil {
			x.index = append(x.index, i)
		}
	}
	if len(x.index) == 0 {
		return nil
	}
	for p := range c.Pods {
		m := &c.Spec.Workloads[c.Pods[p].Workload].Manifests[objects.FirstVersion(c, p)]
		in := slices.IndexFunc(x.index, func(i int) bool { return m.Queue != "" && c.Spec.Quotas[i].Name == m.Queue })
		x.in, x.waits = append(x.in, in), append(x.waits, in >= 0 && Waits(m.Kind()))
		rank := int32(0)
		if m.QueuePriority != nil {
			rank = *m.QueuePriority
		}
		x.rank = append(x.rank, rank)
		if in < 0 {
			continue
		}
		for name := range QueueUse(objects.Admitted(c, p)) {
			if !slices.Contains(x.names, name) {
				x.names = append(x.names, name)
			}
		}
	}
	slices.Sort(x.names)
	for p := range c.Pods {
		use := make([]int64, len(x.names))
		if x.in[p] >= 0 {
			list := QueueUse(objects.Admitted(c, p))
			for r, name := range x.names {
				use[r] = milli(list[name])
			}
		}
		x.uses = append(x.uses, use)
	}
	for v := range x.limit {
		for _, i := range x.index {
			limits := make([]*state.QueueLimit, len(x.names))
			for r, name := range x.names {
				if q := c.Spec.Quotas[i].Queues[v]; q != nil {
					limits[r] = q.Limit(name)
				}
			}
			x.limit[v] = append(x.limit[v], limits)
		}
	}
	return x
}

// Waits reports whether Kueue lets the pods of a kind in, of those that are modeled.
func Waits(k state.Kind) bool { return k == state.Deployment || k == state.Job }

// QueueUse is the use of a ClusterQueue by one pod: its requests, or its limits if it has none, and the pod itself.
//
// Upstream: pkg/workload: handleLimitsToRequests; pkg/scheduler/flavorassigner: assignFlavors.
func QueueUse(pod *corev1.Pod) corev1.ResourceList {
	out := resourcehelpers.PodRequests(pod, resourcehelpers.PodResourcesOptions{UseStatusResources: false})
	for name, q := range out {
		if q.IsZero() {
			delete(out, name)
		}
	}
	out[corev1.ResourcePods] = *oneOf()
	return out
}

// quota is the ClusterQueue at a place as it is in force; nil: it is not there.
func (x *queues) quota(s state.State, k int) *state.Queue {
	return s.C.Spec.Quotas[x.index[k]].Queues[s.VersionOfQuota(x.index[k])]
}

// held is for how many pods of class p quota is taken.
func (x *queues) held(s state.State, p int) int64 {
	n := s.Existing(p)
	if n > 0 && s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind() == state.Job {
		n = max(n, min(s.JobManifest(p).Parallelism(), s.Outstanding(p))) // as a whole
	}
	return int64(n)
}

// whole is with how many pods of class p its Job begins.
func whole(s state.State, p int) int {
	return min(s.JobManifest(p).LeastParallelism(), s.Outstanding(p))
}

// taken is the use of a resource of the queue at place k: by pods that Kueue lets in, and by others, except those of a
// lower priority.
func (x *queues) taken(s state.State, k, r int, below int32) (let, others int64) {
	i := x.index[k]
	if below == math.MinInt32 { // whose pods these are, and how important, is not known
		others = milli(s.C.Spec.Quotas[i].Others[s.VersionOfQuota(i)][x.names[r]])
	}
	for p, in := range x.in {
		switch {
		case in != k:
		case x.waits[p]:
			let += x.uses[p][r] * x.held(s, p)
		case x.rank[p] >= below:
			others += x.uses[p][r] * x.held(s, p)
		}
	}
	return let, others
}

// used is the use that class p finds of the queue at place k. It leaves out workloads that p could preempt without the
// preemption being followed: those of its own queue and, if the cohort is not fully known, of others.
func (x *queues) used(s state.State, k, r, p int) int64 {
	q, l := x.quota(s, x.in[p]), x.limit[s.VersionOfQuota(x.index[k])][k][r]
	below := int32(math.MinInt32)
	if k == x.in[p] && q.Within != state.NeverPreempt {
		below = x.rank[p]
	}
	let, others := x.taken(s, k, r, below)
	if k != x.in[p] && q.Reclaim != state.NeverPreempt && l != nil {
		others = min(others, l.Nominal)
	}
	return let + others + x.claimed(s, k, r, p)
}

// loose is used where it is not known whom Kueue preempts: whoever may be is gone.
func (x *queues) loose(s state.State, k, r, p int, reclaim bool) int64 {
	q, l := x.quota(s, x.in[p]), x.limit[s.VersionOfQuota(x.index[k])][k][r]
	below := int32(math.MinInt32)
	if k == x.in[p] && q.Within != state.NeverPreempt {
		below = x.rank[p]
	}
	let, others := x.taken(s, k, r, below)
	for o, in := range x.in {
		if in == k && x.waits[o] && x.rank[o] < below {
			let -= x.uses[o][r] * x.held(s, o)
		}
	}
	if k != x.in[p] && reclaim && l != nil {
		return min(let+others, l.Nominal)
	}
	return let + others
}

// left is what class p finds left of a resource.
//
// Upstream: available.
func (x *queues) left(s state.State, r, p int) int64 {
	if x.quota(s, x.in[p]).Orders() {
		return x.leftOf(s, r, p, func(k int) int64 { return x.used(s, k, r, p) })
	}
	left := x.leftOf(s, r, p, func(k int) int64 { return x.loose(s, k, r, p, false) })
	if q := x.quota(s, x.in[p]); q.Reclaim != state.NeverPreempt && q.Cohort != "" { // only quota of this queue
		l, used := x.limit[s.VersionOfQuota(x.index[x.in[p]])][x.in[p]][r], x.loose(s, x.in[p], r, p, true)
		cohort := x.leftIn(s, r, p, func(k int) int64 { return x.loose(s, k, r, p, true) })
		left = max(left, l.Unused(used, min(cohort, l.Lent(used))))
	}
	return left
}

func (x *queues) leftOf(s state.State, r, p int, used func(k int) int64) int64 {
	k := x.in[p]
	q, l := x.quota(s, k), x.limit[s.VersionOfQuota(x.index[k])][k][r]
	if q.Cohort == "" {
		return l.Nominal - used(k)
	}
	return l.Unused(used(k), x.leftIn(s, r, p, used))
}

// leftIn is what the cohort of class p's queue has left of a resource.
func (x *queues) leftIn(s state.State, r, p int, used func(k int) int64) int64 {
	q := x.quota(s, x.in[p])
	if q.Endless {
		return math.MaxInt64 / 4
	}
	left := int64(0)
	for k := range x.index {
		other := x.quota(s, k)
		if other == nil || other.Cohort != q.Cohort {
			continue
		}
		if l := x.limit[s.VersionOfQuota(x.index[k])][k][r]; l != nil {
			left += l.Lent(used(k))
		}
	}
	return left
}

// unit is how many pods of class p are let in together.
func (x *queues) unit(s state.State, p int) int64 {
	if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind() == state.Job {
		return int64(max(whole(s, p), 1))
	}
	return 1
}

// most is how many of limit pods of class p may start; where they may not, r is the resource that stands in the way.
func (x *queues) most(s state.State, p, limit int) (n, r int) {
	k := x.in[p]
	if !x.waits[p] || x.quota(s, k) == nil {
		return limit, -1 // a queue that is gone is reported elsewhere
	}
	if e := s.Evicted(p); e == state.BacksOff || e == state.GivenUp {
		return 0, -1
	}
	if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind() == state.Job && s.Existing(p) > 0 {
		if s.DisplacedOf(p) > 0 {
			return 0, -1
		}
		return limit, -1 // it is in
	}
	if q := x.quota(s, k); q.Ready != nil && q.Ready.Block && x.blocked(s, p) {
		return 0, -1
	}
	unit := x.unit(s, p)
	n, r = limit, -1
	for j, use := range x.uses[p] {
		l := x.limit[s.VersionOfQuota(x.index[k])][k][j]
		if use == 0 || l == nil && x.names[j] == corev1.ResourcePods {
			continue
		}
		if l == nil {
			return 0, j
		}
		left := x.left(s, j, p)
		if fit := int(min(int64(limit), max(left, 0)/(use*unit)*unit)); fit < n {
			n, r = fit, j
		}
	}
	return n, r
}

// Queued adds Kueue's part to the declaration of a loop that creates pods; without ClusterQueues it adds nothing.
func (x *Quotas) Queued(m *actor.Model) *actor.Model {
	if x == nil || x.queues == nil {
		return m
	}
	m.Exact = append(m.Exact,
		"ClusterQueues of Kueue v0.19.2: nominal quota, borrowing and lending limits in a cohort, resources that are not covered; "+
			"a pod of a Deployment is admitted by itself, a Job as a whole")
	m.MayHide = append(m.MayHide,
		"Kueue: a pod that is not admitted is one that is not there; several flavors are one; cohorts with a Cohort object have no end",
		"Kueue: with fair sharing, undefined priorities, or a cohort without end, whatever preemption could free is free, and "+
			"takes no pod away",
		"Kueue: order in a queue, admission checks and topologies are not modeled; only Deployments and Jobs wait",
		"Kueue: a self-heal that sets a Job's spec.suspend again, as Git says, stops its pods, and Kueue starts them again: not followed",
		"Kueue's waitForPodsReady: of Jobs alone; with blockAdmission pods of others, and pods outside of the slice, "+
			"keep nothing from being admitted")
	return m
}
