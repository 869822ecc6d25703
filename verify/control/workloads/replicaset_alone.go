package workloads

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// aloneLoop models the ReplicaSet controller on a ReplicaSet that no Deployment owns. Its
// pods are those that its selector finds, of whichever template they were made: a new
// template counts for new pods only.
//
// Upstream: as [ReplicaSetLoop].
type aloneLoop struct {
	workload int
	name     string
	quotas   *admission.Quotas
}

// NewReplicaSetAlone builds the loops of the ReplicaSets that are workloads themselves.
func NewReplicaSetAlone(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if wl.Kind() != state.ReplicaSet {
			continue
		}
		for _, p := range c.ClassesOf[w] {
			if node, err := scheduler.FixedNode(c, p); err != nil || node >= 0 {
				return nil, fmt.Errorf("%s: spec.template.spec.nodeName: %w", wl.ID, actor.ErrUnmodeled)
			}
		}
		out = append(out, &aloneLoop{workload: w, name: "replicaset/" + objects.ShortName(wl), quotas: quotas})
	}
	return out, nil
}

func (r *aloneLoop) Name() string           { return r.name }
func (r *aloneLoop) Latency() actor.Latency { return actor.Sync }

func (*aloneLoop) Traits(*state.Config) actor.Traits { return actor.Traits{Managed: true} }

// Step implements [actor.Actor]: one sync creates all missing pods of the current template,
// or deletes one of the surplus ones, of any template; the next one goes in the next step.
func (r *aloneLoop) Step(s state.State, next *actor.Emit) {
	active := 0
	for _, p := range s.C.ClassesOf[r.workload] {
		active += s.Active(p)
	}
	switch want := s.Replicas(r.workload); {
	case active < want:
		class := s.NewClass(r.workload)
		if class < 0 {
			return
		}
		create := r.quotas.Room(s, class, min(want-active, burstReplicas, s.C.MaxPods-s.ExistingOf(r.workload)))
		if create <= 0 {
			return
		}
		t := next.Copy(s)
		f := &t.C.Class[class]
		t.Set(f.Pending, t.Get(f.Pending)+create)
		next.Move(objects.Done)
	case active > want:
		victimsOf{s.C.ClassesOf[r.workload], r.related}.deleteAny(s, next)
	}
}

// related is upstream's rank of a pod on node n: the ReplicaSet's active pods there.
func (r *aloneLoop) related(s state.State, n int) int64 {
	total := 0
	for _, p := range s.C.ClassesOf[r.workload] {
		total += s.LiveOn(n, p)
	}
	return int64(total)
}

func (r *aloneLoop) Describe(from, to state.State, m search.Move) actor.Words {
	out := actor.Words{}
	for _, p := range from.C.ClassesOf[r.workload] {
		if from.Active(p) != to.Active(p) {
			loop := ReplicaSetLoop{Class: p, Workload: r.workload, Node: -1}
			out = loop.Describe(from, to, m)
		}
	}
	return out
}

func (r *aloneLoop) Model() *actor.Model { return (&ReplicaSetLoop{}).Model() }
