package state

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Names of the descheduler's plugins, as a DeschedulerPolicy spells them.
const (
	DefaultEvictorPlugin            = "DefaultEvictor"
	RemoveDuplicates                = "RemoveDuplicates"
	RemovePodsViolatingSpread       = "RemovePodsViolatingTopologySpreadConstraint"
	LowNodeUtilization              = "LowNodeUtilization"
	HighNodeUtilization             = "HighNodeUtilization"
	RemovePodsViolatingAffinity     = "RemovePodsViolatingNodeAffinity"
	RemovePodsViolatingTaints       = "RemovePodsViolatingNodeTaints"
	RemovePodsViolatingAntiAffinity = "RemovePodsViolatingInterPodAntiAffinity"
	RemovePodsHavingRestarts        = "RemovePodsHavingTooManyRestarts"
	PodLifeTime                     = "PodLifeTime"
	RemoveFailedPods                = "RemoveFailedPods"
)

// Descheduler is a DeschedulerPolicy (descheduler v0.36.0, pkg/api/v1alpha2) with
// upstream's defaults filled in. Limits are in pods of one cycle; nil: none.
type Descheduler struct {
	Profiles        []DeschedulerProfile
	NodeSelector    string // label selector of the nodes it works on; "": all
	MaxPerNode      *int
	MaxPerNamespace *int
	MaxTotal        *int
}

// NodeKeys lists the node labels that the policy selects nodes by, sorted: nodes that
// differ in one of them are not alike.
func (d *Descheduler) NodeKeys() []string {
	var keys []string
	add := func(selector string) {
		// A selector that cannot be parsed is refused where the actor is built.
		if s, err := labels.Parse(selector); err == nil {
			list, _ := s.Requirements()
			for _, r := range list {
				keys = append(keys, r.Key())
			}
		}
	}
	add(d.NodeSelector)
	for i := range d.Profiles {
		add(d.Profiles[i].Evictor.NodeSelector)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// DeschedulerProfile is one profile: plugins in the order they run, all of Deschedule
// of every profile before any of Balance.
type DeschedulerProfile struct {
	Name                string
	Deschedule, Balance []DeschedulerPlugin
	Evictor             DefaultEvictor
}

// DeschedulerPlugin is one enabled plugin.
type DeschedulerPlugin struct {
	Name  string
	Field string // where its arguments stand, such as "profiles[0].pluginConfig[1].args"
	// Args are the plugin's own: a pointer to one of the Args types of this file.
	Args any
}

// Namespaces limits a plugin to some namespaces; at most one of the lists is set.
type Namespaces struct{ Include, Exclude []string }

// PodSelection says which pods a plugin looks at.
type PodSelection struct {
	Namespaces    Namespaces
	LabelSelector *metav1.LabelSelector // nil: all
}

// PriorityThreshold protects pods of a priority; at most one field is set, and none
// means 2,000,000,000.
type PriorityThreshold struct {
	Value *int32
	Name  string // of a PriorityClass
}

// DefaultEvictor says which pods may be evicted at all.
type DefaultEvictor struct {
	Field                  string // where its arguments stand; "": they are defaulted
	NodeSelector           string // label selector of the nodes that NodeFit looks at
	LabelSelector          *metav1.LabelSelector
	NamespaceLabelSelector *metav1.LabelSelector
	PriorityThreshold      PriorityThreshold
	NodeFit                bool
	MinReplicas            int  // of a pod's owner; 0 and 1: no limit
	MinPodAge              bool // one is set
	MandatoryNoEviction    bool // noEvictionPolicy is Mandatory
	// Protections, deprecated flags and podProtections merged: the pods that stay.
	ProtectLocalStorage, ProtectDaemonSets, ProtectSystemCritical bool
	ProtectPVC, ProtectWithoutPDB, ProtectResourceClaims          bool
	// ProtectedStorageClasses narrows ProtectPVC; empty: every claim protects.
	ProtectedStorageClasses []string
}

// RemoveDuplicatesArgs are those of RemoveDuplicates.
type RemoveDuplicatesArgs struct {
	Namespaces        Namespaces
	ExcludeOwnerKinds []string
}

// SpreadArgs are those of RemovePodsViolatingTopologySpreadConstraint.
type SpreadArgs struct {
	PodSelection
	Constraints []corev1.UnsatisfiableConstraintAction // default: DoNotSchedule
	BalanceFit  bool                                   // topologyBalanceNodeFit, by default true
}

// ResourceThresholds are percentages (0 to 100) of a node's allocatable.
type ResourceThresholds map[corev1.ResourceName]float64

// LowNodeUtilizationArgs are those of LowNodeUtilization.
type LowNodeUtilizationArgs struct {
	Thresholds, TargetThresholds ResourceThresholds
	Deviation                    bool // useDeviationThresholds: they are distances from the average
	NumberOfNodes                int
	Metrics                      bool // metricsUtilization is set
	ExcludeNamespaces            []string
	MaxPerNode                   *int // evictionLimits.node, in pods of one run; nil: none
}

// HighNodeUtilizationArgs are those of HighNodeUtilization.
type HighNodeUtilizationArgs struct {
	Thresholds        ResourceThresholds
	NumberOfNodes     int
	OnlyThresholding  bool // evictionModes has OnlyThresholdingResources
	ExcludeNamespaces []string
}

// NodeAffinityArgs are those of RemovePodsViolatingNodeAffinity.
type NodeAffinityArgs struct {
	PodSelection
	Types []string // nodeAffinityType, in order
}

// NodeTaintsArgs are those of RemovePodsViolatingNodeTaints; taints are keys or key=value.
type NodeTaintsArgs struct {
	PodSelection
	PreferNoSchedule   bool
	Excluded, Included []string
}

// AntiAffinityArgs are those of RemovePodsViolatingInterPodAntiAffinity.
type AntiAffinityArgs struct{ PodSelection }

// RestartsArgs are those of RemovePodsHavingTooManyRestarts.
type RestartsArgs struct {
	PodSelection
	Threshold int32
}

// PodLifeTimeArgs are those of PodLifeTime.
type PodLifeTimeArgs struct {
	PodSelection
	OwnerKinds Namespaces // owner kinds, included or excluded
	MaxSeconds *int
	States     []string // empty: any
	Conditions int      // number of condition filters
	ExitCodes  []int32
}

// FailedPodsArgs are those of RemoveFailedPods, of which none is read.
type FailedPodsArgs struct{}
