package control

import (
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
type Scheduler struct{ k *compiled }

func newScheduler(b *state.Builder) ([]Actor, error) {
	a, err := NewScheduler(b.Config())
	if err != nil {
		return nil, err
	}
	return []Actor{a}, nil
}

// SchedulerObject is what a [Ref] into the scheduler's own configuration names.
const SchedulerObject = "KubeSchedulerConfiguration"

// NewScheduler makes the scheduler of a problem.
// Errors: [ErrUnmodeled].
func NewScheduler(c *state.Config) (*Scheduler, error) {
	k, err := compileScheduler(c)
	if err != nil {
		return nil, err
	}
	return &Scheduler{k: k}, nil
}

// Name implements [Actor].
func (a *Scheduler) Name() string { return "scheduler" }

// Latency implements [Actor].
func (a *Scheduler) Latency() Latency { return Sync }

// bind is the kind of the scheduler's moves; their arguments are the pod class and the node.
const bind uint16 = 0

// Step implements [Actor]: every node that the next pod of each class at the head of
// the queue may be bound to. A pod that fits nowhere does not hold up those of lower
// priority.
func (a *Scheduler) Step(s state.State, next *Emit) {
	loaded := false
	for _, group := range a.k.groups {
		found := false
		for _, p := range group {
			found = a.schedule(s, p, next, &loaded) || found
		}
		if found {
			break
		}
	}
	for _, p := range a.k.unranked {
		a.schedule(s, p, next, &loaded)
	}
}

// schedule emits the bindings of one pod of class p.
func (a *Scheduler) schedule(s state.State, p int, next *Emit, loaded *bool) bool {
	if s.Pending(p) == 0 {
		return false
	}
	v := &next.Scratch.view
	if !*loaded {
		v.load(a.k, s)
		*loaded = true
	}
	a.k.decide(v, p)
	for _, n := range v.best {
		if s.Twin(n) { // the node before n is as good, and leads to the same canonical state
			continue
		}
		t := next.Copy(s)
		t.Set(s.C.Class[p].Pending, s.Pending(p)-1)
		t.Add(n, p, state.Starting, 1)
		next.Move(search.Move{Kind: bind, Args: [3]int32{int32(p), int32(n)}})
	}
	return len(v.best) > 0
}

// Model implements [Actor].
func (a *Scheduler) Model() *Model {
	return &Model{
		Upstream: "kube-scheduler v1.36.3: schedulePod, PrioritySort and the default plugins NodeUnschedulable, " +
			"TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, PodTopologySpread, InterPodAffinity, " +
			"NodeResourcesBalancedAllocation, ImageLocality",
		Exact: []string{
			"feasible nodes, every plugin's score, weights, rounding and the set of best nodes; every tie is explored",
			"system default topology spread of pods without constraints",
			"a pod of higher priority that can be placed goes first; one that cannot holds up no other",
			"pods on deletion hold resources and ports and count for inter-pod affinity, not for topology spread",
		},
		MayInvent: []string{
			"of pods of equal priority any may go first, where upstream takes the one queued first",
			"a pod whose PriorityClass is not among the objects may go before or after any other",
		},
		MayHide: []string{
			"a pod in back-off is not overtaken by one of lower priority",
			"preemption: a pod that fits nowhere evicts nobody",
			"a globalDefault PriorityClass is not looked at",
			"volumes: zones, node limits and access modes keep no pod from a node",
			"declared node features (NodeDeclaredFeatures), runtime class overhead and LimitRange defaults are not looked at",
			"of more than 100 feasible nodes upstream scores a sample; here all are scored (numFeasibleNodesToFind)",
			"on assumed nodes every resource request fits, and resources do not influence which node is taken",
		},
		Refused: []string{
			"spec.schedulerName other than default-scheduler, spec.schedulingGates, spec.resourceClaims",
			"a rule that singles out one node of a class of several",
		},
	}
}
