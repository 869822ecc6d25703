package state

import batchv1 "k8s.io/api/batch/v1"

// Ends reports whether the pods of the kind run to completion.
func (k Kind) Ends() bool { return k == Job || k == CronJob }

// JobSpec is the spec of a Job, or that of the Jobs which a CronJob creates; nil for any
// other kind.
func (m *Manifest) JobSpec() *batchv1.JobSpec {
	if o := m.object(); o != nil {
		return o.jobs()
	}
	return nil
}

// Parallelism is how many pods of one Job run at a time, at most.
func (m *Manifest) Parallelism() int {
	if p := m.JobSpec().Parallelism; p != nil {
		return int(*p)
	}
	return 1
}

// Completions is how many pods of one Job have to succeed, of more than Parallelism one
// more: what follows repeats itself. A Job that declares none is done when the pods that it
// starts with are.
func (m *Manifest) Completions() int {
	p := m.Parallelism()
	if c := m.JobSpec().Completions; c != nil {
		return min(int(*c), p+1)
	}
	return p
}

// Suspended reports whether a Job, or a CronJob, starts nothing.
func (m *Manifest) Suspended() bool {
	o := m.object()
	return o != nil && o.suspend() != nil && *o.suspend()
}

// JobPods bounds the pods of a workload whose pods run to completion that can be wanted at
// once, and the completions that can be outstanding; 0 for any other kind.
func (m *Manifest) JobPods(e *Events) int {
	switch m.Kind() {
	case Job:
		return max(m.Parallelism(), m.Completions())
	case CronJob:
		return max(m.Parallelism(), m.Completions()) * e.Ticks()
	}
	return 0
}

// ticksOfOverrun are the schedule's times that are looked at where a Job may overrun: with
// that many unfinished Jobs nothing holds the next one back.
const ticksOfOverrun = 3

// Ticks is how often the schedule of each CronJob is due on one run.
func (e *Events) Ticks() int {
	if e.JobOverrun > 0 {
		return ticksOfOverrun
	}
	return 1
}

// AddTicks lays out how often workload w's schedule is still due.
func (b *Builder) AddTicks(w int) { b.cfg.Workload[w].Ticks = b.Field(b.cfg.Spec.Events.Ticks()) }

// AddOverruns lays out the budget of Jobs that do not end, and which pod classes are those
// of one.
func (b *Builder) AddOverruns(classes []int) {
	b.cfg.PodEvents.Overruns = b.Field(b.cfg.Spec.Events.JobOverrun)
	for _, p := range classes {
		b.cfg.Class[p].Bad = b.Field(1)
	}
}

// TicksLeft is how often workload w's schedule is still due.
func (s State) TicksLeft(w int) int { return s.left(s.C.Workload[w].Ticks) }

// OverrunsLeft is how many CronJobs may still have a Job that does not end.
func (s State) OverrunsLeft() int { return s.left(s.C.PodEvents.Overruns) }

// Outstanding is how many pods of class p, of a Job, have yet to succeed.
func (s State) Outstanding(p int) int { return s.Get(s.C.Class[p].Size) }

// SetOutstanding sets how many pods of class p have yet to succeed.
func (s State) SetOutstanding(p, n int) { s.Set(s.C.Class[p].Size, n) }

// Jobs is how many unfinished Jobs the pods of class p are of, the oldest of which gets
// what succeeds.
func (s State) Jobs(p int) int {
	each := s.JobManifest(p).Completions()
	if each < 1 {
		return 0
	}
	return (s.Outstanding(p) + each - 1) / each
}

// JobManifest is the manifest that the Jobs of class p go by: the live one, or the one that
// they were created from.
func (s State) JobManifest(p int) *Manifest {
	class := &s.C.Pods[p]
	ms := &s.C.Spec.Workloads[class.Workload].Manifests
	switch {
	case s.HasTemplate(p):
		return &ms[s.VersionOf(class.Workload)]
	case class.InBase:
		return &ms[Base]
	}
	return &ms[Head]
}
