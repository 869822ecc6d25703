// Package state is the abstract cluster: its constants (a compiled [Config]) and its variables (a [State], one byte
// string of fixed length), with their canonical form.
//
// Pods of one class on one node in one phase are a counter, not individuals, and node records of one node class are
// sorted: both symmetries vanish by construction. It knows nothing of files, revisions of a repository or how a
// state space is searched.
package state

import (
	corev1 "k8s.io/api/core/v1"
)

// Version names one of the two manifests of a workload.
type Version uint8

const (
	Base Version = iota
	Head
)

// Load is how much work a workload has to do, as demand for CPU; see control's load
// change for the amounts.
type Load uint8

const (
	Idle       Load = iota // no demand
	Nominal                // the load that the base manifest was sized for
	Saturating             // the load that the largest autoscaled size was made for
	Loads                  // number of levels
)

// String is the load as it stands in results: "idle", "nominal", "saturating".
func (l Load) String() string { return [...]string{"idle", "nominal", "saturating"}[l] }

// Owner is a set of field managers of a live field, under server-side apply.
type Owner uint8

const (
	Applier    Owner = 1 << iota // who applies the manifests
	Autoscaler                   // who writes the scale subresource
)

// Spec is a slice of a cluster as declared, before a topology is chosen. Its objects
// are defaulted, and read-only from here on.
type Spec struct {
	Classes   []NodeClass
	Workloads []Workload
	// Namespaces holds the labels of namespaces, for namespace selectors. One that is
	// absent has only the label kubernetes.io/metadata.name.
	Namespaces map[string]map[string]string
	Apply      Apply
	// Straight says that the steps of an apply follow each other in milliseconds: nothing waits for health in between.
	Straight bool
	// Helm is the reaction of the release's controller to a failed upgrade; nil: none.
	Helm   *Remediation
	Events Events
	// PriorityClasses by name, value in Kubernetes' int32 range.
	PriorityClasses map[string]int32
	// NeverPreempt holds the PriorityClasses whose preemptionPolicy is Never.
	NeverPreempt map[string]bool
	// DefaultPriority names by version the PriorityClass with globalDefault; "" is none.
	DefaultPriority [2]string
	// Scheduler is the configuration of the scheduler; nil: upstream's default.
	Scheduler *Scheduler
	// Descheduler is the policy of the descheduler that runs; nil: none runs.
	Descheduler *Descheduler
	// ClusterAutoscaler says that one runs, or Karpenter, on classes that are Autoscaled.
	ClusterAutoscaler bool
	// Autoscaler are flags of the cluster autoscaler; the zero value is their defaults.
	Autoscaler ClusterAutoscalerFlags
	// HPA are flags of the controller of HorizontalPodAutoscalers; the zero value is their defaults.
	HPA HPAFlags
	// Quotas are the ResourceQuotas of the namespaces that the workloads are in.
	Quotas []Quota
	// Claims are the PersistentVolumeClaims that pods of the workloads name, as far as they
	// are known.
	Claims []Claim
	// Admission is what else decides on the creation of pods.
	Admission Admission
	// GitOps is the controller that applies the manifests; nil: somebody does, once.
	GitOps *GitOps
	// Declared are the loops that the policy file describes.
	Declared []Declared
	// CountsTerminating says that somebody beside the actors looks at pods on deletion, such as a rule of the user's own.
	CountsTerminating bool
	// Unreduced asks also for states and interleavings that cannot be distinguished: for comparisons with the search
	// without reductions. Exchanges of nodes stay.
	Unreduced bool
	// Unlumped asks for states apart that differ in which pods have started, or in whose revision's pods are on
	// deletion, also if that makes no difference; see [Lumps].
	Unlumped bool
	// Interleaved asks for every order in which the pods of several workloads start and stop, also if they no longer
	// interact.
	Interleaved bool
}

// ClusterAutoscalerFlags are flags of the cluster autoscaler of Kubernetes.
type ClusterAutoscalerFlags struct {
	// Threshold is --scale-down-utilization-threshold, a share of a node's resources; nil: 0.5.
	Threshold *float64
	KeepNodes bool // --scale-down-enabled=false
	// MovesLocal and MovesSystem say that pods with local storage, or of kube-system without a budget, keep no node:
	// --skip-nodes-with-local-storage=false, --skip-nodes-with-system-pods=false.
	MovesLocal, MovesSystem bool
}

// HPAFlags are flags of the kube-controller-manager.
type HPAFlags struct {
	// Tolerance is --horizontal-pod-autoscaler-tolerance, a share of the target; nil: 0.1.
	Tolerance *float64
	// DownWindow is --horizontal-pod-autoscaler-downscale-stabilization, in seconds; nil: 300.
	DownWindow *int32
}

