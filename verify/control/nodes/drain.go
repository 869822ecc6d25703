package nodes

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// maintenance models the event that the drain of a node starts: the node is cordoned. An
// upgrade takes every node at most once, so many at a time.
type maintenance struct {
	atOnce int
	usable []bool // by node: it was not cordoned by its own manifest
	// firsts are the pod classes of first revisions that may be bad: where there are some, a node is drained that has
	// pods of a bad one, as only that is asked.
	firsts []int
}

// drain models kubectl drain on the nodes under maintenance: their pods are evicted one
// by one, a refused eviction is asked for again, and an empty node is back in service.
//
// Upstream: k8s.io/kubectl v0.36.3, pkg/drain: RunCordonOrUncordon, GetPodsForDeletion, unreplicatedFilter,
// evictPods, deletePods, waitForDelete; the answers are those of [objects.Evictions].
type drain struct {
	objects.Clearing
	bare []int // pod classes without a controller, that the drain refuses to evict; see [state.Events]
}

// drainDone is the end of a drain; its other moves are [objects.EvictPod].
const drainDone = objects.EvictPod + 1

func NewDrain(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	e := &c.Spec.Events
	if e.Drain <= 0 {
		return nil, nil
	}
	m := &maintenance{atOnce: max(e.DrainConcurrency, 1)}
	for _, n := range c.Nodes {
		m.usable = append(m.usable, !c.Spec.Classes[n.Class].Node.Spec.Unschedulable)
	}
	for p := range c.Pods {
		if c.Spec.Workloads[c.Pods[p].Workload].First {
			m.firsts = append(m.firsts, p)
		}
	}
	evict := objects.Clearing{Evictions: objects.NewEvictions(c), Force: e.IgnorePDB}
	return []actor.Actor{m, &drain{evict, bareClasses(c)}}, nil
}

// bareClasses are the pod classes that keep a drain from a node; none where it is forced.
//
// Upstream: (*Helper).unreplicatedFilter, GetPodsForDeletion: one such pod, and the drain evicts nothing.
func bareClasses(c *state.Config) []int {
	var out []int
	for p := range c.Pods {
		if c.Spec.Events.KeepsBare && c.Spec.Workloads[c.Pods[p].Workload].Kind().Bare() {
			out = append(out, p)
		}
	}
	return out
}

// keptBy is a pod class of some that keeps the drain from node n; -1: none does.
func keptBy(s state.State, n int, bare []int) int {
	for _, p := range bare {
		if s.LiveOn(n, p) > 0 {
			return p
		}
	}
	return -1
}

// Traits implements [actor.Declarer]: it looks at no pods.
func (*maintenance) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (m *maintenance) Name() string           { return "maintenance" }
func (m *maintenance) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any node that was not maintained yet, as long as another one
// is in service, or an autoscaler makes one; nodes with equal records count once.
func (m *maintenance) Step(s state.State, next *actor.Emit) {
	left, busy, others := s.DrainsLeft(), 0, -1
	for n := range s.C.Nodes {
		switch {
		case s.Maintenance(n) == state.Draining:
			busy++
		case m.usable[n] && s.InService(n):
			others++
		}
	}
	if left == 0 || busy >= m.atOnce || others < 1 && !replaced(s) && !s.C.Spec.Events.LastNode {
		return
	}
	for n := range s.C.Nodes {
		if s.Maintenance(n) != state.Untouched || !m.usable[n] || !s.InService(n) || s.Twin(n) {
			continue
		}
		if len(m.firsts) > 0 && !slices.ContainsFunc(m.firsts, func(p int) bool {
			return s.Bad(p) && s.On(n, p, state.Starting) > 0
		}) {
			continue
		}
		t := next.Copy(s)
		t.Set(t.C.Drains, left-1)
		t.SetMaintenance(n, state.Draining)
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

// replaced reports whether an autoscaler may make a node for the pods of the last one.
func replaced(s state.State) bool {
	if !s.C.Spec.ClusterAutoscaler {
		return false
	}
	for class, n := range s.C.Topology {
		if n > 0 && s.C.Spec.Classes[class].Autoscaled && s.Grows(class) {
			return true
		}
	}
	return false
}

func (m *maintenance) Describe(from, _ state.State, mv search.Move) actor.Words {
	name := from.C.Nodes[mv.Args[0]].Name
	return actor.Words{
		Action: "drain", Object: "Node " + name,
		Text: fmt.Sprintf("the drain of node %s starts: it is cordoned (taint %s)", name, corev1.TaintNodeUnschedulable),
	}
}

func (m *maintenance) Model() *actor.Model {
	return &actor.Model{
		Upstream: "none: the environment",
		MayHide: []string{
			"each node is maintained at most once, in no time",
			"cordoned and lost nodes, and the last one in service where no autoscaler may make another, are not drained",
		},
	}
}

// Traits implements [actor.Declarer]: it waits for all pods on deletion.
func (*drain) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (d *drain) Name() string           { return "drain" }
func (d *drain) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: the eviction of any pod that the API server lets go, or the
// end of the drain of a node without pods.
func (d *drain) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		if s.Maintenance(n) != state.Draining || s.Tenure(n) != state.Staying || s.Twin(n) || keptBy(s, n, d.bare) >= 0 {
			continue
		}
		empty, _ := d.Offer(s, n, next)
		if empty {
			t := next.Copy(s)
			t.SetMaintenance(n, state.Maintained)
			next.Move(search.Move{Kind: drainDone, Args: [3]int32{int32(n)}})
		}
	}
}

