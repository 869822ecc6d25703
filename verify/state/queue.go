package state

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// Queue is a ClusterQueue of Kueue in one version, as far as it decides how many pods may start.
type Queue struct {
	Object string // its ID
	// Cohort is the cohort whose ClusterQueues lend each other unused quota; "" is none.
	Cohort string
	// Endless says that the cohort may have more than the ClusterQueues that are known.
	Endless bool
	// Fair says that Kueue shares by weights (fairSharing), or that priorities are not known: then it is not known whom
	// it preempts.
	Fair   bool
	Limits []QueueLimit // by name
	// Within says which workloads of its own queue a workload preempts, and Reclaim which of others that have borrowed.
	Within, Reclaim Preemption
	// WhileBorrowing says that a queue which borrows may also take back borrowed resources (borrowWithinCohort) from
	// workloads of a lower priority, of at most Threshold; nil: of any.
	WhileBorrowing bool
	Threshold      *int32
	// Ready is Kueue's treatment of workloads whose pods do not all get ready (waitForPodsReady); nil: it is unknown.
	Ready *ReadyWait
}

// Preemption is a policy of a ClusterQueue's preemption.
type Preemption uint8

// Policies; LowerOrNewer is LowerOrNewerEqualPriority.
const (
	NeverPreempt Preemption = iota
	LowerPriority
	LowerOrNewer
	AnyPriority
)

// PreemptionOf reads a policy: an unknown one preempts nothing, which is the default.
func PreemptionOf(text string) Preemption {
	switch text {
	case "LowerPriority":
		return LowerPriority
	case "LowerOrNewerEqualPriority":
		return LowerOrNewer
	case "Any":
		return AnyPriority
	}
	return NeverPreempt
}

// Allows reports whether a workload may preempt another: their priorities, and when each was queued, in any unit.
//
// Upstream: kueue v0.19.2, pkg/scheduler/preemption/common: SatisfiesPreemptionPolicy.
func (p Preemption) Allows(priority, other int32, queued, since int64) bool {
	lower := priority > other
	switch p {
	case LowerPriority:
		return lower
	case LowerOrNewer:
		return lower || priority == other && queued < since
	}
	return p == AnyPriority
}

// QueueLimit is the quota of one resource, of all flavors together, in thousandths of its unit.
type QueueLimit struct {
	Resource corev1.ResourceName
	Nominal  int64
	// Borrowing is how much more may be borrowed, and Lending how much is lent; nil: no limit.
	Borrowing, Lending *int64
}

// Orders reports whether it is known whom Kueue preempts for the queue.
func (q *Queue) Orders() bool { return q != nil && !q.Endless && !q.Fair }

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

// AddDisplaced lays out how many workloads of class p, pods of a Deployment or Jobs, Kueue has preempted.
func (b *Builder) AddDisplaced(p int) {
	most := b.cfg.MaxPods
	if b.cfg.Spec.Workloads[b.cfg.Pods[p].Workload].Kind().Ends() {
		most = 1
	}
	if f := &b.cfg.Class[p]; !f.Displaced.Laid() {
		f.Displaced = b.Field(most)
	}
}

// AddClaims lays out whether Kueue has preempted others for class p.
func (b *Builder) AddClaims(p int) { b.cfg.Class[p].Claims = b.Field(1) }

// lacking is how many workloads of Kueue there are less of class p than are wanted.
func (s State) lacking(p int) int {
	if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind().Ends() {
		if s.Active(p) > 0 {
			return 0
		}
		return 1
	}
	return max(0, s.Get(s.C.Class[p].Size)-s.ActiveIn(s.C.Pods[p].Set))
}

// DisplacedOf is how many workloads of class p Kueue has preempted that are not back.
func (s State) DisplacedOf(p int) int {
	if f := s.C.Class[p].Displaced; f.Laid() {
		return min(s.Get(f), s.lacking(p))
	}
	return 0
}

// Displace notes that workloads of class p are preempted, after they were: displaced is [State.DisplacedOf] before.
func (s State) Displace(p, displaced, more int) {
	s.Set(s.C.Class[p].Displaced, min(displaced+more, s.lacking(p)))
	s.unstart(p)
}

// Claims reports whether Kueue has preempted others for class p.
func (s State) Claims(p int) bool { f := s.C.Class[p].Claims; return f.Laid() && s.Get(f) == 1 }

// Claim notes that Kueue preempts others for class p.
func (s State) Claim(p int) { s.Set(s.C.Class[p].Claims, 1) }

// LetIn notes that workloads of class p were created: what Kueue did to them and for them is done with, once none
// lacks.
func (s State) LetIn(p int) {
	f, lacks := &s.C.Class[p], 0
	if f.Displaced.Laid() || f.Claims.Laid() {
		lacks = s.lacking(p)
	}
	if f.Displaced.Laid() {
		s.Set(f.Displaced, min(s.Get(f.Displaced), lacks))
	}
	if f.Claims.Laid() && lacks == 0 {
		s.Set(f.Claims, 0)
	}
	if f.Evicted.Laid() {
		s.Set(f.Evicted, int(In))
	}
}
