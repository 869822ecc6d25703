package faults

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// manager is the kube-controller-manager as a process: it goes down at any moment, also between two writes of one sync,
// and comes back, or another replica of it takes over. Its controllers keep nothing that the API server does not: what
// they expected and queued is gone, and every object is synced again.
//
// Upstream: kubernetes v1.36.3, cmd/kube-controller-manager/app: Run (leader election, StartControllers);
// pkg/controller/podautoscaler: initialRecommendation; pkg/controller/replicaset: slowStartBatch.
type manager struct {
	loops     []actor.Actor
	interrupt []func(state.State, *actor.Emit) // by loop; see [actor.Traits]
}

// managerBack ends an outage of the manager.
type managerBack struct{ manager }

// WithRestarts adds the restarts of the kube-controller-manager to the actors of a problem, where there are any.
func WithRestarts(b *state.Builder, actors []actor.Actor) []actor.Actor {
	if b.Config().Spec.Events.ManagerRestart <= 0 {
		return actors
	}
	b.AddManager()
	m := manager{}
	for _, a := range actors {
		if f := actor.TraitsOf(a, b.Config()).Interrupt; f != nil {
			m.loops, m.interrupt = append(m.loops, a), append(m.interrupt, f)
		}
	}
	return append(actors, &m, &managerBack{m})
}

// Traits implements [actor.Declarer]: it looks at what its controllers look at.
func (m *manager) Traits(c *state.Config) actor.Traits {
	return actor.Traits{Lumps: func(k actor.Likeness) bool {
		return !slices.ContainsFunc(m.loops, func(a actor.Actor) bool { return !actor.TraitsOf(a, c).Lump(k) })
	}}
}

func (m *manager) Name() string           { return "controller-restart" }
func (m *manager) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: it stops between two syncs, or within one.
func (m *manager) Step(s state.State, next *actor.Emit) {
	if s.RestartsLeft() == 0 || s.ManagerDown() {
		return
	}
	t := next.Copy(s)
	t.StopManager()
	next.Move(objects.Done)
	for _, interrupt := range m.interrupt {
		interrupt(s, next)
	}
}

func (m *manager) Describe(from, to state.State, x search.Move) actor.Words {
	w := actor.Words{Action: "controller-restart", Object: "the kube-controller-manager",
		Text: "the kube-controller-manager restarts"}
	for i, d := range m.loops {
		for _, y := range interrupted(m.interrupt[i], from) {
			if string(y.To.B) != string(to.B) {
				continue
			}
			did := d.Describe(from, to, x)
			w.Text += ", between two writes of one sync: " + did.Text
			w.Because = did.Because
			return w
		}
	}
	return w
}

// interrupted lists what a sync that is interrupted leaves.
func interrupted(interrupt func(state.State, *actor.Emit), s state.State) []actor.Successor {
	list := &actor.List{Cfg: s.C}
	var scratch actor.Scratch
	interrupt(s, actor.NewEmit(list, s.C, &scratch))
	return list.All
}

func (m *manager) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", cmd/kube-controller-manager, pkg/controller: slowStartBatch, initialRecommendation",
		Exact: []string{
			"its controllers stop together, and go on from the API server's objects; the scheduler, kubelets and controllers of others do not stop",
			"of the pods that a ReplicaSet, Job, StatefulSet or DaemonSet creates in one sync, and of the ReplicaSets that a Deployment writes in one, any first part may be there",
			"of the pods that one sync deletes, any number may be gone",
			"an HPA forgets its stabilization windows, and begins with the live replicas",
		},
		MayHide: []string{
			"of the pods that one sync deletes the first in upstream's ranking are gone, of a DaemonSet's on more than 4 nodes those on the first; upstream has no order",
			"the eviction API counts healthy pods as if the disruption controller were up",
			"nodes are marked as lost while it is down",
		},
	}
}

func (m *managerBack) Name() string { return "controller-back" }

// Latency implements [actor.Actor]: another leader is elected after seconds.
func (m *managerBack) Latency() actor.Latency { return actor.Periodic }

func (m *managerBack) Step(s state.State, next *actor.Emit) {
	if !s.ManagerDown() {
		return
	}
	t := next.Copy(s)
	t.StartManager()
	for w := range t.C.Spec.Workloads {
		autoscaling.Recall(t, w, t.VersionOf(w))
	}
	next.Move(objects.Done)
}

func (m *managerBack) Describe(state.State, state.State, search.Move) actor.Words {
	return actor.Words{Action: "controller-back", Object: "the kube-controller-manager",
		Text: "the kube-controller-manager is back"}
}
