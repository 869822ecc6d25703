package nodes

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Kubelet models one step in the life of the pods of one class, on all nodes: they become
// ready, are done with their start-up, become available, or are gone.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet: SyncPod up to the Ready condition, and
// SyncTerminatingPod up to the deletion of the pod; pkg/api/v1/pod: IsPodAvailable, which
// the ReplicaSet controller asks once minReadySeconds are over.
//
// There is one actor a pod class and step, not one a node: exchanging two nodes
// must leave every actor itself. Weak fairness then promises that of the starting (or
// terminating) pods of a class one moves on eventually, wherever it is. That is enough
// unless pods of the class are created forever, as each step takes one from a finite
// stock; in a run that does create them forever, one node's pod may be passed over
// forever, which upstream does not do: said as "may invent".
type Kubelet struct {
	Class int
	name  string
	from  state.Phase
	to    state.Phase // [state.Phases]: the pod is gone
	// refused is the pressure under which nodes do not admit the pods; see [pressureEviction].
	refused state.Pressure
	// lumps says of which other classes, more, pods on deletion are lumped with those of Class, in which states those
	// of Class are lumped with others, and when the node on which a pod starts makes no difference; see [Lumped]. nil:
	// nothing is lumped.
	lumps *state.Lumps
	more  []int
}

func NewKubelet(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for p := range c.Pods {
		refused := state.Pressure(0)
		if c.Presses() {
			refused = refusedUnder(c, p)
		}
		step := func(loop string, from, to state.Phase) {
			out = append(out, &Kubelet{Class: p, name: objects.ClassActor(c, loop, p), from: from, to: to, refused: refused})
		}
		step("kubelet-start", state.Starting, c.FirstReady(p))
		if c.HasPhase(p, state.Terminating) {
			step("kubelet-stop", state.Terminating, state.Phases)
		}
		if c.Warms(p) {
			step("kubelet-warm", state.Warming, c.AfterWarming(p))
		}
		if c.Ripens(p) {
			step("kubelet-available", state.Fresh, state.Ready)
		}
	}
	return out, nil
}

// Traits implements [actor.Declarer]: a pod starts and stops wherever it is, unless it waits for a volume, or its node
// is down or does not admit it. Who stops pods on deletion stops those of both classes; see [Lumped].
func (k *Kubelet) Traits(c *state.Config) actor.Traits {
	w := c.Pods[k.Class].Workload
	free := k.refused == 0 && len(c.Uses[k.Class]) == 0 && c.Spec.Events.NodeFailure <= 0 && !c.Panics()
	return actor.Traits{
		Lumps: func(x actor.Likeness) bool { return x.Kind == actor.StoppingAs || k.Class != x.Class || free },
		Alone: free, Of: w,
		Wakes: &actor.Work{Workload: w, Places: true},
		Ends:  func(bool) (int, func(state.State) bool, bool) { return w, nil, free },
	}
}

// Name implements [actor.Actor].
func (k *Kubelet) Name() string { return k.name }

// Latency implements [actor.Actor].
func (k *Kubelet) Latency() actor.Latency { return actor.Kubelet }

// Step implements [actor.Actor]: one pod moves on, unless it starts in a bad revision or an object that it needs is
// deleted, on any node that has one and is up; nodes with equal records count once.
func (k *Kubelet) Step(s state.State, next *actor.Emit) {
	if k.from == state.Starting && (s.Bad(k.Class) || s.Stranded(k.Class)) {
		return
	}
	if k.lumps == nil || k.from != state.Terminating || !k.lumps.Stops(s, k.Class) {
		k.move(s, k.Class, next)
	}
	for _, p := range k.more {
		if k.lumps.Stops(s, p) {
			k.move(s, p, next)
		}
	}
}

