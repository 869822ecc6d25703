package scheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Scheduler models kube-scheduler: one scheduling and binding cycle of one pending pod
// is one step. Ties between nodes are every choice.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler: (*Scheduler).schedulePod,
// findNodesThatFitPod, prioritizeNodes, RunScorePlugins, (*PrioritySort).Less, and the
// plugins named in the files scheduler_*.go.
//
// Abstraction: see [Scheduler.Model].
type Scheduler struct{ K *Compiled }

func New(b *state.Builder) ([]actor.Actor, error) {
	a, err := NewScheduler(b.Config())
	if err != nil {
		return nil, err
	}
	for p := range a.K.Classes {
		if len(a.K.Classes[p].victims) > 0 {
			b.Nominate(p)
		}
	}
	return []actor.Actor{a}, nil
}

// Object is what a [actor.Ref] into the scheduler's own configuration names.
const Object = "KubeSchedulerConfiguration"

// NewScheduler makes the scheduler of a problem.
// Errors: [actor.ErrUnmodeled].
func NewScheduler(c *state.Config) (*Scheduler, error) {
	k, err := Compile(c)
	if err != nil {
		return nil, err
	}
	return &Scheduler{K: k}, nil
}

// lumps reports whether states that are alike are one to it: a pod on deletion counts by what it holds, and only
// preemption asks which pods have started, and of which class those are that it takes away, also if they are on
// deletion.
func (a *Scheduler) lumps(k actor.Likeness) bool {
	if !a.K.Preempts {
		return true
	}
	return k.Kind == actor.StoppingAs && !a.K.victim(k.Class) && !a.K.victim(k.Other)
}

// Traits implements [actor.Declarer].
func (a *Scheduler) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Lumps: a.lumps,
		Alone: a.K.Welcomes(), Of: actor.Each, // where no pod is ever refused by every node
		Commutes: a.commutes(),
		Wakes:    &actor.Work{Workload: -1, Places: true}, // its own next pod
		Works:    &actor.Work{Workload: -1, Places: true},
		Takes:    a.K.Takes,
		Room:     a.K.room(),
		Ends: actor.EndsWhen(func(s state.State) bool { // no pod is left to be placed
			for p := range c.Pods {
				if s.Pending(p)+s.Waiting(p) > 0 {
					return false
				}
			}
			return true
		}),
	}
}

// commutes: pods of one priority are taken in any order, so that one more that is pending
// takes no choice away. Preemption takes pods from ReplicaSets.
func (a *Scheduler) commutes() actor.Early {
	switch {
	case a.K.Preempts:
		return 0
	case len(a.K.Groups)+min(len(a.K.Unranked), 1) > 1:
		return actor.Resize
	}
	return actor.Resize | actor.Create
}

// Name implements [actor.Actor].
func (a *Scheduler) Name() string { return "scheduler" }

// Latency implements [actor.Actor].
func (a *Scheduler) Latency() actor.Latency { return actor.Sync }

// bind is the kind of the scheduler's moves; their arguments are the pod class and the node.
const bind uint16 = 0

// Step implements [actor.Actor]: every node that the next pod of each class at the head of
// the queue may be bound to, or makes room for it on. A pod that neither fits nor
// preempts does not hold up those of lower priority.
func (a *Scheduler) Step(s state.State, next *actor.Emit) {
	if a.K.Preempts && a.forgetDeleted(s, next) {
		return
	}
	loaded := false
	for _, group := range a.K.Groups {
		found := false
		for _, p := range group {
			found = a.schedule(s, p, next, &loaded) || found
		}
		if found {
			break
		}
	}
	for _, p := range a.K.Unranked {
		a.schedule(s, p, next, &loaded)
	}
}

// schedule emits what may become of one pod of class p: of one that is nominated to each node, and of one that is not.
// It reports whether it emitted anything.
func (a *Scheduler) schedule(s state.State, p int, next *actor.Emit, loaded *bool) bool {
	if s.Pending(p) == 0 || a.K.Classes[p].Pod.Spec.NodeName != "" {
		return false
	}
	if !*loaded {
		actor.Own[View](next.Scratch).Load(a.K, s)
		*loaded = true
	}
	if s.C.Pods[p].PerNode {
		return a.scheduleDaemon(s, p, next)
	}
	found, nominated := false, 0
	if a.K.Preempts && s.C.Preempts(p) {
		for n := range s.C.Nodes {
			on := s.Nominated(n, p)
			if nominated += on; on > 0 && !s.Twin(n) {
				found = a.place(s, p, n, next) || found
			}
		}
	}
	if nominated < s.Pending(p) {
		found = a.place(s, p, -1, next) || found
	}
	return found
}

