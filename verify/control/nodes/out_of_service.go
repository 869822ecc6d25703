package nodes

import (
	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// outOfService models what becomes of the pods of a lost node where somebody deletes the
// Node object, or taints it out-of-service, whenever a node is lost: they are taken away
// without their kubelet.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podgc: gcTerminating, gcOrphaned.
type outOfService struct{}

func NewOutOfService(b *state.Builder) ([]actor.Actor, error) {
	if e := &b.Config().Spec.Events; !e.OutOfService || e.NodeFailure <= 0 {
		return nil, nil
	}
	return []actor.Actor{outOfService{}}, nil
}

// Traits implements [actor.Declarer]: it takes all pods away.
func (outOfService) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (outOfService) Name() string           { return "podgc" }
func (outOfService) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: the pods of any lost node are gone; nodes with equal records
// count once.
func (outOfService) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Outage(n) != state.Lost || s.Twin(n) || podsOn(s, n) == 0 {
			continue
		}
		t := next.Copy(s)
		for p := range t.C.Pods {
			for ph := range state.Phases {
				t.Add(n, p, ph, -t.On(n, p, ph))
			}
		}
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

// podsOn is the number of pods on node n, those on deletion included.
func podsOn(s state.State, n int) int {
	total := 0
	for p := range s.C.Pods {
		total += s.LiveOn(n, p) + s.On(n, p, state.Terminating)
	}
	return total
}

func (outOfService) Describe(from, _ state.State, m search.Move) actor.Words {
	n := int(m.Args[0])
	name := from.C.Nodes[n].Name
	return actor.Words{
		Action: "remove-pods", Object: "Node " + name,
		Text: "node " + name + " is out of service: " + english.Plural(podsOn(from, n), "pod", "") +
			" on it removed without its kubelet",
	}
}

func (outOfService) Model() *actor.Model {
	return &actor.Model{
		Upstream:  objects.Upstream + ", pkg/controller/podgc: gcTerminating, gcOrphaned",
		Exact:     []string{"the pods of a deleted or out-of-service node go without their kubelet"},
		MayInvent: []string{"a node that comes back after its pods were taken away is as it was"},
	}
}