// Apply says how manifests are merged into live objects.
type Apply uint8

const (
	ClientSide Apply = iota // kubectl apply: three-way merge against the last applied manifest
	ServerSide              // kubectl apply --server-side: field ownership
)

// Events holds the budget of each kind of event: how often it may happen on one run.
type Events struct {
	Apply      int  // 1 in the scenarios change and next, else 0
	Next       bool // the apply is that of the scenario next
	LoadChange int  // per autoscaled workload
	// IdleMemory is the memory that a pod keeps without load, in percent of its request;
	// the load's share comes on top.
	IdleMemory int
	// Drain is how many nodes are taken out for maintenance, each at most once, and
	// DrainConcurrency how many at a time; 0 of the latter is 1.
	Drain, DrainConcurrency int
	// IgnorePDB says that a drain deletes pods (kubectl drain --disable-eviction) instead
	// of asking for their eviction.
	IgnorePDB bool
	// KeepsBare says that a drain evicts nothing from a node with a pod that no controller owns (kubectl drain without
	// --force).
	KeepsBare bool
	// NodeFailure is how many nodes are lost. Each may come back, as one more event.
	NodeFailure int
	// LastNode says that a drain or a loss may take the last node in service, which only a question asks for.
	LastNode bool
	// DiskPressure and MemoryPressure are how many nodes run short of disk or memory. Each
	// may be relieved, as one more event.
	DiskPressure, MemoryPressure int
	// NodeAdded and NodeRemoved are how many nodes a person or the provider adds and
	// removes, within the bounds of their pools.
	NodeAdded, NodeRemoved int
	// SpotReclaim is how many spot nodes the provider takes back, and SpotLost says that
	// no replacement comes.
	SpotReclaim int
	SpotLost    bool
	// PodCrash is how many ready pods crash, and BadRevision how many of the templates
	// that the change brings turn out to be bad.
	PodCrash, BadRevision int
	// ManagerRestart is how often the kube-controller-manager restarts, between any two writes of its controllers.
	ManagerRestart int
	// StaleWrites is how many writes of others a loop's view of pods may lack, once in a run.
	StaleWrites int
	// JobOverrun is how many CronJobs have a Job that does not end.
	JobOverrun int
	// Rollback says that base may be applied again once a revision is bad, and OutOfService
	// that the pods of a lost node are taken away without its kubelet.
	Rollback, OutOfService bool
	// Revert says that base is applied again over head, once, in a state in which
	// [Config.Reverts] is 1.
	Revert bool
	// StartupSpike is the CPU use of a pod that has just become ready, in percent of its request; 0: none. NodePanic is
	// the CPU use of a node, in percent of its capacity, above which it goes down; 0: never. They are no events and
	// have no budget.
	StartupSpike, NodePanic int
}

// NodeClass is a set of nodes that no rule in play can distinguish, but by name.
type NodeClass struct {
	Name string
	// Node is the template: labels, taints, allocatable, images. Its
	// kubernetes.io/hostname label is replaced by each node's own name.
	Node *corev1.Node
	// Names of the real nodes, where known; else nodes are called Name-1, Name-2, …
	Names []string
	// Min and Max nodes that were declared for the class; 0 ≤ Min ≤ Max.
	Min, Max int
	// Pool names the pool whose nodes the class is a part of, such as one zone of it, and
	// PoolMin and PoolMax bound the nodes of all classes with that name; "" is none.
	Pool             string
	PoolMin, PoolMax int
	// Shape is equal for classes that the slice distinguishes only by which of them a node is in; classes of one shape
	// and size can be exchanged. "" is none.
	Shape string
	// Elastic says that the capacity was invented: resource requests always fit.
	Elastic bool
	// Autoscaled says that the cluster autoscaler sizes the class between Min and Max.
	Autoscaled bool
	// Karpenter sizes the class, as this NodePool says; it is Autoscaled then. nil: Karpenter does not.
	Karpenter *Karpenter
	// Spot says that the provider may take the nodes back at short notice.
	Spot bool
	// Beside is the use of each node by pods outside the problem; nil: none.
	Beside *Beside
}

// Workload is one controller object and what targets it, in both versions.
type Workload struct {
	ID              string // "apps/Deployment default/web"
	Namespace, Name string
	// Namesake says that another workload of the slice has this name in this namespace, and another kind.
	Namesake  bool
	Manifests [2]Manifest // by Version
	// Step is the place in the order in which the tool applies head that the workload comes at, or is deleted; objects
	// at a later one wait until this is healthy, unless [Spec.Straight]. 0 for all: one step.
	Step int
	// First says that the first revision of the workload, not a later one, is what may turn out bad.
	First bool
	// Sizes are what a vertical autoscaler may set pods to, beside what the templates say;
	// see control's sized.
	Sizes []Size
}
