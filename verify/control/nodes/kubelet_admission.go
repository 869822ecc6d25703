package nodes

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// admission models the kubelet's admission of the pods of one class whose node is named
// in spec.nodeName: no scheduler has looked whether they fit. It is there where they might
// not; elsewhere the ReplicaSet's pods start at once.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/lifecycle: (*predicateAdmitHandler).Admit,
// generalFilter; pkg/scheduler/framework/plugins: noderesources.Fits, nodeports.Fits.
type admission struct {
	class, node int
	name        string
	k           *scheduler.Compiled
	clash       []bool         // pod classes whose host ports clash with this one's
	refused     state.Pressure // under which the node admits none
}

// AdmissionOf is the admission that the pods of class p on node n have to pass, or nil
// where nothing can refuse them.
func AdmissionOf(c *state.Config, p, n int) (*admission, error) {
	k, err := scheduler.Compile(c)
	if err != nil {
		return nil, err
	}
	a := &admission{class: p, node: n, name: objects.ClassActor(c, "admission", p), k: k}
	tight := false
	if c.Presses() {
		a.refused = refusedUnder(c, p)
		tight = tight || a.refused != 0
	}
	used := make([]int64, len(k.Resources))
	for q := range k.Classes {
		a.clash = append(a.clash,
			scheduler.PortsClash(scheduler.HostPorts(k.Classes[p].Pod), scheduler.HostPorts(k.Classes[q].Pod)))
		tight = tight || a.clash[q]
		for d, r := range k.Classes[q].Request {
			used[d] += int64(c.MaxPods) * r
		}
	}
	tight = tight || k.Tight(n, len(k.Classes)*c.MaxPods, used)
	if !tight {
		return nil, nil
	}
	return a, nil
}

// fitting is how many more pods of the class fit its node, of so many that ask.
func (a *admission) fitting(v *scheduler.View, s state.State, asking int) int {
	if a.presses(s) {
		return 0
	}
	v.Load(a.k, s)
	most := int64(min(asking, a.k.Slots(v, a.class, a.node)))
	for q, clash := range a.clash {
		if clash && v.CountAll(a.node, []int{q}) > 0 {
			return 0
		}
	}
	if a.clash[a.class] {
		most = min(most, 1)
	}
	for d, r := range a.k.Classes[a.class].Request {
		if r > 0 && !a.k.Nodes[a.node].Elastic {
			most = min(most, max(a.k.Room(v, a.class, a.node, d), 0)/r)
		}
	}
	return int(max(most, 0))
}

// presses reports whether the node refuses every pod of the class for want of disk or memory.
func (a *admission) presses(s state.State) bool {
	is := s.Pressure(a.node)
	return is&a.refused != 0
}

func (a *admission) Name() string { return a.name }

// Latency implements [actor.Actor]: such a pod is bound when it is created, and the scheduler counts it from then on.
// The first pod to be bound has the room, long before the kubelet looks.
func (a *admission) Latency() actor.Latency { return actor.Sync }

// Step implements [actor.Actor]: the kubelet admits the pods that fit. Those that do not fail,
// and others are created in their place at once: the pods of this state, which is no step.
func (a *admission) Step(s state.State, next *actor.Emit) {
	asking := s.Pending(a.class)
	if asking == 0 || s.Down(a.node) {
		return
	}
	fit := a.fitting(actor.Own[scheduler.View](next.Scratch), s, asking)
	if fit == 0 {
		return
	}
	t := next.Copy(s)
	t.Set(s.C.Class[a.class].Pending, asking-fit)
	t.Add(a.node, a.class, state.Starting, fit)
	next.Move(search.Move{Args: [3]int32{int32(fit)}})
}

func (a *admission) Describe(from, _ state.State, m search.Move) actor.Words {
	c := from.C
	return actor.Words{
		Action: "admit-pod", Object: objects.PodObject(c, a.class),
		Text: fmt.Sprintf("the kubelet on %s admits %s of %s", c.Nodes[a.node].Name,
			english.Plural(int(m.Args[0]), objects.Revised(c, a.class, "pod"), ""),
			objects.ShortName(&c.Spec.Workloads[c.Pods[a.class].Workload])),
		Because: a.refs(from)[:1],
	}
}

// refs are the fields that a refusal rests on.
func (a *admission) refs(s state.State) []actor.Ref {
	v := appliedVersion(s, a.class)
	id := s.C.Spec.Workloads[s.C.Pods[a.class].Workload].ID
	return []actor.Ref{
		{Object: id, Version: v, Field: "spec.template.spec.nodeName"},
		{Object: id, Version: v, Field: objects.MetricRequestField(&s.C.Pods[a.class].Template.Spec, "", corev1.ResourceCPU)},
	}
}

// AdmissionRefusal says why the kubelet refuses the pods of class p that name their node
// and wait for it in s; "" where it does not.
func AdmissionRefusal(s state.State, p int) (text string, refs []actor.Ref) {
	n, err := scheduler.FixedNode(s.C, p)
	if err != nil || n < 0 || s.Pending(p) == 0 || s.Down(n) {
		return "", nil
	}
	a, err := AdmissionOf(s.C, p, n)
	if err != nil || a == nil || a.fitting(&scheduler.View{}, s, 1) > 0 {
		return "", nil
	}
	why, refs := "for which there is no room", a.refs(s)
	if a.presses(s) {
		of, _, _ := objects.Shortage(s.Pressure(n))
		why, refs = "as it is under "+of+" pressure", refs[:1]
	}
	return fmt.Sprintf("the kubelet on %s refuses %s of %s, %s: the pod fails, the ReplicaSet creates another one, and so on forever",
		s.C.Nodes[n].Name, objects.Article(objects.Revised(s.C, p,
			"pod")), objects.ShortName(&s.C.Spec.Workloads[s.C.Pods[p].Workload]), why), refs
}

func (a *admission) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/kubelet/lifecycle: predicateAdmitHandler.Admit, generalFilter",
		Exact: []string{"a pod without room or host port on the node it names fails, and its ReplicaSet creates another until one is admitted",
			"a pod whose node is under pressure fails likewise",
			"it holds its room from the moment it is created"},
		MayHide: []string{
			"a critical pod preempts nothing on its node",
			"a node that is down refuses no pod",
			"failed pods are not counted",
		},
	}
}
