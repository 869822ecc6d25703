package state

// ReadyWait is what Kueue's own configuration says of workloads whose pods do not all get ready: after a timeout they
// are evicted, and wait again.
type ReadyWait struct {
	Object string // the ConfigMap's ID
	// Limit is how often a workload is requeued before Kueue gives it up (backoffLimitCount); nil: without end.
	Limit *int
	// Block says that nothing is admitted while some pods of admitted workloads are not ready (blockAdmission), and
	// NoRecovery that a workload whose pods were all ready once is never evicted for it (recoveryTimeout: 0s).
	Block, NoRecovery bool
}

// Eviction is where a Job is that Kueue evicts because its pods do not all get ready.
type Eviction uint8

// From its admission on.
const (
	In       Eviction = iota // it is admitted, or was never evicted
	BacksOff                 // it was evicted, and is not considered for a while
	Requeued                 // it waits for quota again
	GivenUp                  // it was evicted too often (deactivated)
)

// AddEvictions lays out what becomes of the Job of class p, which is requeued at most so often; 0: never, or without
// end.
func (b *Builder) AddEvictions(p, limit int) {
	f := &b.cfg.Class[p]
	if f.Evicted = b.Field(int(GivenUp)); limit > 0 {
		f.Requeues = b.Field(limit)
	}
}

// AddStarted lays out whether all pods of the Job of class p were ready since it was admitted.
func (b *Builder) AddStarted(p int) { b.cfg.Class[p].Started = b.Field(1) }

// Started reports whether Kueue has seen all pods of the Job of class p ready since it was admitted; false if that is
// not recorded.
func (s State) Started(p int) bool { f := s.C.Class[p].Started; return f.Laid() && s.Get(f) == 1 }

// Start notes that Kueue sees all pods of the Job of class p ready.
func (s State) Start(p int) { s.Set(s.C.Class[p].Started, 1) }

// unstart forgets it: the Job waits again.
func (s State) unstart(p int) {
	if f := s.C.Class[p].Started; f.Laid() {
		s.Set(f, 0)
	}
}

// Lost reports whether pods of the Job of class p that were all ready are not, and Kueue does not evict it for that.
//
// Upstream: kueue v0.19.2, pkg/controller/core: admittedNotReadyWorkload; pkg/controller/jobframework:
// generatePodsReadyCondition.
func (s State) Lost(p int) bool {
	return s.Started(p) && s.Outstanding(p) > 0 && !s.AllReady(p)
}

// ShutOut is for which class of pods the Job of class p is not admitted, without end unless they get ready: they are
// [State.Lost], and Kueue admits nothing meanwhile; -1: none.
//
// Upstream: kueue v0.19.2, pkg/cache/scheduler: podsReadyForAllAdmittedWorkloads; pkg/scheduler:
// waitForPodsReadyIfNeeded.
func (s State) ShutOut(p int) int {
	m := s.JobManifest(p)
	if s.Existing(p) > 0 || s.Outstanding(p) == 0 || m.Queue == "" || m.Suspended() {
		return -1
	}
	if e := s.Evicted(p); e == BacksOff || e == GivenUp {
		return -1
	}
	for i := range s.C.Spec.Quotas {
		q := &s.C.Spec.Quotas[i]
		if in := q.Queues[s.VersionOfQuota(i)]; q.Name != m.Queue || in == nil || in.Ready == nil || !in.Ready.Block {
			continue
		}
		for o := range s.C.Pods {
			if o != p && s.Lost(o) {
				return o
			}
		}
	}
	return -1
}

// Evicted is where the Job of class p is.
func (s State) Evicted(p int) Eviction {
	if f := s.C.Class[p].Evicted; f.Laid() {
		return Eviction(s.Get(f))
	}
	return In
}

// Evict notes that the Job of class p is evicted: it backs off, or is given up.
//
// Upstream: kueue v0.19.2, pkg/controller/core: triggerDeactivation; pkg/workload: UpdateRequeueState.
func (s State) Evict(p int, w *ReadyWait) {
	f, to := &s.C.Class[p], BacksOff
	if w.Limit != nil {
		count := 0
		if f.Requeues.Laid() {
			count = s.Get(f.Requeues)
		}
		if count+1 > *w.Limit {
			to, count = GivenUp, 0
		} else {
			count++
		}
		if f.Requeues.Laid() {
			s.Set(f.Requeues, count)
		}
	}
	s.Set(f.Evicted, int(to))
	s.unstart(p)
}

// Requeue notes that the Job of class p has backed off for long enough.
func (s State) Requeue(p int) { s.Set(s.C.Class[p].Evicted, int(Requeued)) }

// AllReady reports whether all pods that a Job of class p starts with are ready, or have succeeded.
//
// Upstream: kueue v0.19.2, pkg/controller/jobs/job: PodsReady, podsCount.
func (s State) AllReady(p int) bool {
	m := s.JobManifest(p)
	return m.Completions()-s.Outstanding(p)+s.ReadyPods(p) >= min(m.Parallelism(), m.Completions())
}
