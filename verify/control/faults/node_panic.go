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

// nodePanic models a node whose pods use more CPU than it has: it goes down, and comes
// back. It has no upstream: an operating system fails. What the node lifecycle controller
// makes of it is that of a lost node; see [nodeFailure].
//
// Pods use what they request, and more while they start up where the policy says so: requests
// that add up to more than a node stands take it down as well.
type nodePanic struct {
	use  []cpuUse // by pod class
	most []int64  // CPU use above which a node goes down, by node, in hundredths of a millicore; 0: it never does
}

// cpuUse is the CPU of one ready pod, in millicores: while it starts up, and then.
type cpuUse struct{ startup, then int64 }

func NewNodePanic(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if !c.Panics() {
		return nil, nil
	}
	a := &nodePanic{}
	for p := range c.Pods {
		spec := &c.Pods[p].Template.Spec
		request, _ := objects.PodRequest(spec, corev1.ResourceCPU, "")
		limit := objects.PodLimit(spec, corev1.ResourceCPU, "")
		a.use = append(a.use, cpuUse{
			startup: min(max(request*int64(c.Spec.Events.StartupSpike)/100, request), limit),
			then:    min(request, limit),
		})
	}
	for n := range c.Nodes {
		class := &c.Spec.Classes[c.Nodes[n].Class]
		most := class.Node.Status.Allocatable.Cpu().MilliValue() * int64(c.Spec.Events.NodePanic)
		if class.Elastic { // nothing may rest on capacity that was invented
			most = 0
		}
		a.most = append(a.most, most)
	}
	return []actor.Actor{a, &nodeRestart{nodePanic: a}}, nil
}

// onNode is the CPU that the pods on a node use, in millicores.
func (a *nodePanic) onNode(s state.State, n int) (use int64) {
	for p := range s.C.Pods {
		u := &a.use[p]
		warming := s.On(n, p, state.Warming)
		use += int64(warming)*u.startup + int64(s.ReadyOn(n, p)-warming)*u.then
	}
	return use
}

// Traits implements [actor.Declarer]: the use of ready pods takes a node down.
func (*nodePanic) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (a *nodePanic) Name() string { return "panic" }

// Latency implements [actor.Actor]: the system does not wait for anybody.
func (a *nodePanic) Latency() actor.Latency { return actor.Sync }

// Step implements [actor.Actor]: any node whose pods use too much goes down; nodes with equal
// records count once.
func (a *nodePanic) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if a.most[n] == 0 || s.Down(n) || s.Twin(n) {
			continue
		}
		if a.onNode(s, n)*100 <= a.most[n] {
			continue
		}
		t := next.Copy(s)
		takeDown(t, n, state.Panicked)
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

func (a *nodePanic) Describe(from, _ state.State, m search.Move) actor.Words {
	c, n := from.C, int(m.Args[0])
	use := a.onNode(from, n)
	has := c.Spec.Classes[c.Nodes[n].Class].Node.Status.Allocatable.Cpu().MilliValue()
	w := actor.Words{Action: "node-panic", Object: "Node " + c.Nodes[n].Name}
	ready := 0
	for p := range c.Pods {
		k := from.ReadyOn(n, p)
		if ready += k; k == 0 {
			continue
		}
		v := objects.Version(c, p)
		if c.Pods[p].InBase && from.VersionOfClass(p) == state.Base {
			v = state.Base
		}
		w.Because = append(w.Because, actor.Ref{
			Object: c.Spec.Workloads[c.Pods[p].Workload].ID, Version: v,
			Field: objects.MetricRequestField(&c.Pods[p].Template.Spec, "", corev1.ResourceCPU),
		})
	}
	w.Text = fmt.Sprintf("node %s goes down under its pods: they use %dm of %dm CPU, more than %d%%, and %s on it are no longer ready",
		c.Nodes[n].Name, use, has, c.Spec.Events.NodePanic, english.Plural(ready, "pod", ""))
	return w
}

func (a *nodePanic) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/nodelifecycle: monitorNodeHealth, processTaintBaseEviction, handleDisruption",
		Exact: []string{"its pods stay bound, unready, and start again with the node, unless evicted"},
		MayInvent: []string{
			"a node may be down for any time",
			"pods that are ready at once may all be starting up",
		},
		MayHide: []string{
			"a pod uses its start-up CPU once it is ready, then what it requests",
			"allocatable leaves room for everything else that runs on a node",
		},
	}
}

// nodeRestart brings back the nodes that [nodePanic] took down.
type nodeRestart struct{ *nodePanic }

func (nodeRestart) Name() string           { return "panic-over" }
func (nodeRestart) Latency() actor.Latency { return actor.Kubelet }

// Step implements [actor.Actor]: any node that went down is back, without the pods that were
// deleted meanwhile, as their containers ended with it; nodes with equal records count
// once.
func (nodeRestart) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Outage(n) != state.Panicked || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.SetOutage(n, state.Up)
		for p := range s.C.Pods {
			t.Add(n, p, state.Terminating, -s.On(n, p, state.Terminating))
		}
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

func (nodeRestart) Describe(from, _ state.State, m search.Move) actor.Words {
	name := from.C.Nodes[m.Args[0]].Name
	return actor.Words{Action: "node-restart", Object: "Node " + name,
		Text: "node " + name + " has restarted: its taint node.kubernetes.io/unreachable is gone"}
}
