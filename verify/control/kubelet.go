package control

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// kubelet models the start, or the stop, of the pods of one class, on all nodes.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet: SyncPod up to the Ready condition, and
// SyncTerminatingPod up to the deletion of the pod.
//
// There is one actor a pod class and direction, not one a node: exchanging two nodes
// must leave every actor itself. Weak fairness then promises that of the starting (or
// terminating) pods of a class one moves on eventually, wherever it is. That is enough
// unless pods of the class are created forever, as each step takes one from a finite
// stock; in a run that does create them forever, one node's pod may be passed over
// forever, which upstream does not do: said as "may invent".
type kubelet struct {
	class int
	name  string
	from  state.Phase // Starting or Terminating
}

func newKubelet(b *state.Builder) ([]Actor, error) {
	var out []Actor
	for p := range b.Config().Pods {
		out = append(out,
			&kubelet{class: p, name: classActor(b.Config(), "kubelet-start", p), from: state.Starting},
			&kubelet{class: p, name: classActor(b.Config(), "kubelet-stop", p), from: state.Terminating})
	}
	return out, nil
}

// Name implements [Actor].
func (k *kubelet) Name() string { return k.name }

// Latency implements [Actor].
func (k *kubelet) Latency() Latency { return Kubelet }

// Step implements [Actor]: one pod moves on, on any node that has one and is up; nodes with equal
// records count once.
func (k *kubelet) Step(s state.State, next *Emit) {
	for n := range s.C.Nodes {
		if s.On(n, k.class, k.from) == 0 || s.Down(n) || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.Add(n, k.class, k.from, -1)
		if k.from == state.Starting {
			t.Add(n, k.class, state.Ready, 1)
		}
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

// Describe implements [Actor].
func (k *kubelet) Describe(from, _ state.State, m search.Move) Words {
	c := from.C
	node := c.Nodes[m.Args[0]].Name
	pod := article(revised(c, k.class, "pod")) + " of " + shortName(&c.Spec.Workloads[c.Pods[k.class].Workload])
	w := Words{Action: "start-pod", Object: podObject(c, k.class), Text: fmt.Sprintf("%s on %s is ready", pod, node)}
	if k.from == state.Terminating {
		w.Action, w.Text = "stop-pod", fmt.Sprintf("%s on %s has stopped", pod, node)
	}
	return w
}

// Model implements [Actor].
func (k *kubelet) Model() *Model {
	return &Model{
		Upstream: upstream + ", pkg/kubelet: SyncPod, SyncTerminatingPod",
		Exact:    []string{"a terminating pod keeps its place until it is gone"},
		MayInvent: []string{
			"pods start and stop in any order, however long they take",
			"of pods that start on several nodes, one may be passed over forever while others of its class are created forever",
		},
		MayHide: []string{
			"every pod that starts gets ready and stays so: crashes, failing probes and pulls are events of their own",
			"a starting pod has one phase: whether its containers run already is not told apart",
		},
	}
}