// scheduleDaemon reports the same as [Scheduler.schedule], for pods that are made for one node each.
func (a *Scheduler) scheduleDaemon(s state.State, p int, next *actor.Emit) bool {
	found := false
	for n := range s.C.Nodes {
		left := s.Awaited(n, p)
		if left == 0 || s.Twin(n) {
			continue
		}
		actor.Own[View](next.Scratch).only = n + 1
		if a.K.Preempts && s.C.Preempts(p) && s.Nominated(n, p) > 0 {
			found = a.place(s, p, n, next) || found
			left -= s.Nominated(n, p)
		}
		if left > 0 {
			found = a.place(s, p, -1, next) || found
		}
	}
	actor.Own[View](next.Scratch).only = 0
	return found
}

// place emits the bindings of one pod of class p that is nominated to node self, or -1. It reports whether it emitted
// anything.
func (a *Scheduler) place(s state.State, p, self int, next *actor.Emit) bool {
	v := actor.Own[View](next.Scratch)
	a.K.decide(v, p, self)
	for _, n := range v.best {
		// The node before n is as good, and leads to the same canonical state, unless
		// it is the one that the pod is nominated to.
		if s.Twin(n) && n-1 != self && n != self && v.only == 0 {
			continue
		}
		t := next.Copy(s)
		if s.C.Pods[p].PerNode {
			t.Await(n, p, -1)
		} else {
			t.Set(s.C.Class[p].Pending, s.Pending(p)-1)
		}
		t.Add(n, p, state.Starting, 1)
		a.K.bindVolumes(t, p, n)
		if self >= 0 {
			t.Nominate(self, p, -1)
		}
		next.Move(search.Move{Kind: bind, Args: [3]int32{int32(p), int32(n), int32(self + 1)}})
	}
	if len(v.best) > 0 {
		return true
	}
	return a.K.Preempts && a.postFilter(s, p, self, next)
}

// Model implements [actor.Actor].
func (a *Scheduler) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kube-scheduler v1.36.3: schedulePod, PrioritySort, DefaultPreemption and the default plugins NodeUnschedulable, " +
			"TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, VolumeRestrictions, VolumeBinding, PodTopologySpread, InterPodAffinity, " +
			"NodeResourcesBalancedAllocation, ImageLocality",
		Exact: []string{
			"feasible nodes, every plugin's score, weights, rounding; every tie is explored",
			"system default topology spread of pods without constraints",
			"profiles, plugins, weights and arguments of a KubeSchedulerConfiguration, for up to 100 nodes",
			"a pod of higher priority that can be placed goes first; one that cannot blocks no other",
			"preemption: candidate nodes, victims, order of reprieve, budgets as a preference, nominated nodes, " +
				"preemptionPolicy; where upstream goes by start times, every choice",
			"a node that a bound PersistentVolume does not reach is refused; the first pod binds a WaitForFirstConsumer volume; a ReadWriteOncePod claim takes one pod",
			"pods being deleted hold resources and ports, count for inter-pod affinity, not for topology spread",
		},
		MayInvent: []string{
			"of pods of equal priority any may go first, not only the one queued first",
			"a pod whose PriorityClass is not among the objects may go before or after any other",
			"images that nodes pull during a run do not count",
		},
		MayHide: []string{
			"a pod in back-off is not overtaken by one of lower priority",
			"pods of an unchanged template keep the priority of base's globalDefault PriorityClass",
			"pods whose PriorityClass is not among the objects neither preempt nor are preempted",
			"a nominated pod waits for every lower-priority pod being deleted on its node, not only for preempted ones",
			"status.disruptedPods is not kept for preemption",
			"where equally important victims rank in more than 2,000 orders, pods of one class go together",
			"of pending pods that are deleted, those without a nominated node go first",
			"volumes matter only if claim and driver are known; limits per node, free space and the choice among several PersistentVolumes are not modeled",
			"declared node features and runtime class overhead are ignored",
			"all feasible nodes are scored; upstream samples more than 100",
			"on assumed nodes every request fits and does not influence the choice",
		},
		Refused: []string{
			"spec.schedulerName of no profile, spec.schedulingGates, spec.resourceClaims",
			"extenders, foreign plugins, filters in another order",
			"a rule that singles out one node of a class of several",
		},
	}
}
