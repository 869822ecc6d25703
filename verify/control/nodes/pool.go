package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// nodePool models the events that a person, or the provider, scales a pool: a node is
// added, or one begins to be removed. It has no upstream: the environment.
type nodePool struct {
	autoscaled bool // the cluster autoscaler runs, and sizes its pools itself
}

const (
	nodeAdded uint16 = iota
	nodeRemoved
	nodeExpired
)

// nodeExit models the removal of a node: first its pods leave, then the node.
//
// Upstream: k8s.io/kubectl v0.36.3, pkg/drain, as [drain] has it; the answers are those of [objects.Evictions].
// Providers and the cluster autoscaler ask the eviction API in the same way.
type nodeExit struct {
	objects.Clearing
	held []bool // by pod class: do-not-disrupt
}

// Moves of [nodeExit] beside [objects.EvictPod].
const (
	exitGone = objects.EvictPod + 1 + iota
	exitGivenUp
	exitForced
)

func NewNodePool(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if !c.NodesComeAndGo() {
		return nil, nil
	}
	for p := range c.Pods {
		if c.Pods[p].Template.Spec.NodeName != "" {
			wl := &c.Spec.Workloads[c.Pods[p].Workload]
			return nil, fmt.Errorf("%s: %s: a pod that is bound to a node while nodes come and go: %w",
				wl.ID, wl.Kind().Own("spec.template.spec.nodeName"), actor.ErrUnmodeled)
		}
	}
	var out []actor.Actor
	e := &c.Spec.Events
	if e.NodeAdded > 0 || e.NodeRemoved > 0 {
		out = append(out, &nodePool{autoscaled: c.Spec.ClusterAutoscaler})
	}
	if e.NodeRemoved == 0 && !c.Reclaimable() && !c.Autoscales() {
		return out, nil
	}
	exit := &nodeExit{Clearing: objects.Clearing{Evictions: objects.NewEvictions(c), Force: e.IgnorePDB}}
	for p := range c.Pods {
		exit.held = append(exit.held, c.Pods[p].Template.Annotations[doNotDisrupt] == "true")
	}
	return append(out, exit), nil
}

// Traits implements [actor.Declarer]: it looks at no pods.
func (*nodePool) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (a *nodePool) Name() string           { return "node-pool" }
func (a *nodePool) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: a node comes to any pool that may grow, or goes from any that
// may shrink, as long as another one is in service; nodes with equal records count once.
func (a *nodePool) Step(s state.State, next *actor.Emit) {
	serving := 0
	for n := range s.C.Nodes {
		if s.InService(n) {
			serving++
		}
	}
	for n, node := range s.C.Nodes {
		if s.Twin(n) {
			continue
		}
		if class := &s.C.Spec.Classes[node.Class]; a.autoscaled && class.Autoscaled {
			if class.Karpenter != nil && class.Karpenter.Expires {
				a.expire(s, n, next)
			}
			continue
		}
		switch {
		case s.Tenure(n) == state.Absent && s.AdditionsLeft() > 0 && s.Grows(node.Class):
			t := next.Copy(s)
			t.Set(t.C.Additions, s.AdditionsLeft()-1)
			t.SetTenure(n, state.Staying)
			next.Move(search.Move{Kind: nodeAdded, Args: [3]int32{int32(n)}})
		case s.InService(n) && serving > 1 && s.RemovalsLeft() > 0 && s.Shrinks(node.Class):
			t := next.Copy(s)
			t.Set(t.C.Removals, s.RemovalsLeft()-1)
			t.SetTenure(n, state.Removing)
			next.Move(search.Move{Kind: nodeRemoved, Args: [3]int32{int32(n)}})
		}
	}
}

// expire lets a node of Karpenter reach the end of its expireAfter, whether another one is
// in service or not.
func (a *nodePool) expire(s state.State, n int, next *actor.Emit) {
	if !s.InService(n) || s.RemovalsLeft() == 0 {
		return
	}
	t := next.Copy(s)
	t.Set(t.C.Removals, s.RemovalsLeft()-1)
	t.SetTenure(n, state.Removing)
	next.Move(search.Move{Kind: nodeExpired, Args: [3]int32{int32(n)}})
}

func (a *nodePool) Describe(from, _ state.State, m search.Move) actor.Words {
	name := from.C.Nodes[m.Args[0]].Name
	if m.Kind == nodeAdded {
		return actor.Words{Action: "node-added", Object: "Node " + name, Text: "node " + name + " is added: it is empty"}
	}
	if m.Kind == nodeExpired {
		pool := from.C.Spec.Classes[from.C.Nodes[m.Args[0]].Class].Karpenter.NodePool
		return actor.Words{
			Action: "node-removed", Object: "Node " + name,
			Text:    fmt.Sprintf("node %s expires: Karpenter taints it (%s) and drains it", name, scheduler.KarpenterDisrupted),
			Because: []actor.Ref{{Object: KarpenterObject(pool), Version: state.Head, Field: "spec.template.spec.expireAfter"}},
		}
	}
	return actor.Words{
		Action: "node-removed", Object: "Node " + name,
		Text: fmt.Sprintf("the removal of node %s starts: it is cordoned (taint %s)", name, corev1.TaintNodeUnschedulable),
	}
}

func (a *nodePool) Model() *actor.Model {
	return &actor.Model{
		Upstream:  "none: the environment",
		Exact:     []string{"a pool stays within its count; the last node in service stays"},
		MayInvent: []string{"any nodes may be there at first, as many as may still be added"},
		MayHide: []string{
			"a node is drained before it is removed, however long it takes",
			"the score of image locality counts nodes that are not there",
		},
	}
}

