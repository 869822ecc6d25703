package faults

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// podCrash models the event that a container of a ready pod exits. The pod keeps its
// node and is unready until the kubelet has started the container again.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet: computePodActions, generateAPIPodStatus with
// restartPolicy Always, the only one that a Deployment allows.
type podCrash struct{}

func NewPodCrash(b *state.Builder) ([]actor.Actor, error) {
	if b.Config().Spec.Events.PodCrash <= 0 {
		return nil, nil
	}
	b.AddCrashes()
	return []actor.Actor{podCrash{}}, nil
}

func (podCrash) Traits(*state.Config) actor.Traits {
	return actor.Traits{
		Calm:  true,
		Lumps: actor.AnyLikeness, // any ready pod crashes, wherever it is
		Alone: true, Of: actor.Each,
		Ends: actor.EndsWhen(func(s state.State) bool { return s.CrashesLeft() == 0 }),
	}
}

func (podCrash) Name() string           { return "crash" }
func (podCrash) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any ready pod crashes; nodes with equal records count once.
func (podCrash) Step(s state.State, next *actor.Emit) {
	left := s.CrashesLeft()
	if left == 0 {
		return
	}
	for n := range s.C.Nodes {
		if s.Twin(n) {
			continue
		}
		for p := range s.C.Pods {
			for _, ph := range state.ReadyPhases {
				if s.On(n, p, ph) == 0 {
					continue
				}
				t := next.Copy(s)
				t.Add(n, p, ph, -1)
				t.Add(n, p, state.Starting, 1)
				t.Set(t.C.PodEvents.Crashes, left-1)
				next.Move(search.Move{Args: [3]int32{int32(n), int32(p)}})
			}
		}
	}
}

func (podCrash) Describe(from, _ state.State, m search.Move) actor.Words {
	c, p := from.C, int(m.Args[1])
	return actor.Words{
		Action: "pod-crash", Object: objects.PodObject(c, p),
		Text: objects.OnePod(c, p, "") + " on " + c.Nodes[m.Args[0]].Name +
			" crashes: it is not ready until it has restarted in its place",
	}
}

func (podCrash) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/kubelet: computePodActions, generateAPIPodStatus",
		Exact:    []string{"a crashed pod keeps its node and is restarted"},
		MayHide: []string{
			"no pod crashes while a control loop has work",
			"one pod crashes at a time and restarts; only a bad revision's pods crash repeatedly",
		},
	}
}
