package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// pressureEviction models the eviction manager of the kubelets on the pods of one class:
// on a node under pressure it refuses those that start and evicts those that run. Either
// fails: it holds nothing any more, is no replica, and stays in the API server.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/eviction: (*managerImpl).synchronize, evictPod,
// Admit, rankDiskPressureFunc, rankMemoryPressure; pkg/kubelet/types: IsCriticalPod.
type pressureEviction struct {
	class int
	name  string
}

// systemCriticalPriority is scheduling.SystemCriticalPriority: a pod of this priority, or a
// higher one, is critical.
const systemCriticalPriority = 2_000_000_000

func NewPressureEviction(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if !c.Presses() {
		return nil, nil
	}
	var out []actor.Actor
	for p := range c.Pods {
		if !critical(c, p) {
			out = append(out, &pressureEviction{class: p, name: objects.ClassActor(c, "pressureeviction", p)})
		}
	}
	return out, nil
}

// critical is kubelettypes.IsCriticalPod: no kubelet evicts or refuses such a pod for
// pressure.
func critical(c *state.Config, p int) bool {
	priority, known := scheduler.PriorityOf(c.Spec, objects.Admitted(c, p), objects.FirstVersion(c, p))
	return known && priority >= systemCriticalPriority
}

// refusedUnder is the pressure under which the kubelet does not admit a pod of class p.
//
// Upstream: (*managerImpl).Admit: under memory pressure alone it admits all but the pods of
// class BestEffort, and these as well where they tolerate the taint.
func refusedUnder(c *state.Config, p int) state.Pressure {
	if critical(c, p) {
		return 0
	}
	pod := objects.Admitted(c, p)
	tolerates := corev1helpers.TolerationsTolerateTaint(objects.NoLog(), pod.Spec.Tolerations,
		&corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule}, false)
	if tolerates || objects.QualityOfService(pod) != objects.BestEffort {
		return state.DiskPressure
	}
	return state.DiskPressure | state.MemoryPressure
}

// Traits implements [actor.Declarer]: it looks at live pods.
func (*pressureEviction) Traits(*state.Config) actor.Traits {
	return actor.Traits{Lumps: actor.Stopping}
}

func (e *pressureEviction) Name() string           { return e.name }
func (e *pressureEviction) Latency() actor.Latency { return actor.Kubelet }

// Step implements [actor.Actor]: any pod of the class on a node under pressure fails; nodes with
// equal records count once.
func (e *pressureEviction) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Pressure(n) == 0 || s.Down(n) || s.Twin(n) {
			continue
		}
		for _, ph := range state.LivePhases {
			if s.On(n, e.class, ph) == 0 {
				continue
			}
			t := next.Copy(s)
			t.Add(n, e.class, ph, -1)
			t.Fail(e.class)
			next.Move(search.Move{Args: [3]int32{int32(n), int32(ph)}})
		}
	}
}

func (e *pressureEviction) Describe(from, _ state.State, m search.Move) actor.Words {
	c, n := from.C, int(m.Args[0])
	of, _, taint := objects.Shortage(from.Pressure(n))
	phase := state.Phase(m.Args[1]).String()
	w := actor.Words{
		Action: "evict-pod", Object: objects.PodObject(c, e.class),
		Text: fmt.Sprintf("the kubelet on %s evicts %s (%s pressure): it fails and no longer counts as a replica",
			c.Nodes[n].Name, objects.OnePod(c, e.class, phase+" "), of),
	}
	at := actor.Ref{Object: c.Spec.Workloads[c.Pods[e.class].Workload].ID, Version: appliedVersion(from, e.class)}
	switch spec := &objects.Admitted(c, e.class).Spec; {
	case spec.NodeName != "":
		at.Field = "spec.template.spec.nodeName"
		w.Because = []actor.Ref{at}
	case corev1helpers.TolerationsTolerateTaint(objects.NoLog(), spec.Tolerations,
		&corev1.Taint{Key: taint, Effect: corev1.TaintEffectNoSchedule}, false):
		at.Field = "spec.template.spec.tolerations"
		w.Because = []actor.Ref{at}
	}
	return w
}

// appliedVersion is the version whose manifest holds pod class p's template in s.
func appliedVersion(s state.State, p int) state.Version {
	if s.C.Pods[p].InBase && s.VersionOfClass(p) == state.Base {
		return state.Base
	}
	return objects.Version(s.C, p)
}

func (e *pressureEviction) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/kubelet/eviction: synchronize, evictPod, Admit, rankDiskPressureFunc, rankMemoryPressure",
		Exact: []string{
			"critical pods stay, every other one goes, one at a time, while the pressure lasts, without asking a PodDisruptionBudget",
			"the kubelet refuses all but critical pods under disk pressure, and under memory pressure BestEffort ones that do not tolerate its taint",
		},
		MayInvent: []string{
			"pods go in any order, not by usage and priority",
		},
		MayHide: []string{
			"a pod that starts under pressure is not ready before it is evicted",
			"failed pods are gone at once; their pile-up is not counted",
			"no pod is evicted for its own ephemeral-storage limit or an emptyDir's sizeLimit",
		},
	}
}
