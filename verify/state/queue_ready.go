package state

// ReadyWait is what Kueue's own configuration says of workloads whose pods do not all get ready: after a timeout they
// are evicted, and wait again.
type ReadyWait struct {
	Object string // the ConfigMap's ID
	// Limit is how often a workload is requeued before Kueue gives it up (backoffLimitCount); nil: without end.
	Limit *int
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
