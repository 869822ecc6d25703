package verify

// The files recheck_*_test.go hold a run of the control loops against what Kubernetes' documentation promises: where a
// pod may be placed, how far a rollout may go, what an eviction may take.
//
// They are a second opinion. They were written from the documentation on plain API objects, know neither the models nor
// the search, and share no code with them (the root's TestTheSecondOpinionStandsAlone), but for recheck_film_test.go,
// which makes these objects of a counterexample: what they find wrong with it is wrong in the one or the other. Tests
// hold every counterexample against them.
//
// Sources: kubernetes.io/docs: "Assigning Pods to Nodes", "Pod Topology Spread Constraints", "Taints and Tolerations",
// "Resource Management for Pods and Containers", "Deployments", "StatefulSets", "DaemonSet", "Specifying a Disruption
// Budget for your Application", "API-initiated Eviction", "Pod Priority and Preemption", "Resource Quotas".
//
// They refuse to know volumes, scores (where a pod goes among the nodes that it may), what autoscalers compute, and time.

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Phase is where a pod is in its life.
type Phase uint8

const (
	Pending Phase = iota // without a node
	Starting
	Ready       // and not available yet
	Available   // ready for minReadySeconds
	Terminating // has a deletionTimestamp, and its place
	phases
)

// Up reports whether a pod in the phase has the condition Ready, and is not on deletion.
func (p Phase) Up() bool { return p == Ready || p == Available }

// Kind is like pods: those of one revision of a workload, or the one of an ordinal.
type Kind struct {
	Pod      *corev1.Pod // as admitted; its labels tell revisions apart by pod-template-hash
	Workload int         // that owns it
	Set      int         // the revision, as an index in Kinds: kinds of one set are pods of one ReplicaSet
	Ordinal  int         // of a StatefulSet's pod; else -1
	// Priority is the least and the most that pods of the kind may have: a pod keeps that of the
	// moment when it was created.
	Priority [2]int32
}

// Node is a node as it stands: with its labels, and the taints that it has just now.
type Node struct {
	*corev1.Node
	Unknown bool                   // nobody declared its capacity: every request fits
	Taken   corev1.ResourceList    // by pods that are not among the kinds; pods counts them
	Ports   []corev1.ContainerPort // that these have of the node
	Absent  bool
	Down    bool // its kubelet does nothing
}

// Workload is a controller's object in force; one of the three is set, or none for a kind that
// has no rollout of its own.
type Workload struct {
	ID          string
	Deployment  *appsv1.Deployment
	StatefulSet *appsv1.StatefulSet
	DaemonSet   *appsv1.DaemonSet
	Replicas    int         // spec.replicas, live
	Sizes       map[int]int // spec.replicas of its ReplicaSets, by Set
	Newest      int         // the set of the template in force, or -1
	Scales      bool        // it has the scale subresource
	Bare        bool        // a Pod without a controller: what is applied changes the pod where it is
}

// Quota is a ResourceQuota in force.
type Quota struct {
	*corev1.ResourceQuota
	Others corev1.ResourceList // used by pods that are not among the kinds
}

// Group is pods of one kind in one phase on one node; -1 is none.
type Group struct {
	Kind, Node int
	Phase      Phase
}

// Frame is a cluster at one moment.
type Frame struct {
	Kinds      []Kind
	Nodes      []Node
	Workloads  []Workload
	Budgets    []*policyv1.PodDisruptionBudget // in force
	Quotas     []Quota
	Namespaces map[string]map[string]string // labels
	Pods       map[Group]int
}

// Move is who led from one frame to the next.
type Move struct {
	Actor  string // such as "deployment/default/web"
	Action string // such as "evict-pod"
	Event  bool   // of the environment
	Forced bool   // what it takes away, it takes without the eviction API
}

// of counts pods of a kind on a node, or on any with node -2, in the phases that a test admits.
func (f *Frame) of(kind, node int, is func(Phase) bool) int {
	total := 0
	for ph := range phases {
		if !is(ph) {
			continue
		}
		if node != anywhere {
			total += f.Pods[Group{kind, node, ph}]
			continue
		}
		for n := -1; n < len(f.Nodes); n++ {
			total += f.Pods[Group{kind, n, ph}]
		}
	}
	return total
}

// anywhere is no node in particular, with pods that have none.
const anywhere = -2

func every(Phase) bool         { return true }
func alive(p Phase) bool       { return p != Terminating }
func up(p Phase) bool          { return p.Up() }
func isAvailable(p Phase) bool { return p == Available }

// kindsOf lists the kinds that a workload owns.
func (f *Frame) kindsOf(w int) []int {
	var out []int
	for k := range f.Kinds {
		if f.Kinds[k].Workload == w {
			out = append(out, k)
		}
	}
	return out
}
