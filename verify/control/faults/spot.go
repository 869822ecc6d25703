package faults

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// spotReclaim models the event that the provider takes a spot node back: a notice, on
// which a termination handler cordons the node.
//
// Read from: the documentation of AWS (Node Termination Handler, 2 minutes), Google
// Cloud (30 s and graceful node shutdown) and Azure (30 s) on interruptible nodes.
type spotReclaim struct{}

// spotEnd models what follows without fail: the machine ends with all that is on it,
// and, where the pool keeps its size, an empty one comes in its place.
type spotEnd struct{ lost bool }

const (
	spotTerminated uint16 = iota
	spotReplaced
)

func NewSpot(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if !c.Reclaimable() {
		return nil, nil
	}
	return []actor.Actor{spotReclaim{}, &spotEnd{lost: c.Spec.Events.SpotLost}}, nil
}

// Traits implements [actor.Declarer]: it looks at no pods.
func (spotReclaim) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (spotReclaim) Name() string           { return "spot" }
func (spotReclaim) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any spot node in service; nodes with equal records count once.
func (spotReclaim) Step(s state.State, next *actor.Emit) {
	left := s.ReclaimsLeft()
	if left == 0 {
		return
	}
	for n, node := range s.C.Nodes {
		if !s.C.Spec.Classes[node.Class].Spot || !s.InService(n) || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.Set(t.C.Reclaims, left-1)
		t.SetTenure(n, state.Reclaimed)
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

func (spotReclaim) Describe(from, _ state.State, m search.Move) actor.Words {
	name := from.C.Nodes[m.Args[0]].Name
	return actor.Words{
		Action: "spot-reclaim", Object: "Node " + name,
		Text: fmt.Sprintf("the provider reclaims spot node %s: it is cordoned (taint %s), and will be gone soon", name,
			corev1.TaintNodeUnschedulable),
	}
}

func (spotReclaim) Model() *actor.Model {
	return &actor.Model{
		Upstream: "the documentation of AWS, Google Cloud and Azure on spot nodes",
		Exact:    []string{"a notice, then the end of the node"},
		MayInvent: []string{
			"the node may end before any pod is evicted",
		},
		MayHide: []string{
			"the notice cordons the node; further taints are not modeled",
			"nodes are reclaimed one by one, each by a separate event",
		},
	}
}

func (*spotEnd) Name() string           { return "spot-end" }
func (*spotEnd) Latency() actor.Latency { return actor.Kubelet }

// Step implements [actor.Actor]: the end of any reclaimed node, or the start of its replacement.
func (a *spotEnd) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Twin(n) {
			continue
		}
		switch s.Tenure(n) {
		case state.Reclaimed:
			t := next.Copy(s)
			to := state.Replacing
			if a.lost {
				to = state.Absent
			}
			objects.Leave(t, n, to)
			next.Move(search.Move{Kind: spotTerminated, Args: [3]int32{int32(n)}})
		case state.Replacing:
			t := next.Copy(s)
			t.SetTenure(n, state.Staying)
			next.Move(search.Move{Kind: spotReplaced, Args: [3]int32{int32(n)}})
		}
	}
}

func (a *spotEnd) Describe(from, _ state.State, m search.Move) actor.Words {
	n := int(m.Args[0])
	name := from.C.Nodes[n].Name
	if m.Kind == spotReplaced {
		return actor.Words{Action: "node-replaced", Object: "Node " + name,
			Text: "an empty node comes in the place of " + name}
	}
	w := actor.Words{Action: "node-gone", Object: "Node " + name, Text: "node " + name + " is gone"}
	ready := 0
	for p := range from.C.Pods {
		ready += from.ReadyOn(n, p)
	}
	if ready > 0 {
		w.Text += ", and takes " + english.Plural(ready, "ready pod", "") + " with it"
	}
	return w
}

func (a *spotEnd) Model() *actor.Model {
	model := spotReclaim{}.Model()
	if !a.lost {
		model.MayHide = append(model.MayHide, "a replacement of the same pool and zone always comes")
	}
	return model
}