func (k *Kubelet) move(s state.State, p int, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.On(n, p, k.from) == 0 || s.Down(n) || s.Twin(n) || k.waits(s, n) {
			continue
		}
		t := next.Copy(s)
		t.Add(n, p, k.from, -1)
		if k.to != state.Phases {
			t.Add(n, p, k.to, 1)
		}
		next.Move(search.Move{Args: [3]int32{int32(n), int32(p)}})
		if k.from == state.Starting && k.lumps != nil && k.lumps.Starts(s, p) {
			return
		}
	}
}

// Lumped gives some actors with kubelets that know what is lumped: of several that stop pods which are distinguished no
// more, one moves, and the pods of a class start on any node where it makes no difference which.
func Lumped(actors []actor.Actor, l *state.Lumps) []actor.Actor {
	out := slices.Clone(actors)
	at := map[int]*Kubelet{} // by class: who stops its pods
	for i, a := range out {
		k, ok := a.(*Kubelet)
		if !ok || k.from != state.Starting && k.from != state.Terminating {
			continue
		}
		own := *k
		own.lumps, out[i] = l, &own
		if k.from == state.Terminating {
			at[k.Class] = &own
			if p := l.StopsAs(k.Class); p != k.Class {
				at[p].more = append(at[p].more, k.Class)
			}
		}
	}
	return out
}

// waits reports whether the pods that start on node n cannot yet, for want of a volume, or not
// at all, as the node does not admit them.
func (k *Kubelet) waits(s state.State, n int) bool {
	if k.from != state.Starting {
		return false
	}
	return k.refused != 0 && s.Pressure(n)&k.refused != 0 || len(s.C.Uses[k.Class]) > 0 && s.Unattached(n, k.Class)
}

// Describe implements [actor.Actor].
func (k *Kubelet) Describe(from, _ state.State, m search.Move) actor.Words {
	c, class := from.C, int(m.Args[1])
	node := c.Nodes[m.Args[0]].Name
	pod := objects.OnePod(c, class, "")
	w := actor.Words{Action: "start-pod", Object: objects.PodObject(c, class),
		Text: fmt.Sprintf("%s on %s is ready", pod, node)}
	switch k.from {
	case state.Starting:
		if k.to == state.Warming {
			w.Text += fmt.Sprintf(", and uses %d%% of its CPU request while it warms up", c.Spec.Events.StartupSpike)
		}
	case state.Terminating:
		w.Action, w.Text = "stop-pod", fmt.Sprintf("%s on %s has stopped", pod, node)
	case state.Warming:
		w.Action, w.Text = "warm-pod", fmt.Sprintf("%s on %s has warmed up", pod, node)
	case state.Fresh:
		v := objects.Version(c, k.Class)
		if c.Pods[k.Class].InBase && from.VersionOfClass(k.Class) == state.Base {
			v = state.Base
		}
		wl := &c.Spec.Workloads[c.Pods[k.Class].Workload]
		w.Action, w.Text = "pod-available", fmt.Sprintf("%s on %s is available (minReadySeconds %d)",
			pod, node, wl.Manifests[v].MinReadySeconds())
		w.Because = []actor.Ref{{Object: wl.ID, Version: v, Field: "spec.minReadySeconds"}}
	}
	return w
}

// Model implements [actor.Actor].
func (k *Kubelet) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/kubelet: SyncPod, SyncTerminatingPod",
		Exact:    []string{"a terminating pod keeps its place until it is gone; a pod starts once its volumes are attached"},
		MayInvent: []string{
			"pods start and stop in any order, however long they take",
			"a pod whose minReadySeconds an apply removes still waits for them",
			"of pods that start on several nodes, one may be passed over forever while others are created",
		},
		MayHide: []string{
			"every pod that starts gets ready and stays so, except in a crash or a bad revision",
			"pods crash only where something removes pods regardless of readiness (spot, or drain, descheduler, cluster autoscaler without a budget), or minReady is set",
			"a pod is done with its start-up CPU before it is available",
			"a starting pod has one phase, whether its containers run or not",
			"base's pods that miss a deleted ConfigMap or Secret are followed only where a revision may turn out bad",
		},
	}
}
