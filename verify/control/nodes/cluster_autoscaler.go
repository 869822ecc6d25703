package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Annotations that the cluster autoscaler reads.
const (
	safeToEvict        = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	safeLocalVolumes   = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
	scaleDownDisabled  = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	scaleDownThreshold = 0.5 // --scale-down-utilization-threshold
)

// Flags of the cluster autoscaler that the model follows.
const (
	FlagScaleDown = "scale-down-enabled"
	FlagThreshold = "scale-down-utilization-threshold"
	FlagLocal     = "skip-nodes-with-local-storage"
	FlagSystem    = "skip-nodes-with-system-pods"
)

// AutoscalerObject is what a [actor.Ref] into the flags of the cluster autoscaler names; its field is a flag.
const AutoscalerObject = "cluster-autoscaler"

// clusterAutoscaler models the cluster autoscaler: one loop of it adds a node for a pod
// that fits no node, or else begins to remove a node whose pods fit elsewhere.
//
// Read from: the documentation of Kubernetes' cluster autoscaler (FAQ.md: How does
// scale-up work?, How does scale-down work?, What types of pods can prevent CA from
// removing a node?), with the flags' defaults. Its code is not compared.
//
// Whether a pod fits is asked of the scheduler's filters in a cluster with the node
// added, or without it: the cluster autoscaler runs the scheduler's own plugins, and
// their filters only. That it decides by a simulation and that the scheduler then places
// by scores, and one pod after the other, is where loops come from.
type clusterAutoscaler struct {
	k         *scheduler.Compiled
	evictions *objects.Evictions
	threshold float64 // share of a node from which on it is used
	held      []bool  // by pod class: the pods keep their node from being removed
	kept      []bool  // by node: it is never removed
}

const (
	scaleUp uint16 = iota
	scaleDown
	scaleBeyond
)

func NewClusterAutoscaler(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	own := func(k state.NodeClass) bool { return k.Autoscaled && k.Karpenter == nil }
	if !c.Autoscales() && !c.Outgrows() || !slices.ContainsFunc(c.Spec.Classes, own) {
		return nil, nil
	}
	k, err := scheduler.Compile(c)
	if err != nil {
		return nil, err
	}
	a := &clusterAutoscaler{k: k, evictions: objects.NewEvictions(c), threshold: scaleDownThreshold}
	if t := c.Spec.Autoscaler.Threshold; t != nil {
		a.threshold = *t
	}
	for p := range c.Pods {
		a.held = append(a.held, a.holds(p))
	}
	for n := range c.Nodes {
		class := &c.Spec.Classes[c.Nodes[n].Class]
		a.kept = append(a.kept,
			!own(*class) || c.Spec.Autoscaler.KeepNodes || class.Node.Annotations[scaleDownDisabled] == "true" ||
				class.Node.Spec.Unschedulable)
	}
	return []actor.Actor{a}, nil
}

// holds reports whether pods of class p keep their node from being removed whatever the
// state is: by annotation, as no controller owns them, as the cluster's own without a budget, or by local storage.
func (a *clusterAutoscaler) holds(p int) bool {
	pod := objects.Admitted(a.k.Cfg, p)
	switch pod.Annotations[safeToEvict] {
	case "true":
		return false
	case "false":
		return true
	}
	if a.k.Cfg.Spec.Workloads[a.k.Cfg.Pods[p].Workload].Kind().Bare() {
		return true
	}
	flags := &a.k.Cfg.Spec.Autoscaler
	if !flags.MovesSystem && a.system(pod, p) {
		return true
	}
	return !flags.MovesLocal && localStorage(pod)
}

// system reports whether a pod of class p is the cluster's own, without a budget.
func (a *clusterAutoscaler) system(pod *corev1.Pod, p int) bool {
	return pod.Namespace == metav1.NamespaceSystem && len(a.evictions.Of[state.Head][p]) == 0
}

// localStorage reports whether a pod has a volume that is lost with its node, and that it does not call safe to lose.
func localStorage(pod *corev1.Pod) bool {
	safe := strings.Split(pod.Annotations[safeLocalVolumes], ",")
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		local := v.HostPath != nil || v.EmptyDir != nil && v.EmptyDir.Medium != corev1.StorageMediumMemory
		return local && !slices.Contains(safe, v.Name)
	})
}

// Traits implements [actor.Declarer]: a pod on deletion counts by what it holds.
func (*clusterAutoscaler) Traits(*state.Config) actor.Traits {
	return actor.Traits{Lumps: actor.Stopping}
}

