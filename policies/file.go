// Package policies holds the policy file: its keys, defaults, waivers and starter, and the user's own rules in CEL.
// The rules that it tunes are in package rules below it.
package policies

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Policy is the policy file, validated and with defaults filled in. Its YAML form is
// published as a JSON Schema, see [Schema].
type Policy struct {
	// File it was read from, as given; "" for the embedded default.
	File        string
	Releases    []Release
	Parked      []string // patterns of files that are not applied
	Cluster     Cluster
	Controllers Controllers
	Apply       string // client-side or server-side
	Events      Events
	Timing      string // realistic or arbitrary
	Crash       int    // restarts of the kube-controller-manager (timing.crash)
	Stale       int    // writes that a loop's view of pods may lack (timing.stale)
	Bound       Bound
	// Intents by rule ID; Custom are the user's own.
	Intents map[string]Intent
	Custom  []CustomIntent
	Gate    Gate
	Waivers []Waiver
	Traffic Traffic
	// Locked are the fields that policies of folders below may not give.
	Locked []Lock
	// Baseline is the content of the gate's baseline (set by the caller through [LoadBaseline], as the file has to be
	// read from a revision); nil: no finding is accepted.
	Baseline *Baseline

	lines map[string]int // of the keys that the file gives, by path; nil for the default
	gives []string       // its sections
}

// Release is a declared release; exactly one of Chart, Kustomize and Path is set.
type Release struct {
	ID, Chart, Kustomize, Path string
	Namespace                  string
	Values                     []string
	Set                        map[string]string
	SetLines                   map[string]int // of the entries of Set, in the policy file
	KubeVersion                string
	LoadRestrictor             string // rootOnly or none, of Kustomize; "" is rootOnly
	Line                       int    // in the policy file
}

// Cluster is the cluster to verify on.
type Cluster struct {
	// Assumed says that nothing was declared and the generic elastic three-zone cluster is used instead; no finding may
	// rest on its capacity.
	Assumed bool
	// NodesFile is cluster.nodes, relative to the policy file; Nodes what it holds (set
	// by [Policy.SetNodes], as the file may have to be read from a revision).
	NodesFile string
	Nodes     []*corev1.Node
	Pools     []NodePool
	// SnapshotFile is cluster.snapshot, relative to the policy file; Snapshot what it holds (set
	// by [Policy.SetSnapshot]), whose nodes are Nodes then. MaxAge is how old it may be; 0:
	// [DefaultMaxAge].
	SnapshotFile string
	Snapshot     *snapshot.Snapshot
	HPA          state.HPAFlags // of the kube-controller-manager, where the snapshot has them
	MaxAge       time.Duration
	// Gated are the feature gates that the models follow, as version and featureGates say.
	Gated state.Gated
	// Releases are patterns of the releases that this cluster runs, beside the one that is checked: their workloads
	// take room on nodes that are declared one by one.
	Releases []string
	// Workloads run in this cluster and are in no release.
	Workloads []OtherWorkload
	// Beside are the other pods on the nodes of a slice, by node (set by the code that cuts slices).
	Beside map[string]*state.Beside
}

// NodePool is a pool of like nodes, spread over its zones.
type NodePool struct {
	Name        string
	Min, Max    int // nodes of the whole pool
	Zones       []string
	Labels      map[string]string
	Taints      []corev1.Taint
	Allocatable corev1.ResourceList
	Autoscaled  bool
	Spot        bool // the provider may take the nodes back
	// Karpenter sizes the pool, by a NodePool of its name; set by [Policy.WithKarpenter].
	Karpenter *state.Karpenter
	// Follows lists further labels, beside that of the zone, that have the zone for their
	// value; Node is the name of the pool's only node, "" where it is of no matter; Unzoned says
	// that its nodes have no label of a zone and region, and the zones are values of Follows only.
	// They are of assumed clusters.
	Follows []string
	Node    string
	Unzoned bool
	// Derived says that the pool was not declared: a snapshot has nodes of its kind, and an autoscaler. Its nodes come
	// when pods wait, and stay.
	Derived bool
	// Elastic says that the capacity was not declared but invented, as the embedded
	// default's is: resource requests always fit.
	Elastic bool
}

