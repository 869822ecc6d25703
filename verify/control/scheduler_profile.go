package control

import (
	corev1 "k8s.io/api/core/v1"
)

// Names of the scheduler's plugins that the model has.
const (
	NodeUnschedulable               = "NodeUnschedulable"
	TaintToleration                 = "TaintToleration"
	NodeAffinity                    = "NodeAffinity"
	NodePorts                       = "NodePorts"
	NodeResourcesFit                = "NodeResourcesFit"
	PodTopologySpread               = "PodTopologySpread"
	InterPodAffinity                = "InterPodAffinity"
	NodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality                   = "ImageLocality"
)

// ScoringStrategy names how NodeResourcesFit scores a node.
type ScoringStrategy string

const (
	LeastAllocated           ScoringStrategy = "LeastAllocated"
	MostAllocated            ScoringStrategy = "MostAllocated"
	RequestedToCapacityRatio ScoringStrategy = "RequestedToCapacityRatio"
)

// ResourceWeight is one resource of a scoring strategy.
type ResourceWeight struct {
	Name   corev1.ResourceName
	Weight int64 // 1 to 100; NodeResourcesBalancedAllocation ignores it
}

// ShapePoint is one point of RequestedToCapacityRatio's broken line.
type ShapePoint struct {
	Utilization int64 // percent of the allocatable, 0 to 100, ascending
	Score       int64 // 0 to 10
}

// SchedulerProfile is the part of a KubeSchedulerProfile that the model reads, with
// upstream's defaults filled in.
type SchedulerProfile struct {
	// NoFilter holds the plugins whose Filter is disabled.
	NoFilter map[string]bool
	// Weight of each plugin's score; one that is absent or 0 does not score.
	Weight map[string]int64

	Strategy  ScoringStrategy
	Resources []ResourceWeight // of NodeResourcesFit's strategy
	Shape     []ShapePoint     // of RequestedToCapacityRatio
	// IgnoredResources and IgnoredResourceGroups are extended resources that
	// NodeResourcesFit does not filter by; a group is the part before the slash.
	IgnoredResources      map[string]bool
	IgnoredResourceGroups map[string]bool
	Balanced              []ResourceWeight // of NodeResourcesBalancedAllocation

	HardPodAffinityWeight int64 // 0 to 100
	// IgnorePreferredTermsOfExistingPods applies to pods without preferred terms.
	IgnorePreferredTermsOfExistingPods bool

	AddedAffinity *corev1.NodeAffinity

	// DefaultConstraints spread the pods that declare no constraint; they have no
	// selector of their own.
	DefaultConstraints []corev1.TopologySpreadConstraint
	// SystemDefaulting says that DefaultConstraints are upstream's own: nodes without a
	// zone label are then scored by their host name alone.
	SystemDefaulting bool
}

// DefaultSchedulerProfile is the profile default-scheduler of an unconfigured kube-scheduler.
//
// Upstream: pkg/scheduler/apis/config/v1: getDefaultPlugins, the SetDefaults functions
// of the plugins' arguments; podtopologyspread: systemDefaultConstraints.
func DefaultSchedulerProfile() SchedulerProfile {
	cpuAndMemory := []ResourceWeight{{corev1.ResourceCPU, 1}, {corev1.ResourceMemory, 1}}
	return SchedulerProfile{
		Weight: map[string]int64{
			TaintToleration:                 3,
			NodeAffinity:                    2,
			NodeResourcesFit:                1,
			PodTopologySpread:               2,
			InterPodAffinity:                2,
			NodeResourcesBalancedAllocation: 1,
			ImageLocality:                   1,
		},
		Strategy:              LeastAllocated,
		Resources:             cpuAndMemory,
		Balanced:              cpuAndMemory,
		HardPodAffinityWeight: 1,
		DefaultConstraints: []corev1.TopologySpreadConstraint{
			{TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, MaxSkew: 3},
			{TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway, MaxSkew: 5},
		},
		SystemDefaulting: true,
	}
}

// scorer is a score plugin by its place in upstream's order.
type scorer int

const (
	scoreTaints scorer = iota
	scoreNodeAffinity
	scoreFit
	scoreSpread
	scorePodAffinity
	scoreBalanced
	scoreImages
	scorers // number of score plugins
)

// scorerNames gives the plugin of each scorer.
func scorerNames() [scorers]string {
	return [scorers]string{
		TaintToleration, NodeAffinity, NodeResourcesFit, PodTopologySpread, InterPodAffinity,
		NodeResourcesBalancedAllocation, ImageLocality,
	}
}
