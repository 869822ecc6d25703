package faults

import (
	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// nodeFailure models the events that a node is lost, and that it comes back. It has no upstream: a machine dies. The
// node lifecycle controller's reaction after the grace period happens in the same step.
//
// Upstream: kubernetes v1.36.3, pkg/controller/nodelifecycle: monitorNodeHealth,
// tryUpdateNodeHealth, processTaintBaseEviction, doNoScheduleTaintingPass;
// pkg/controller/util/node: MarkPodsNotReady.
//
// Coming back is an event, not a step that has to happen: a machine may stay away. It needs no budget, as only a lost
// node can come back.
type nodeFailure struct{}

const (
	nodeLost uint16 = iota
	nodeBack
)

func NewNodeFailure(b *state.Builder) ([]actor.Actor, error) {
	if b.Config().Spec.Events.NodeFailure <= 0 {
		return nil, nil
	}
	return []actor.Actor{nodeFailure{}}, nil
}

// Traits implements [actor.Declarer]: the pods that are ready on a node become unready.
func (nodeFailure) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (nodeFailure) Name() string           { return "node" }
func (nodeFailure) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any node is lost, as long as another one is left or a question asks, or any lost
// one comes back; nodes with equal records count once.
func (nodeFailure) Step(s state.State, next *actor.Emit) {
	left := s.FailuresLeft()
	if s.PresentNodes()-s.DownNodes() < 2 && !s.C.Spec.Events.LastNode {
		left = 0
	}
	for n := range s.C.Nodes {
		down := s.Down(n)
		if s.Twin(n) || !down && left == 0 || s.Tenure(n) != state.Staying || s.Outage(n) == state.Panicked {
			continue
		}
		t := next.Copy(s)
		if down {
			t.SetOutage(n, state.Up)
			next.Move(search.Move{Kind: nodeBack, Args: [3]int32{int32(n)}})
			continue
		}
		t.Set(t.C.Failures, left-1)
		takeDown(t, n, state.Lost)
		next.Move(search.Move{Kind: nodeLost, Args: [3]int32{int32(n)}})
	}
}

// takeDown takes a node down: its pods are not ready (MarkPodsNotReady), and stay.
func takeDown(t state.State, n int, o state.Outage) {
	t.SetOutage(n, o)
	for p := range t.C.Pods {
		t.Add(n, p, state.Starting, t.TakeReady(n, p))
	}
}

func (nodeFailure) Describe(from, _ state.State, m search.Move) actor.Words {
	n := int(m.Args[0])
	name := from.C.Nodes[n].Name
	w := actor.Words{Action: "node-failure", Object: "Node " + name}
	if m.Kind == nodeBack {
		w.Action, w.Text = "node-recovery", "node "+name+" is back: its taint node.kubernetes.io/unreachable is gone"
		return w
	}
	ready := 0
	for p := range from.C.Pods {
		ready += from.ReadyOn(n, p)
	}
	w.Text = "node " + name + " is lost: it gets the taint node.kubernetes.io/unreachable"
	if ready > 0 {
		w.Text += ", and takes " + english.Plural(ready, "ready pod", "") + " with it"
	}
	return w
}

func (nodeFailure) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/nodelifecycle: monitorNodeHealth, processTaintBaseEviction, doNoScheduleTaintingPass",
		Exact: []string{"the taints of a lost node; its pods are unready and do not stop before it is back"},
		MayHide: []string{
			"the 50 s in which a lost node counts as healthy",
			"the last node is not lost; slower eviction where most nodes of a zone are lost is not modeled",
			"a lost Node object is neither deleted nor marked out-of-service",
		},
	}
}
