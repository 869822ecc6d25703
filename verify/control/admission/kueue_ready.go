package admission

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// readyLoop models Kueue's treatment of one Job whose pods do not all get ready in time: it evicts it, which takes its
// pods away, lets it wait again once a back-off is over, and gives it up after so many times.
//
// Upstream: kueue v0.19.2, pkg/controller/core: reconcileNotReadyTimeout, triggerDeactivation,
// admittedNotReadyWorkload; pkg/workload: UpdateRequeueState; pkg/controller/jobs/job: PodsReady.
type readyLoop struct {
	queues *queues
	class  int
	name   string
}

// unready gives the loops of the Jobs that wait in a queue with waitForPodsReady.
func (x *queues) unready(b *state.Builder) []actor.Actor {
	c := b.Config()
	var out []actor.Actor
	for p, in := range x.in {
		if in < 0 || c.Spec.Workloads[c.Pods[p].Workload].Kind() != state.Job {
			continue
		}
		waits, keeps, limit := false, false, 0
		for _, q := range c.Spec.Quotas[x.index[in]].Queues {
			if q == nil || q.Ready == nil {
				continue
			}
			if waits, keeps = true, keeps || q.Ready.NoRecovery; q.Ready.Limit != nil {
				limit = max(limit, *q.Ready.Limit)
			}
		}
		if waits {
			b.AddEvictions(p, limit)
			if keeps {
				b.AddStarted(p)
				out = append(out, &startedLoop{class: p, name: objects.ClassActor(c, "kueue-started", p)})
			}
			out = append(out, &readyLoop{queues: x, class: p, name: objects.ClassActor(c, "kueue-ready", p)})
		}
	}
	return out
}

func (l *readyLoop) Name() string { return l.name }

// Latency implements [actor.Actor]: timeout and back-off are minutes.
func (l *readyLoop) Latency() actor.Latency { return actor.Periodic }

func (l *readyLoop) Step(s state.State, next *actor.Emit) {
	p := l.class
	queue := l.queues.quota(s, l.queues.in[p])
	if s.Evicted(p) == state.BacksOff && s.Existing(p) == 0 {
		t := next.Copy(s)
		t.Requeue(p)
		next.Move(objects.Done)
		return
	}
	if queue == nil || queue.Ready == nil || s.Evicted(p) != state.In || s.Pending(p) == 0 || s.Outstanding(p) == 0 ||
		s.AllReady(p) || queue.Ready.NoRecovery && s.Started(p) || hopes(s, p) {
		return
	}
	t := next.Copy(s)
	f := &t.C.Class[p]
	t.Set(f.Pending, 0)
	for node := range s.C.Nodes {
		if s.C.Preempts(p) {
			t.SetAt(node, f.Nominated, 0)
		}
		for _, ph := range state.LivePhases {
			if k := s.On(node, p, ph); k > 0 {
				t.Add(node, p, ph, -k)
				t.Add(node, p, state.Terminating, k)
			}
		}
	}
	t.Evict(p, queue.Ready)
	next.Move(objects.Done)
}

// hopes reports whether others may yet make room for class p within the timeout, which is not known: a node that is
// away, or not there yet, comes, a pod starts or stops, another Job ends.
func hopes(s state.State, p int) bool {
	for n := range s.C.Nodes {
		if !s.InService(n) {
			return true
		}
	}
	for o := range s.C.Pods {
		w := &s.C.Spec.Workloads[s.C.Pods[o].Workload]
		if s.Count(o, state.Starting)+s.Count(o, state.Terminating) > 0 ||
			o != p && w.Kind().Ends() && s.ReadyPods(o) > 0 {
			return true
		}
	}
	return false
}

func (l *readyLoop) Describe(from, to state.State, _ search.Move) actor.Words {
	id := from.C.Spec.Workloads[from.C.Pods[l.class].Workload].ID
	if to.Evicted(l.class) == state.Requeued {
		return actor.Words{
			Action: "requeue", Object: id, Text: fmt.Sprintf("the back-off is over, and Kueue queues %s again", id),
		}
	}
	k := l.queues.in[l.class]
	v, ready := from.VersionOfQuota(l.queues.index[k]), l.queues.quota(from, k).Ready
	words := actor.Words{
		Action: "evict", Object: id,
		Text:    fmt.Sprintf("Kueue evicts %s, as its pods were not all ready within the timeout of waitForPodsReady", id),
		Because: []actor.Ref{{Object: ready.Object, Version: v, Field: "data"}},
	}
	if to.Evicted(l.class) == state.GivenUp {
		words.Action = "deactivate"
		words.Text = fmt.Sprintf("Kueue deactivates %s, as its pods were not all ready in time, with backoffLimitCount %d",
			id, *ready.Limit)
	}
	return words
}

func (l *readyLoop) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kueue v0.19.2, pkg/controller/core: reconcileNotReadyTimeout, triggerDeactivation; " +
			"pkg/workload: UpdateRequeueState; pkg/controller/jobs/job: PodsReady",
		Exact: []string{"which Jobs are ready, and how often one is requeued: requeuingStrategy.backoffLimitCount"},
		MayInvent: []string{
			"pods that run when a Job is evicted had not ended within the timeout",
			"recoveryTimeout is the timeout, unless it is switched off",
		},
		MayHide: []string{
			"no Job is evicted while others may yet make room: a node is away, a pod starts or stops, another Job's pods run",
			"a pod with a node is ready within the timeout",
		},
	}
}