// Traits implements [actor.Declarer]: it waits for all pods on deletion.
func (*nodeExit) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (a *nodeExit) Name() string           { return "node-exit" }
func (a *nodeExit) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: the eviction of any pod that the API server lets go, the end
// of a node without pods, or of the attempt of the cluster autoscaler.
func (a *nodeExit) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		tenure := s.Tenure(n)
		if tenure != state.Removing && tenure != state.Reclaimed && tenure != state.ScalingDown || s.Twin(n) {
			continue
		}
		pool := s.C.Spec.Classes[s.C.Nodes[n].Class].Karpenter
		var empty, refused bool
		if pool == nil {
			empty, refused = a.Offer(s, n, next)
		} else {
			empty = a.terminate(s, n, pool, next)
		}
		if empty && tenure != state.Reclaimed {
			t := next.Copy(s)
			objects.Leave(t, n, state.Absent)
			next.Move(search.Move{Kind: exitGone, Args: [3]int32{int32(n)}})
		}
		if refused && tenure == state.ScalingDown {
			t := next.Copy(s)
			t.SetTenure(n, state.Staying)
			next.Move(search.Move{Kind: exitGivenUp, Args: [3]int32{int32(n)}})
		}
	}
}

// terminate empties a node of Karpenter: a pod with do-not-disrupt is not evicted, and
// whatever may not be evicted is deleted at the end of a terminationGracePeriod.
//
// Upstream: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/node/termination/terminator:
// (*Terminator).Drain, DeleteExpiringPods.
func (a *nodeExit) terminate(s state.State, n int, pool *state.Karpenter, next *actor.Emit) (empty bool) {
	empty = true
	for p := range s.C.Pods {
		empty = empty && s.On(n, p, state.Terminating) == 0
		for _, ph := range state.LivePhases {
			if s.On(n, p, ph) == 0 {
				continue
			}
			empty = false
			refused := a.held[p] || !a.Force && a.Evictions.Ask(s, p, ph) == objects.EvictionRefused
			if refused && pool.Patient {
				continue
			}
			kind, take := objects.EvictPod, objects.Disrupt
			if refused {
				kind, take = exitForced, objects.Evict
			}
			t := next.Copy(s)
			take(t, n, p, ph)
			next.Move(search.Move{Kind: kind, Args: [3]int32{int32(n), int32(p), int32(ph)}})
		}
	}
	return empty
}

// heldFromKarpenter words why Karpenter does not evict pods of class p from node n, which
// it drains; "" where that is for the API server to say.
func heldFromKarpenter(s state.State, p, n int) (text string, refs []actor.Ref) {
	pool := s.C.Spec.Classes[s.C.Nodes[n].Class].Karpenter
	if pool == nil || !pool.Patient || s.Tenure(n) != state.Removing ||
		s.C.Pods[p].Template.Annotations[doNotDisrupt] != "true" {
		return "", nil
	}
	return "the pod has the annotation " + doNotDisrupt + ", and its NodePool no terminationGracePeriod", []actor.Ref{
		{Object: s.C.Spec.Workloads[s.C.Pods[p].Workload].ID, Version: objects.FirstVersion(s.C, p),
			Field: "spec.template.metadata.annotations[" + doNotDisrupt + "]"},
		{Object: KarpenterObject(pool.NodePool), Version: state.Head, Field: "spec.template.spec"},
	}
}

func (a *nodeExit) Describe(from, _ state.State, m search.Move) actor.Words {
	c, n := from.C, int(m.Args[0])
	node := c.Nodes[n].Name
	switch m.Kind {
	case exitGone:
		return actor.Words{Action: "node-gone", Object: "Node " + node, Text: "node " + node + " is empty, and is removed"}
	case exitGivenUp:
		return actor.Words{Action: "scale-down-failed", Object: "Node " + node,
			Text: "the cluster autoscaler gives up removing node " + node + ": an eviction is refused"}
	}
	p, who := int(m.Args[1]), "the removal"
	switch from.Tenure(n) {
	case state.ScalingDown:
		who = "the cluster autoscaler"
	case state.Reclaimed:
		who = "the termination handler"
	}
	phase := state.Phase(m.Args[2]).String()
	if pool := c.Spec.Classes[c.Nodes[n].Class].Karpenter; pool != nil {
		who = "Karpenter"
		if m.Kind == exitForced {
			return actor.Words{
				Action: "delete-pod", Object: objects.PodObject(c, p),
				Text: fmt.Sprintf("Karpenter deletes %s on %s: the terminationGracePeriod is over",
					objects.OnePod(c, p, phase+" "), node),
				Because: []actor.Ref{{Object: KarpenterObject(pool.NodePool), Version: state.Head,
					Field: "spec.template.spec.terminationGracePeriod"}},
			}
		}
	}
	return actor.Words{
		Action: "evict-pod", Object: objects.PodObject(c, p),
		Text: fmt.Sprintf("%s evicts %s on %s%s", who, objects.OnePod(c, p, phase+" "), node, a.Evictions.Bare(from, p)),
	}
}

func (a *nodeExit) Model() *actor.Model {
	return &actor.Model{
		Upstream: "k8s.io/kubectl v0.36.3, pkg/drain: evictPods, waitForDelete; " + objects.Upstream +
			", pkg/registry/core/pod/storage: (*EvictionREST).Create",
		Exact: []string{"which evictions the API server grants; refused ones are retried"},
		MayInvent: []string{
			"pods that arrive during the drain are evicted, too",
			"the cluster autoscaler may give up after one refused eviction, not only after two minutes",
		},
		MayHide: []string{"a drain has no timeout, except for that of the cluster autoscaler"},
	}
}
