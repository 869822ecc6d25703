package workloads

import (
	"github.com/dustin/go-humanize/english"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// cronJob models one CronJob, whose schedule is due now and then. Its Jobs end before the
// schedule is due again, except for those that overrun.
//
// Upstream: kubernetes v1.36.3, pkg/controller/cronjob: syncCronJob.
type cronJob struct {
	workload int
	name     string
}

// jobOverrun models the event that the Jobs of a CronJob do not end any more: they wait for
// a lock or for another system, or their image or volume is broken. It has no upstream.
type jobOverrun struct{ workloads []int }

func NewCronJob(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	var overrun jobOverrun
	var classes []int
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if wl.Kind() != state.CronJob {
			continue
		}
		b.AddTicks(w)
		out = append(out, &cronJob{workload: w, name: objects.ShortName(wl)})
		overrun.workloads = append(overrun.workloads, w)
		classes = append(classes, c.ClassesOf[w]...)
	}
	if len(classes) > 0 && c.Spec.Events.JobOverrun > 0 {
		b.AddOverruns(classes)
		out = append(out, &overrun)
	}
	return out, nil
}

func (x *cronJob) Name() string           { return "cronjob/" + x.name }
func (x *cronJob) Latency() actor.Latency { return actor.Event }

func (*cronJob) Traits(*state.Config) actor.Traits { return actor.Traits{Managed: true, Calm: true} }

// Step implements [actor.Actor]: the schedule is due. With Jobs left that overrun, Forbid starts
// none, Replace deletes them before it starts one, and Allow starts one more.
func (x *cronJob) Step(s state.State, next *actor.Emit) {
	left, m := s.TicksLeft(x.workload), s.Manifest(x.workload)
	if left == 0 || !m.Exists() || m.Suspended() {
		return
	}
	busy, overrun := false, false
	for _, p := range s.C.ClassesOf[x.workload] {
		if s.Outstanding(p) > 0 {
			busy, overrun = true, overrun || s.Bad(p)
		}
	}
	policy := m.CronJob.Spec.ConcurrencyPolicy
	if busy && (!overrun || policy == batchv1.ForbidConcurrent) {
		return
	}
	t := next.Copy(s)
	t.Set(t.C.Workload[x.workload].Ticks, left-1)
	if busy && policy == batchv1.ReplaceConcurrent {
		for _, p := range t.C.ClassesOf[x.workload] {
			removePods(t, p)
		}
	}
	p := s.NewClass(x.workload)
	t.SetOutstanding(p, t.Outstanding(p)+m.Completions())
	next.Move(objects.Done)
}

// removePods deletes the Jobs of class p with all their pods.
func removePods(t state.State, p int) {
	t.SetOutstanding(p, 0)
	t.Set(t.C.Class[p].Pending, 0)
	for n := range t.C.Nodes {
		if t.C.Preempts(p) {
			t.SetAt(n, t.C.Class[p].Nominated, 0)
		}
		for _, ph := range state.LivePhases {
			for t.On(n, p, ph) > 0 {
				objects.Evict(t, n, p, ph)
			}
		}
	}
}

func (x *cronJob) Describe(from, to state.State, _ search.Move) actor.Words {
	wl := &from.C.Spec.Workloads[x.workload]
	before, after := unfinished(from, x.workload), unfinished(to, x.workload)
	text := "the schedule of CronJob " + x.name + " is due: it creates a Job"
	switch {
	case after > before && before > 0:
		text += " beside " + english.Plural(before, "Job", "") + " that is not finished"
		if before > 1 {
			text = "the schedule of CronJob " + x.name + " is due: it creates a Job beside " +
				english.Plural(before, "Job", "") + " that are not finished"
		}
	case before > 0:
		text += ", and deletes " + english.Plural(before, "Job", "") + " that is not finished"
	}
	return actor.Words{
		Action: "cron-tick", Object: wl.ID, Text: text,
		Because: []actor.Ref{
			{Object: wl.ID, Version: from.VersionOf(x.workload), Field: "spec.schedule"},
			{Object: wl.ID, Version: from.VersionOf(x.workload), Field: "spec.concurrencyPolicy"},
		},
	}
}

// unfinished is the number of unfinished Jobs of workload w.
func unfinished(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Jobs(p)
	}
	return total
}

func (x *cronJob) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/cronjob: syncCronJob",
		Exact:    []string{"unfinished Jobs when the schedule is due: Allow, Forbid, Replace; suspend"},
		MayHide: []string{
			"a Job ends before the schedule is due again, unless it overruns (events.jobOverrun)",
			"the schedule is due once in a run, three times where a Job may overrun; schedules and startingDeadlineSeconds are ignored",
		},
	}
}

func (a *jobOverrun) Name() string           { return "job-overrun" }
func (a *jobOverrun) Latency() actor.Latency { return actor.Event }

func (*jobOverrun) Traits(*state.Config) actor.Traits { return actor.Traits{Calm: true} }

// Step implements [actor.Actor]: any CronJob with an unfinished Job gets stuck, that Job and all
// that follow.
func (a *jobOverrun) Step(s state.State, next *actor.Emit) {
	left := s.OverrunsLeft()
	if left == 0 {
		return
	}
	for _, w := range a.workloads {
		for _, p := range s.C.ClassesOf[w] {
			if s.Outstanding(p) == 0 || s.Bad(p) {
				continue
			}
			t := next.Copy(s)
			t.SetBad(p)
			t.Set(t.C.PodEvents.Overruns, left-1)
			next.Move(search.Move{Args: [3]int32{int32(p)}})
		}
	}
}

func (a *jobOverrun) Describe(from, _ state.State, m search.Move) actor.Words {
	c, p := from.C, int(m.Args[0])
	wl := &c.Spec.Workloads[c.Pods[p].Workload]
	return actor.Words{
		Action: "job-overrun", Object: wl.ID,
		Text:    "the Job of CronJob " + objects.ShortName(wl) + " does not end, and neither do those after it",
		Because: []actor.Ref{{Object: wl.ID, Version: objects.Version(c, p), Field: "spec.template"}},
	}
}

func (a *jobOverrun) Model() *actor.Model {
	return &actor.Model{
		Upstream: "none: the environment",
		MayHide:  []string{"pods of an overrunning Job that have not started never do"},
	}
}
