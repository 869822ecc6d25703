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

// queues says for how many pods of a class Kueue has quota. A pod without has a scheduling gate and is unready, as one
// that was never made is: that is what it counts as. [queues.most] does not allocate.
//
// Upstream: kueue v0.19.2, pkg/cache/scheduler: available, addUsage, accumulateFromChild; pkg/scheduler/flavorassigner:
// fitsResourceQuota; pkg/controller/jobs: deployment, pod, job.
//
// Abstraction:
//   - exact: nominal quota, borrowing and lending limits in a cohort of ClusterQueues; a resource that a queue does not
//     cover; a Job is let in as a whole, a pod of a Deployment by itself.
//   - may hide: flavors are one; what preemption can make room for is free, and its victims stay; a cohort with
//     an object of its own has no end; order in a queue, fair sharing, admission checks and topologies are not modeled;
//     only Deployments and Jobs wait, a StatefulSet's pods take quota.
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

// QueueUse is what one pod takes of a ClusterQueue: its requests, or limits where it has none, and itself.
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

// used is what is taken of a resource of the queue at place k; pods whose priority is below are left out.
func (x *queues) used(s state.State, k, r int, below int32) int64 {
	i := x.index[k]
	total := int64(0)
	if below == math.MinInt32 { // whose pods these are, and how important, is not known
		total = milli(s.C.Spec.Quotas[i].Others[s.VersionOfQuota(i)][x.names[r]])
	}
	for p, in := range x.in {
		if in == k && x.rank[p] >= below {
			total += x.uses[p][r] * x.held(s, p)
		}
	}
	return total
}

// left is what the queue at place k has of a resource for pods of class p. With reclaim, it takes back what others
// borrow.
//
// Upstream: available.
func (x *queues) left(s state.State, k, r, p int, reclaim bool) int64 {
	q, l := x.quota(s, k), x.limit[s.VersionOfQuota(x.index[k])][k][r]
	below := int32(math.MinInt32)
	if q.Displaces {
		below = x.rank[p]
	}
	used := x.used(s, k, r, below)
	if q.Cohort == "" {
		return l.Nominal - used
	}
	cohort := int64(math.MaxInt64 / 4)
	if !q.Endless {
		cohort = l.Lent(used)
		for j := range x.index {
			other := x.quota(s, j)
			if j == k || other == nil || other.Cohort != q.Cohort {
				continue
			}
			m := x.limit[s.VersionOfQuota(x.index[j])][j][r]
			if m == nil {
				continue
			}
			theirs := x.used(s, j, r, math.MinInt32)
			if reclaim {
				theirs = min(theirs, m.Nominal)
			}
			cohort += m.Lent(theirs)
		}
	}
	if reclaim { // of its own quota only
		cohort = min(cohort, l.Lent(used))
	}
	return l.Unused(used, cohort)
}

// most is how many of limit pods of class p may start; where they may not, r is the resource that stands in the way.
func (x *queues) most(s state.State, p, limit int) (n, r int) {
	k := x.in[p]
	if !x.waits[p] || x.quota(s, k) == nil {
		return limit, -1 // a queue that is gone is told of elsewhere
	}
	unit := int64(1)
	if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind() == state.Job {
		if s.Existing(p) > 0 {
			return limit, -1 // it is in
		}
		unit = int64(max(whole(s, p), 1))
	}
	n, r = limit, -1
	for j, use := range x.uses[p] {
		l := x.limit[s.VersionOfQuota(x.index[k])][k][j]
		if use == 0 || l == nil && x.names[j] == corev1.ResourcePods {
			continue
		}
		if l == nil {
			return 0, j
		}
		left := x.left(s, k, j, p, false)
		if q := x.quota(s, k); q.Reclaims && q.Cohort != "" {
			left = max(left, x.left(s, k, j, p, true))
		}
		if fit := int(min(int64(limit), max(left, 0)/(use*unit)*unit)); fit < n {
			n, r = fit, j
		}
	}
	return n, r
}

// Queued adds what Kueue has to do with it to what a loop that creates pods says of itself; without ClusterQueues,
// nothing.
func (x *Quotas) Queued(m *actor.Model) *actor.Model {
	if x == nil || x.queues == nil {
		return m
	}
	m.Exact = append(m.Exact,
		"ClusterQueues of Kueue v0.19.2: nominal quota, borrowing and lending limits in a cohort, resources that are not covered; "+
			"a pod of a Deployment is admitted by itself, a Job as a whole")
	m.MayHide = append(m.MayHide,
		"Kueue: a pod that is not admitted is one that is not there; several flavors are one; whatever preemption could free is free, "+
			"and takes no pod away; cohorts with an object of their own have no end",
		"Kueue: order in a queue, fair sharing, admission checks, topologies and waitForPodsReady are not modeled; only Deployments and Jobs wait")
	return m
}