func (a *clusterAutoscaler) Name() string           { return "cluster-autoscaler" }
func (a *clusterAutoscaler) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: any node that a pod without one fits; where there is none, the
// removal of any node that is not needed, as long as none is under way.
func (a *clusterAutoscaler) Step(s state.State, next *actor.Emit) {
	if !s.IsOutgrown() && !a.grow(s, next) {
		a.shrink(s, next)
	}
}

// grow offers every node that would help a pod without one, and reports whether there is one.
func (a *clusterAutoscaler) grow(s state.State, next *actor.Emit) bool {
	found, beyond := false, false
	for class := range s.C.Spec.Classes {
		if k := &s.C.Spec.Classes[class]; !k.Autoscaled || k.Karpenter != nil || !s.Grows(class) {
			continue
		}
		n := absentOf(s, class)
		for p := range s.C.Pods {
			if s.Pending(p) == 0 || a.placed(s, p, next) {
				continue
			}
			if n < 0 { // none is left in this topology: whether one would help is seen in a larger one
				beyond = beyond || s.C.Topology[class] < s.C.Spec.Classes[class].Max
			} else if a.helps(s, p, n, next) {
				found = true
				t := next.Copy(s)
				t.SetTenure(n, state.Staying)
				next.Move(search.Move{Kind: scaleUp, Args: [3]int32{int32(n), int32(p)}})
				break // which pod asks makes no difference
			}
		}
	}
	if beyond {
		t := next.Copy(s)
		t.Set(t.C.Outgrown, 1)
		next.Move(search.Move{Kind: scaleBeyond})
	}
	return found || beyond
}

// absentOf is a node of a class that is not there, or -1.
func absentOf(s state.State, class int) int {
	for n, end := s.C.NodesOf(class); n < end; n++ {
		if s.Tenure(n) == state.Absent {
			return n
		}
	}
	return -1
}

// placed reports whether a pod of class p fits a node that is there.
func (a *clusterAutoscaler) placed(s state.State, p int, next *actor.Emit) bool {
	v := actor.Own[scheduler.View](next.Scratch)
	v.Load(a.k, s)
	a.k.Filter(v, p)
	return len(v.Feasible) > 0
}

// helps reports whether a pod of class p fits node n once that is there.
func (a *clusterAutoscaler) helps(s state.State, p, n int, next *actor.Emit) bool {
	t := actor.Own[scheduler.View](next.Scratch).Thought.Copy(s)
	t.SetTenure(n, state.Staying)
	v := actor.Own[scheduler.View](next.Scratch)
	v.Load(a.k, t)
	a.k.Filter(v, p)
	return slices.Contains(v.Feasible, n)
}

// shrink offers the removal of every node that is not needed; nodes with equal records
// count once.
func (a *clusterAutoscaler) shrink(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Tenure(n) == state.ScalingDown {
			return
		}
	}
	for n, node := range s.C.Nodes {
		if a.kept[n] || !s.InService(n) || s.Twin(n) || !s.Shrinks(node.Class) || !a.idle(s, n, next) || !a.movable(s, n) {
			continue
		}
		if !a.k.FitElsewhere(s, n, next.Scratch) {
			continue
		}
		out := next.Copy(s)
		out.SetTenure(n, state.ScalingDown)
		next.Move(search.Move{Kind: scaleDown, Args: [3]int32{int32(n)}})
	}
}

// idle reports whether the larger one of the shares of CPU and memory that are requested of
// node n is below the threshold. Of a node whose capacity was invented it is only known
// where it is empty.
func (a *clusterAutoscaler) idle(s state.State, n int, next *actor.Emit) bool {
	v := actor.Own[scheduler.View](next.Scratch)
	v.Load(a.k, s)
	node, dims := &a.k.Nodes[n], len(a.k.Resources)
	if node.Elastic {
		return v.Pods[n] == 0
	}
	for _, d := range [...]int{scheduler.DimCPU, scheduler.DimMemory} {
		total := node.Allocatable[d]
		if total <= 0 || float64(v.Used[n*dims+d])/float64(total) >= a.threshold {
			return false
		}
	}
	return true
}

