package workloads

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// jobLoop models the Job controller on the Jobs of one pod template: one Job, or those
// that a CronJob has created and that are not finished. [State.Outstanding] counts the pods
// that have yet to succeed.
//
// Upstream: kubernetes v1.36.3, pkg/controller/job: syncJob, manageJob, activePodsForRemoval.
type jobLoop struct {
	class int
	name  string
	loop  ReplicaSetLoop // deletes surplus pods
}

// jobPods models the end of the pods of one template: they succeed. It is the kubelet's
// part that only Jobs know.
type jobPods struct {
	class int
	name  string
}

// jobDeadline fails the Jobs of one template that do not end, once activeDeadlineSeconds
// are over.
type jobDeadline struct {
	class int
	name  string
}

func NewJob(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for p := range c.Pods {
		wl := &c.Spec.Workloads[c.Pods[p].Workload]
		if !wl.Kind().Ends() {
			continue
		}
		if c.Pods[p].Template.Spec.NodeName != "" {
			return nil, fmt.Errorf("%s: the pod template's spec.nodeName: pods on one node that the kubelet may refuse: %w",
				wl.ID, actor.ErrUnmodeled)
		}
		out = append(out,
			&jobLoop{class: p, name: objects.ClassActor(c, "job", p),
				loop: ReplicaSetLoop{Class: p, Workload: c.Pods[p].Workload, quotas: quotas, unranked: true}},
			&jobPods{class: p, name: objects.ClassActor(c, "kubelet-finish", p)})
		if hasDeadline(c, p) && c.Spec.Events.JobOverrun > 0 && wl.Kind() == state.CronJob {
			out = append(out, &jobDeadline{class: p, name: objects.ClassActor(c, "job-deadline", p)})
		}
	}
	return out, nil
}

func hasDeadline(c *state.Config, p int) bool {
	for v := range c.Spec.Workloads[c.Pods[p].Workload].Manifests {
		m := &c.Spec.Workloads[c.Pods[p].Workload].Manifests[v]
		if c.HasTemplate(p, state.Version(v)) && m.JobSpec().ActiveDeadlineSeconds != nil {
			return true
		}
	}
	return false
}

// wantedByJobs is how many pods of class p its Jobs want at once.
func wantedByJobs(s state.State, p int) int {
	m := s.JobManifest(p)
	if m.Kind() == state.Job && m.Suspended() {
		return 0
	}
	return min(m.Parallelism()*s.Jobs(p), s.Outstanding(p))
}

func (j *jobLoop) Name() string           { return j.name }
func (j *jobLoop) Latency() actor.Latency { return actor.Sync }

func (j *jobLoop) Traits(*state.Config) actor.Traits {
	return actor.Traits{
		Managed: true, Interrupt: j.interrupt,
		// It sees its pods, and by them the successes: the status of a Job has no other writer. It has
		// SatisfiedExpectations before manageJob.
		Lag: &actor.Lag{Sees: []int{j.class}, Expects: true, Conflicts: j.conflicts},
	}
}

// Step implements [actor.Actor]: one sync creates all missing pods, or deletes all surplus ones.
func (j *jobLoop) Step(s state.State, next *actor.Emit) {
	active, want := s.Active(j.class), wantedByJobs(s, j.class)
	if active > want {
		j.loop.deleteSurplus(s, min(active-want, burstReplicas), next)
		return
	}
	create := j.creates(s, want-active)
	if create <= 0 {
		return
	}
	t := next.Copy(s)
	j.add(t, create)
	next.Move(objects.Done)
}

// creates is how many of the missing pods one sync creates.
func (j *jobLoop) creates(s state.State, missing int) int {
	if policy := s.JobManifest(j.class).JobSpec().PodReplacementPolicy; policy != nil && *policy == batchv1.Failed {
		missing -= s.Count(j.class, state.Terminating)
	}
	room := s.C.MaxPods - s.Existing(j.class)
	return j.loop.quotas.Room(s, j.class, min(missing, burstReplicas, room))
}

// add creates pods.
func (j *jobLoop) add(t state.State, create int) {
	f := &t.C.Class[j.class]
	t.Set(f.Pending, t.Get(f.Pending)+create)
	t.LetIn(j.class)
}

