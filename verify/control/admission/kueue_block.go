package admission

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// blocked reports whether Kueue admits nothing of class p now, as a Job that it has admitted is not all ready. A Job
// that is evicted for that sooner or later blocks as long as only the timeout can end it, or its pods start:
// what happens when the timeout is over while others make room is not followed.
//
// Upstream: kueue v0.19.2, pkg/cache/scheduler: podsReadyForAllAdmittedWorkloads; pkg/scheduler:
// waitForPodsReadyIfNeeded.
func (x *queues) blocked(s state.State, p int) bool {
	for o := range x.in {
		switch {
		case o == p || !x.waits[o] || s.C.Spec.Workloads[s.C.Pods[o].Workload].Kind() != state.Job:
		case s.Lost(o):
			return true
		case s.Active(o) == 0 || s.Outstanding(o) == 0 || s.AllReady(o):
		case x.starts(s, o), s.Pending(o) > 0 && !hopes(s, o):
			return true
		}
	}
	return false
}

// starts reports whether a pod of class p gets ready by itself.
func (x *queues) starts(s state.State, p int) bool {
	if s.Bad(p) || s.Waiting(p) > 0 {
		return false
	}
	for n := range s.C.Nodes {
		if s.InService(n) && s.On(n, p, state.Starting) > 0 {
			return true
		}
	}
	return false
}

// startedLoop models what Kueue remembers of one Job: that all its pods were ready since it was admitted.
//
// Upstream: kueue v0.19.2, pkg/controller/jobframework: generatePodsReadyCondition.
type startedLoop struct {
	class int
	name  string
}

func (l *startedLoop) Name() string           { return l.name }
func (l *startedLoop) Latency() actor.Latency { return actor.Sync }

func (l *startedLoop) Step(s state.State, next *actor.Emit) {
	p := l.class
	if s.Started(p) || s.Evicted(p) != state.In || s.Active(p) == 0 || s.Outstanding(p) == 0 || !s.AllReady(p) {
		return
	}
	t := next.Copy(s)
	t.Start(p)
	next.Move(objects.Done)
}

func (l *startedLoop) Describe(from, _ state.State, _ search.Move) actor.Words {
	id := from.C.Spec.Workloads[from.C.Pods[l.class].Workload].ID
	return actor.Words{Action: "note", Object: id, Text: fmt.Sprintf("Kueue notes that all pods of %s are ready", id)}
}

func (l *startedLoop) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kueue v0.19.2, pkg/controller/jobframework: generatePodsReadyCondition",
		Exact:    []string{"a workload that was ready once waits for its recovery, which recoveryTimeout: 0s never ends"},
	}
}