// movable reports whether no pod on node n keeps it, and budgets let all of them go at once.
func (a *clusterAutoscaler) movable(s state.State, n int) bool {
	for p := range s.C.Pods {
		if s.LiveOn(n, p) == 0 {
			continue
		}
		if a.held[p] {
			return false
		}
		if !a.evictions.Covered(s, p) {
			continue
		}
		together := 0
		for q := range s.C.Pods {
			if a.evictions.Share(s, p, q) {
				together += s.LiveOn(n, q)
			}
		}
		if a.evictions.Room(s, p, together) < together {
			return false
		}
	}
	return true
}

func (a *clusterAutoscaler) Describe(from, _ state.State, m search.Move) actor.Words {
	c := from.C
	if m.Kind == scaleBeyond {
		return actor.Words{Action: "scale-up", Object: "the cluster",
			Text: "the cluster autoscaler wants more nodes than are explored here"}
	}
	n := int(m.Args[0])
	w := actor.Words{Object: "Node " + c.Nodes[n].Name}
	if m.Kind == scaleUp {
		p := int(m.Args[1])
		w.Action = "scale-up"
		w.Text = fmt.Sprintf("the cluster autoscaler adds node %s: a pending %s of %s fits it", c.Nodes[n].Name,
			objects.Revised(c, p, "pod"), objects.PodName(c, p))
		for _, r := range scheduler.WhyPending(from, p) {
			w.Because = actor.AppendNew(w.Because, r.Ref)
		}
		return w
	}
	w.Action = "scale-down"
	w.Text = fmt.Sprintf("the cluster autoscaler begins to remove node %s (taint %s): ",
		c.Nodes[n].Name, scheduler.ToBeDeleted)
	live := 0
	for p := range c.Pods {
		live += from.LiveOn(n, p)
		if from.LiveOn(n, p) > 0 {
			w.Because = actor.AppendNew(w.Because, a.movedBy(c, p)...)
		}
	}
	if live == 0 {
		w.Text += "it is empty"
	} else {
		if c.Spec.Autoscaler.Threshold != nil {
			w.Because = actor.AppendNew(w.Because,
				actor.Ref{Object: AutoscalerObject, Version: state.Head, Field: FlagThreshold})
		}
		w.Text += fmt.Sprintf("less than %.0f%% of it is requested, and its %s would fit other nodes", 100*a.threshold,
			english.Plural(live, "pod", ""))
	}
	return w
}

// movedBy are the flags without which pods of class p would keep their node.
func (a *clusterAutoscaler) movedBy(c *state.Config, p int) []actor.Ref {
	pod := objects.Admitted(c, p)
	if pod.Annotations[safeToEvict] == "true" {
		return nil
	}
	var out []actor.Ref
	for _, x := range []struct {
		moves, keeps bool
		flag         string
	}{
		{c.Spec.Autoscaler.MovesSystem, a.system(pod, p), FlagSystem},
		{c.Spec.Autoscaler.MovesLocal, localStorage(pod), FlagLocal},
	} {
		if x.moves && x.keeps {
			out = append(out, actor.Ref{Object: AutoscalerObject, Version: state.Head, Field: x.flag})
		}
	}
	return out
}

func (a *clusterAutoscaler) Model() *actor.Model {
	return &actor.Model{
		Upstream: "the documentation of Kubernetes' cluster autoscaler (FAQ.md), with the flags' defaults except for --scale-down-enabled, --scale-down-utilization-threshold, --skip-nodes-with-local-storage and --skip-nodes-with-system-pods of a Deployment that is found; its code is not compared",
		Exact: []string{
			"the scheduler's filters decide what fits; utilization is the larger requested share of CPU and memory",
			"safe-to-evict, pods without a controller, local storage, kube-system, PodDisruptionBudgets and scale-down-disabled keep a node",
		},
		MayInvent: []string{
			"nodes come at once, and go as soon as their pods fit elsewhere, without delays",
			"any pool that helps may grow, in any zone, whatever the expander",
			"pods fit elsewhere if any placement does, which upstream's first fit may miss",
			"DaemonSets take no room on a new node and do not count for utilization",
		},
		MayHide: []string{
			"the node to be removed stays in the simulation, empty and tainted (autoscaler pull request 9288, 2026); older releases remove more, and loop with hard spread",
			"one node is removed at a time, none that is cordoned or lost",
			"of more than 5,000 ways to place the pods of a node the rest is not tried: the node stays",
			"failing node groups and their back-off are not modeled; on assumed nodes only empty ones are removed",
			"a node that was removed by hand or reclaimed comes back by its own event only",
		},
	}
}