// Controllers points to upstream's own configuration files, relative to the policy file.
type Controllers struct {
	SchedulerConfig   string
	DeschedulerPolicy string
	// Scheduler is what that file holds (set by the caller through [LoadScheduler], as
	// the file may have to be read from a revision); nil: upstream's default.
	Scheduler *state.Scheduler
	// SchedulerLines are the lines of its fields; see [FieldLines].
	SchedulerLines map[string]int
	// Descheduler is the content of that file (set by the caller through [LoadDescheduler], as the file may have to be
	// read from a revision); nil: none runs.
	Descheduler *state.Descheduler
	// DeschedulerLines are the lines of its fields; see [FieldLines].
	DeschedulerLines map[string]int
	// Discover says that configurations found among the manifests are used where the
	// policy names none. SchedulerAt, DeschedulerAt and AutoscalerAt are then the file of the
	// repository that was found (set by who looks for them).
	Discover                                 bool
	SchedulerAt, DeschedulerAt, AutoscalerAt string
	GitOps                                   *GitOps
	ClusterAutoscaler                        bool
	// Own are controllers of the user's own, as the file describes them.
	Own []OwnController
	// AutoscalerFlags are those of a cluster autoscaler that was found among the manifests.
	AutoscalerFlags state.ClusterAutoscalerFlags
	// AutoscalerLines are the lines of these flags in AutoscalerAt.
	AutoscalerLines map[string]int
	// KarpenterFile holds NodePools, NodePools what it holds (set by the caller through
	// [LoadNodePools] and [Policy.WithKarpenter]).
	KarpenterFile string
	NodePools     []*KarpenterPool
}

// GitOps is the re-sync of Argo CD or Flux.
type GitOps struct {
	SelfHeal, Prune bool
	// IgnoreDifferences are JSON pointers of fields of which a difference starts no
	// re-sync; with RespectIgnore an apply for another reason leaves them alone, too.
	IgnoreDifferences []string
	RespectIgnore     bool
	// Of reports whether IgnoreDifferences are of an object, "group/Kind namespace/name"; nil: they
	// are of all. File and Line are where a release is declared that is found to be healed (set by
	// who looks for them).
	Of   func(id string) bool
	File string
	Line int
}

// Events are the events' budgets on one run; 0 switches an event off.
type Events struct {
	LoadChange int
	// IdleMemory is the memory that a pod keeps without load, in percent of its request.
	IdleMemory  int
	PodCrash    int
	BadRevision int
	NodeFailure int
	// JobOverrun is how many CronJobs have a Job that does not end.
	JobOverrun int
	// Rollback says that base is applied again where a revision is bad, and OutOfService
	// that somebody sees to it that the pods of a lost node go.
	Rollback, OutOfService bool
	// DiskPressure and MemoryPressure are nodes whose disk or memory runs short.
	DiskPressure, MemoryPressure int
	// StartupSpike is the CPU use of a starting pod in percent of its request; 0: no spike.
	StartupSpike int
	// Drain is the declaration of drains; nil: none is given, so one drain is routine, or with NoDrain there are none.
	Drain   *Drain
	NoDrain bool
	// NodeAdded and NodeRemoved are nodes that come to a pool or leave it by hand.
	NodeAdded, NodeRemoved int
	Spot                   *SpotReclaim
	// NodePanic is the CPU use in percent above which a node goes down; 0: never.
	NodePanic int
}

// SpotReclaim is how many spot nodes the provider takes back, and whether another node
// comes in the place of each.
type SpotReclaim struct {
	Budget   int
	Replaced bool
}

// Drain is node maintenance: so many nodes on one run, so many of them at a time.
type Drain struct {
	Concurrent int
	RespectPDB bool
	Force      bool // pods that no controller owns are evicted, too
	Budget     int
}

// Bound is the confident size.
type Bound struct{ Nodes, PodsPerNode int }

// Intent tunes one rule.
type Intent struct {
	Severity  rules.Severity // "" keeps the rule's own
	MinReady  int            // for below-floor; 0: not set
	Workloads []string       // "namespace/name"; empty: all
}

// CustomIntent is a user's rule in CEL; one of the four expressions is set.
type CustomIntent struct {
	Name                               string
	Always, Eventually, Never, Settles string
	Severity                           rules.Severity
	// Workloads that self stands for, as "namespace/name"; empty: all.
	Workloads []string
	Message   string // the text of a finding; "" words the expression
	Help      string // why the intent is there, in Markdown, for the author of a finding
	File      string // the policy file that has it
	Line      int
}

// Gate says what fails a merge.
type Gate struct {
	finding.Gate
	// Baseline is the file of findings that do not fail, relative to the policy file; "": none.
	Baseline string
}

// Waiver accepts a finding for a time.
type Waiver struct {
	Rule     string
	Workload string // "namespace/name"; "" for any
	Reason   string
	Owner    string
	Expires  string // YYYY-MM-DD, the last day it holds
	File     string // the policy file that has it; "" for one beside an object
	Line     int
}
