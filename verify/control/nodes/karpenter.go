package nodes

import (
	"cmp"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// doNotDisrupt is the annotation by which a pod or a node keeps Karpenter from taking the
// node.
const doNotDisrupt = "karpenter.sh/do-not-disrupt"

// karpenter models Karpenter's provisioner and its consolidation: nodes come for pods that
// fit no node, and one that is empty, or whose pods fit on others, goes.
//
// Upstream: sigs.k8s.io/karpenter v1.9.1: pkg/controllers/provisioning: (*Provisioner).Schedule;
// pkg/controllers/provisioning/scheduling: (*Scheduler).Solve, trySchedule, add,
// (*Preferences).Relax; pkg/controllers/disruption: SimulateScheduling,
// (*consolidation).computeConsolidation, (*Emptiness).ComputeCommands,
// (*SingleNodeConsolidation).ComputeCommands, BuildDisruptionBudgetMapping;
// pkg/controllers/state: (*StateNode).ValidatePodsDisruptable.
//
// Provisioner and consolidation take what a pod prefers as what it requires, and relax
// that where there is no way else; the scheduler takes it as a score. That they differ is
// where nodes for nobody, and loops, come from.
type karpenter struct {
	k         *scheduler.Compiled     // as the scheduler sees pods
	levels    [][]*scheduler.Compiled // by pod class: as Karpenter does, strictest first
	order     []int                   // pod classes, by falling requests
	evictions *objects.Evictions
	held      []bool // by pod class: do-not-disrupt
}

const (
	karpenterAdds uint16 = iota
	karpenterEmpties
	karpenterConsolidates
	karpenterBeyond
)

func NewKarpenter(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if !c.Autoscales() && !c.Outgrows() ||
		!slices.ContainsFunc(c.Spec.Classes, func(k state.NodeClass) bool { return k.Karpenter != nil }) {
		return nil, nil
	}
	k, err := scheduler.Compile(c)
	if err != nil {
		return nil, err
	}
	a := &karpenter{k: k, evictions: objects.NewEvictions(c)}
	for p := range c.Pods {
		own, err := levels(c, p)
		if err != nil {
			return nil, err
		}
		a.levels = append(a.levels, own)
		a.held = append(a.held, k.Classes[p].Pod.Annotations[doNotDisrupt] == "true")
		a.order = append(a.order, p)
	}
	// queue: byCPUAndMemoryDescending
	slices.SortStableFunc(a.order, func(x, y int) int {
		return cmp.Or(cmp.Compare(k.Classes[y].Request[scheduler.DimCPU], k.Classes[x].Request[scheduler.DimCPU]),
			cmp.Compare(k.Classes[y].Request[scheduler.DimMemory], k.Classes[x].Request[scheduler.DimMemory]))
	})
	return []actor.Actor{a}, nil
}

func (a *karpenter) Name() string           { return "karpenter" }
func (a *karpenter) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: nodes for pods that fit on no node; without such pods, the disruption of any one node,
// as long as none is under way.
func (a *karpenter) Step(s state.State, next *actor.Emit) {
	if s.IsOutgrown() || a.provision(s, next) {
		return
	}
	for n := range s.C.Nodes {
		if s.Tenure(n) == state.ScalingDown {
			return
		}
	}
	for n, node := range s.C.Nodes {
		pool := s.C.Spec.Classes[node.Class].Karpenter
		if pool == nil || pool.Never || !s.InService(n) || s.Twin(n) || !s.Shrinks(node.Class) ||
			s.C.Spec.Classes[node.Class].Node.Annotations[doNotDisrupt] == "true" {
			continue
		}
		kind, reason := karpenterConsolidates, state.DisruptUnderutilized
		if a.empty(s, n) {
			kind, reason = karpenterEmpties, state.DisruptEmpty
		}
		if !a.allowed(s, node.Class, reason) {
			continue
		}
		if kind == karpenterConsolidates && (pool.WhenEmpty || !a.disruptable(s, n) || !a.fitsElsewhere(s, n, next.Scratch)) {
			continue
		}
		t := next.Copy(s)
		t.SetTenure(n, state.ScalingDown)
		next.Move(search.Move{Kind: kind, Args: [3]int32{int32(n)}})
	}
}

func (a *karpenter) empty(s state.State, n int) bool {
	for p := range s.C.Pods {
		if s.LiveOn(n, p) > 0 {
			return false
		}
	}
	return true
}

// allowed reports whether the pool's budgets let one more of its nodes be disrupted.
func (a *karpenter) allowed(s state.State, class int, reason string) bool {
	pool := s.C.Spec.Classes[class].Karpenter
	nodes, disrupting := 0, 0
	for n, node := range s.C.Nodes {
		own := s.C.Spec.Classes[node.Class].Karpenter
		if own == nil || own.NodePool != pool.NodePool || s.Gone(n) {
			continue
		}
		if nodes++; s.Down(n) || s.Tenure(n) != state.Staying {
			disrupting++
		}
	}
	most := pool.Allowed(reason, nodes)
	return most < 0 || disrupting < most
}

// disruptable reports whether every pod on node n may be evicted at this moment.
func (a *karpenter) disruptable(s state.State, n int) bool {
	for p := range s.C.Pods {
		if s.LiveOn(n, p) > 0 && (a.held[p] || a.evictions.Covered(s, p) && a.evictions.Room(s, p, 1) < 1) {
			return false
		}
	}
	return true
}

// provision offers the nodes that Karpenter makes for the pods that fit none, and reports whether there are any such
// pods that it can help.
func (a *karpenter) provision(s state.State, next *actor.Emit) bool {
	found := false
	for class := range s.C.Spec.Classes {
		if s.C.Spec.Classes[class].Karpenter == nil {
			continue
		}
		if first, pod := a.opened(s, class, next.Scratch); first >= 0 {
			found = true
			t := next.Copy(s)
			for n := range s.C.Nodes {
				if s.Tenure(n) == state.Absent && actor.Own[scheduler.View](next.Scratch).Thought.Now.Tenure(n) == state.Staying {
					t.SetTenure(n, state.Staying)
				}
			}
			next.Move(search.Move{Kind: karpenterAdds,
				Args: [3]int32{int32(first), int32(pod), int32(s.GoneNodes() - t.GoneNodes())}})
		} else if pod >= 0 { // one would help, in a larger topology
			found = true
			t := next.Copy(s)
			t.Set(t.C.Outgrown, 1)
			next.Move(search.Move{Kind: karpenterBeyond})
		}
	}
	return found
}

// opened thinks of the nodes that are made where the first one is of a class, and gives
// that node and the pod class it is for; -1 and a pod class where this topology has no
// node left that the class may have, -1 and -1 where no pod needs it.
func (a *karpenter) opened(s state.State, class int, scratch *actor.Scratch) (first, pod int) {
	x := &actor.Own[scheduler.View](scratch).Thought
	x.Copy(s)
	first, pod = -1, -1
	for _, p := range a.order {
		if s.Pending(p) == 0 || a.fitsAny(a.k, x.Now, p, s, scratch) {
			continue
		}
		for range s.Pending(p) {
			want := -1 // any class, once the first node is there
			if first < 0 {
				want = class
			}
			n, beyond := a.place(p, want, s, scratch)
			switch {
			case beyond && first < 0:
				return -1, p
			case n < 0:
				continue
			case first < 0:
				first, pod = n, p
			}
			x.Now.Add(n, p, state.Starting, 1)
		}
	}
	return first, pod
}

// fitsAny reports whether a pod of class p fits a node that was there in s.
func (a *karpenter) fitsAny(k *scheduler.Compiled, now state.State, p int, s state.State, scratch *actor.Scratch) bool {
	v := actor.Own[scheduler.View](scratch)
	v.Load(k, now)
	k.Filter(v, p)
	return slices.ContainsFunc(v.Feasible, func(n int) bool { return !s.Gone(n) })
}

// place finds a node for a pod that fits none that was there in s: one that is being made,
// or else a new one, at the strictest level that has any. class is that of a new node, or
// -1 for any. beyond says that a node would do of which this topology has none left.
func (a *karpenter) place(p, class int, s state.State, scratch *actor.Scratch) (node int, beyond bool) {
	v, x := actor.Own[scheduler.View](scratch), &actor.Own[scheduler.View](scratch).Thought
	for _, k := range a.levels[p] {
		v.Load(k, x.Now)
		k.Filter(v, p)
		for _, n := range v.Feasible {
			if s.Gone(n) {
				return n, false
			}
		}
		for i := range s.C.Spec.Classes {
			if class >= 0 && i != class || s.C.Spec.Classes[i].Karpenter == nil || !x.Now.Grows(i) {
				continue
			}
			n := absentOf(x.Now, i)
			if n < 0 {
				if s.C.Topology[i] < s.C.Spec.Classes[i].Max {
					return -1, true
				}
				continue
			}
			if a.hosts(k, p, n, scratch) {
				return n, false
			}
		}
	}
	return -1, false
}

// hosts reports whether a pod of class p fits node n once that is there, and leaves it there
// if so.
func (a *karpenter) hosts(k *scheduler.Compiled, p, n int, scratch *actor.Scratch) bool {
	v, x := actor.Own[scheduler.View](scratch), &actor.Own[scheduler.View](scratch).Thought
	was := x.Now.Tenure(n)
	x.Now.SetTenure(n, state.Staying)
	v.Load(k, x.Now)
	k.Filter(v, p)
	if slices.Contains(v.Feasible, n) {
		return true
	}
	x.Now.SetTenure(n, was)
	return false
}

// fitsElsewhere reports whether there is an order of nodes by which Karpenter places the live
// pods of node n on others, without a new one.
func (a *karpenter) fitsElsewhere(s state.State, n int, scratch *actor.Scratch) bool {
	x := &actor.Own[scheduler.View](scratch).Thought
	x.Tries, x.Stack = scheduler.MostTries, x.Stack[:0]
	objects.Leave(x.Copy(s), n, state.Absent)
	return a.fitRest(s, n, scratch, scheduler.Leftover{Class: -1})
}

// fitRest goes on with the next pod of a class, of which some are left, and then with the classes after it in the
// queue; rest.class is an index of that. It reports whether all of them fit.
func (a *karpenter) fitRest(s state.State, gone int, scratch *actor.Scratch, rest scheduler.Leftover) bool {
	for rest.Pods == 0 {
		if rest.Class++; rest.Class == len(a.order) {
			return true
		}
		rest.Pods = s.LiveOn(gone, a.order[rest.Class])
	}
	p := a.order[rest.Class]
	v := actor.Own[scheduler.View](scratch)
	x := &v.Thought
	if x.Tries == 0 {
		return false
	}
	x.Tries--
	first := len(x.Stack)
	for _, k := range a.levels[p] {
		v.Load(k, x.Now)
		k.Filter(v, p)
		if len(v.Feasible) > 0 {
			x.Stack = append(x.Stack, v.Feasible...)
			break
		}
		if a.creates(k, p, scratch) {
			return false // a new node is no deletion, and one as dear no replacement
		}
	}
	rest.Pods--
	for i, end := first, len(x.Stack); i < end; i++ {
		n := x.Stack[i]
		if x.Now.Twin(n) { // the node before n did not do
			continue
		}
		x.Now.Add(n, p, state.Starting, 1)
		if a.fitRest(s, gone, scratch, rest) {
			return true
		}
		x.Now.Add(n, p, state.Starting, -1)
	}
	x.Stack = x.Stack[:first]
	return false
}

// creates reports whether a new node would do for a pod of class p.
func (a *karpenter) creates(k *scheduler.Compiled, p int, scratch *actor.Scratch) bool {
	x := &actor.Own[scheduler.View](scratch).Thought
	for i := range x.Now.C.Spec.Classes {
		if x.Now.C.Spec.Classes[i].Karpenter == nil || !x.Now.Grows(i) {
			continue
		}
		if n := absentOf(x.Now, i); n >= 0 && a.hosts(k, p, n, scratch) {
			x.Now.SetTenure(n, state.Absent)
			return true
		}
	}
	return false
}