func (j *jobLoop) Describe(from, to state.State, m search.Move) actor.Words {
	c := from.C
	created := to.Pending(j.class) - from.Pending(j.class)
	if created <= 0 {
		w := j.loop.Describe(from, to, m)
		w.Text = "the Job controller deletes " +
			english.Plural(from.Active(j.class)-to.Active(j.class), objects.Revised(c, j.class, "pod"), "") + " of " +
			objects.PodName(c, j.class)
		w.Because = nil
		return w
	}
	return actor.Words{
		Action: "create-pod", Object: objects.PodObject(c, j.class),
		Text: "the Job controller creates " + english.Plural(created, objects.Revised(c, j.class, "pod"), "") + " of " +
			objects.PodName(c, j.class),
		Because: []actor.Ref{{
			Object: c.Spec.Workloads[c.Pods[j.class].Workload].ID, Version: from.VersionOfClass(j.class), Field: "spec.template",
		}},
	}
}

func (j *jobLoop) Model() *actor.Model {
	return j.loop.quotas.Queued(&actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/job: syncJob, manageJob, activePodsForRemoval",
		Exact: []string{
			"how many pods are created or deleted: parallelism, completions, suspend, podReplacementPolicy",
			"ResourceQuotas: pods, requests, limits and extended resources",
		},
		MayInvent: []string{
			"a Job without completions replaces an evicted pod also after another one has succeeded",
			"of a CronJob's unfinished Jobs the oldest gets what succeeds",
		},
		MayHide: []string{
			"no pod of a Job fails by itself, and successPolicy is ignored",
			"a pod that is evicted counts as failed with backoffLimit 0 only, and what follows the Job's failure is not followed",
			"of more completions than parallelism only one more is followed",
			"indexes, back-off between creations and ttlSecondsAfterFinished are not kept",
		},
		Refused: []string{"the pod template's spec.nodeName"},
	})
}

func (j *jobPods) Name() string           { return j.name }
func (j *jobPods) Latency() actor.Latency { return actor.Kubelet }

// Step implements [actor.Actor]: one pod succeeds, on any node that is up, unless its Job
// overruns; nodes with equal records count once.
func (j *jobPods) Step(s state.State, next *actor.Emit) {
	if s.Bad(j.class) {
		return
	}
	for n := range s.C.Nodes {
		if s.On(n, j.class, state.Ready) == 0 || s.Down(n) || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.Add(n, j.class, state.Ready, -1)
		t.SetOutstanding(j.class, max(s.Outstanding(j.class)-1, 0))
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

func (j *jobPods) Describe(from, _ state.State, m search.Move) actor.Words {
	c := from.C
	return actor.Words{
		Action: "finish-pod", Object: objects.PodObject(c, j.class),
		Text: objects.OnePod(c, j.class, "") + " on " + c.Nodes[m.Args[0]].Name + " has succeeded",
	}
}

func (j *jobPods) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/kubelet: getPhase",
		MayHide:  []string{"every pod of a Job succeeds, unless it overruns (events.jobOverrun)"},
	}
}

func (j *jobDeadline) Name() string           { return j.name }
func (j *jobDeadline) Latency() actor.Latency { return actor.Periodic }

func (*jobDeadline) Traits(*state.Config) actor.Traits { return actor.Traits{Managed: true} }

// Step implements [actor.Actor]: all unfinished Jobs fail, and their pods are deleted by the Job
// controller.
func (j *jobDeadline) Step(s state.State, next *actor.Emit) {
	if !s.Bad(j.class) || s.Outstanding(j.class) == 0 || s.JobManifest(j.class).JobSpec().ActiveDeadlineSeconds == nil {
		return
	}
	t := next.Copy(s)
	t.SetOutstanding(j.class, 0)
	next.Move(objects.Done)
}

func (j *jobDeadline) Describe(from, _ state.State, _ search.Move) actor.Words {
	wl := &from.C.Spec.Workloads[from.C.Pods[j.class].Workload]
	return actor.Words{
		Action: "deadline-exceeded", Object: wl.ID,
		Text: english.Plural(from.Jobs(j.class), "Job", "") + " of " + objects.ShortName(wl) +
			" exceeded activeDeadlineSeconds, and failed",
		Because: []actor.Ref{{Object: wl.ID, Version: from.VersionOfClass(j.class), Field: "spec.activeDeadlineSeconds"}},
	}
}

func (j *jobDeadline) Model() *actor.Model {
	return &actor.Model{
		Upstream:  objects.Upstream + ", pkg/controller/job: pastActiveDeadline",
		MayInvent: []string{"a deadline may be over at any moment, for all unfinished Jobs of a CronJob at once"},
	}
}