func (d *drain) Describe(from, _ state.State, m search.Move) actor.Words {
	c := from.C
	node := c.Nodes[m.Args[0]].Name
	if m.Kind == drainDone {
		return actor.Words{
			Action: "uncordon", Object: "Node " + node,
			Text: "node " + node + " is empty and back in service after its maintenance",
		}
	}
	p := int(m.Args[1])
	verb, bare := "evicts", d.Evictions.Bare(from, p)
	if d.Force {
		verb, bare = "deletes", ""
	}
	phase := state.Phase(m.Args[2]).String()
	return actor.Words{
		Action: "evict-pod", Object: objects.PodObject(c, p),
		Text: fmt.Sprintf("the drain %s %s on %s%s", verb, objects.OnePod(c, p, phase+" "), node, bare),
	}
}

func (d *drain) Model() *actor.Model {
	model := &actor.Model{
		Upstream: "k8s.io/kubectl v0.36.3, pkg/drain: evictPods, waitForDelete; " + objects.Upstream + ", pkg/registry/core/pod/storage: (*EvictionREST).Create",
		Exact:    []string{"which evictions the API server grants; refused ones are retried"},
		MayInvent: []string{
			"a drain also evicts pods that arrive meanwhile, as upgrade controllers do and kubectl drain does not",
			"an eviction that fails for two budgets on one pod is retried, where kubectl drain gives up",
		},
		MayHide: []string{
			"no timeout; --delete-emptydir-data and --ignore-daemonsets are set, and --force unless events.drain.force is false",
		},
	}
	if d.Force {
		model.MayInvent = model.MayInvent[:1]
		model.Exact = []string{"pods are deleted without asking a PodDisruptionBudget (--disable-eviction)"}
	}
	return model
}

// DrainRefusal words why the pods of class p that are left on nodes under maintenance
// cannot be evicted in s, and names the budgets; it gives "" where nothing is left or
// some may go. It runs for words only.
func DrainRefusal(s state.State, p int) (text string, node int, refs []actor.Ref) {
	if e := &s.C.Spec.Events; e.Drain <= 0 && e.NodeRemoved <= 0 || e.IgnorePDB && !e.KeepsBare {
		return "", -1, nil
	}
	for n := range s.C.Nodes {
		if q := keptBy(s, n, bareClasses(s.C)); q >= 0 && s.Maintenance(n) == state.Draining && s.LiveOn(n, p) > 0 {
			wl := &s.C.Spec.Workloads[s.C.Pods[q].Workload]
			return "kubectl drain without --force evicts nothing from a node that has a pod without a controller: " + objects.ShortName(wl), n,
				[]actor.Ref{{Object: wl.ID, Version: s.VersionOfClass(q), Field: "metadata.name"}}
		}
	}
	if s.C.Spec.Events.IgnorePDB {
		return "", -1, nil
	}
	for n := range s.C.Nodes {
		if s.Cordoned(n) && (s.ReadyOn(n, p) > 0 || s.Bad(p) && s.On(n, p, state.Starting) > 0) {
			if text, refs = heldFromKarpenter(s, p, n); text != "" {
				return text, n, refs
			}
			text, refs = objects.NewEvictions(s.C).Refusal(s, p)
			return text, n, refs
		}
	}
	return "", -1, nil
}
