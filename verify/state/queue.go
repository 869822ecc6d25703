package state

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// Queue is what one version says of a ClusterQueue of Kueue, as far as it decides how many pods may start.
type Queue struct {
	Object string // its ID
	// Cohort is whose ClusterQueues lend each other what they do not use; "" is none.
	Cohort string
	// Endless says that the cohort may have more than the ClusterQueues that are known.
	Endless bool
	Limits  []QueueLimit // by name
	// Displaces says that pods of a lower priority make room in the queue, and Reclaims that what others have borrowed
	// comes back.
	Displaces, Reclaims bool
}

// QueueLimit is the quota of one resource, of all flavors together, in thousandths of its unit.
type QueueLimit struct {
	Resource corev1.ResourceName
	Nominal  int64
	// Borrowing is how much more may be borrowed, and Lending how much is lent; nil: no limit.
	Borrowing, Lending *int64
}

// Limit is the quota of a resource; nil: the queue covers none of it.
func (q *Queue) Limit(name corev1.ResourceName) *QueueLimit {
	for i := range q.Limits {
		if q.Limits[i].Resource == name {
			return &q.Limits[i]
		}
	}
	return nil
}

// Borrows reports whether ClusterQueues, or a Cohort, that are not known could lend it more.
func (q *Queue) Borrows() bool { return q != nil && q.Cohort != "" && !q.Endless }

// Local is the part of the quota that is never lent.
//
// Upstream: kueue v0.19.2, pkg/cache/scheduler: (resourceNode).localQuota.
func (l *QueueLimit) Local() int64 {
	if l.Lending == nil {
		return 0
	}
	return max(0, l.Nominal-*l.Lending)
}

// Lent is what the queue leaves to its cohort of which it uses so much itself; less than 0 where it has borrowed.
//
// Upstream: accumulateFromChild.
func (l *QueueLimit) Lent(used int64) int64 { return l.Nominal - l.Local() - max(0, used-l.Local()) }

// Unused is how much more the queue may take that uses so much, if its cohort has so much left.
//
// Upstream: available, and with nothing used potentialAvailable.
func (l *QueueLimit) Unused(used, cohort int64) int64 {
	if l.Borrowing != nil {
		cohort = min(cohort, l.Lent(used)+*l.Borrowing)
	}
	return max(0, l.Local()-used) + cohort
}

// LeastParallelism is with how many pods at a time Kueue lets a Job begin.
//
// Upstream: pkg/controller/jobs/job: (*Job).minPodsCount.
func (m *Manifest) LeastParallelism() int {
	n := m.Parallelism()
	if m.Job != nil {
		if text := m.Job.Annotations["kueue.x-k8s.io/job-min-parallelism"]; text != "" {
			if least, err := strconv.Atoi(text); err == nil && least > 0 {
				n = min(n, least)
			}
		}
	}
	return n
}
