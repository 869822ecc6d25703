package faults

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// pressure models the events that a node runs short of disk or of memory, and that it has enough again. It has no
// upstream: something fills a disk, such as logs or images of other programs. The immediate reactions of the kubelet
// and the node lifecycle controller, conditions and taint, happen in the same step.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/eviction: (*managerImpl).synchronize up to the
// node conditions; pkg/controller/nodelifecycle: nodeConditionToTaintKeyStatusMap,
// doNoScheduleTaintingPass.
//
// Relief is an event, not a step that has to happen: what pods free does not help. It has
// no budget of its own, as only a node under pressure can be relieved.
type pressure struct{}

const (
	pressed uint16 = iota
	relieved
)

func NewPressure(b *state.Builder) ([]actor.Actor, error) {
	if !b.Config().Presses() {
		return nil, nil
	}
	return []actor.Actor{pressure{}}, nil
}

func (pressure) Name() string           { return "pressure" }
func (pressure) Latency() actor.Latency { return actor.Event }

func (pressure) Traits(*state.Config) actor.Traits { return actor.Traits{Calm: true} }

// Step implements [actor.Actor]: any node that is up comes under a pressure that it is not
// under, or is relieved of one; nodes with equal records count once.
func (pressure) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Down(n) || s.Gone(n) || s.Twin(n) {
			continue
		}
		for _, kind := range [...]state.Pressure{state.DiskPressure, state.MemoryPressure} {
			is := s.Pressure(n)
			move := search.Move{Kind: pressed, Args: [3]int32{int32(n), int32(kind)}}
			switch {
			case is&kind != 0:
				move.Kind = relieved
			case s.PressuresLeft(kind) == 0:
				continue
			}
			t := next.Copy(s)
			t.SetPressure(n, is^kind)
			if move.Kind == pressed {
				t.TakePressure(kind)
			}
			next.Move(move)
		}
	}
}

func (pressure) Describe(from, _ state.State, m search.Move) actor.Words {
	name := from.C.Nodes[m.Args[0]].Name
	of, condition, taint := objects.Shortage(state.Pressure(m.Args[1]))
	w := actor.Words{Action: of + "-pressure", Object: "Node " + name}
	w.Text = fmt.Sprintf("node %s runs short of %s: it has the condition %s and the taint %s", name, of, condition, taint)
	if m.Kind == relieved {
		w.Action, w.Text = "pressure-relief", fmt.Sprintf("node %s has enough %s again: its taint %s is gone", name, of,
			taint)
	}
	return w
}

func (pressure) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/kubelet/eviction: synchronize; pkg/controller/nodelifecycle: doNoScheduleTaintingPass",
		Exact: []string{"the taints of a node under disk or memory pressure"},
		MayHide: []string{
			"the seconds between shortage, condition and taint",
			"no node comes under pressure while a control loop has work",
			"pressure comes from outside: pods that fill a disk again and again are missed",
		},
	}
}
