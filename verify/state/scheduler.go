package state

import corev1 "k8s.io/api/core/v1"

// Names of the plugins of kube-scheduler that the model has.
const (
	NodeUnschedulable               = "NodeUnschedulable"
	TaintToleration                 = "TaintToleration"
	NodeAffinity                    = "NodeAffinity"
	NodePorts                       = "NodePorts"
	NodeResourcesFit                = "NodeResourcesFit"
	VolumeRestrictions              = "VolumeRestrictions"
	VolumeBinding                   = "VolumeBinding"
	PodTopologySpread               = "PodTopologySpread"
	InterPodAffinity                = "InterPodAffinity"
	DefaultPreemption               = "DefaultPreemption"
	NodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality                   = "ImageLocality"
)

// Scheduler is a KubeSchedulerConfiguration, with its defaults filled in, as far as the
// model reads it.
type Scheduler struct {
	// Profiles by Name, which are distinct; a pod is scheduled by the one it names.
	Profiles []SchedulerProfile
	// Refused is a feature that the configuration asks for and the model does not have, as "field: value"; "" is none.
	Refused string
}

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
	Name string // what a pod's spec.schedulerName has
	// Fields names, by plugin, the field of the configuration file that tunes it
	// ("profiles[0].pluginConfig[1].args"); a plugin as upstream has it is absent.
	Fields map[string]string

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

	// DefaultConstraints spread the pods that declare no constraint; they have no selector.
	DefaultConstraints []corev1.TopologySpreadConstraint
	// SystemDefaulting says that DefaultConstraints are upstream's own: nodes without a
	// zone label are then scored by their host name alone.
	SystemDefaulting bool

	// NoPreemption says that DefaultPreemption is disabled.
	NoPreemption bool
	// MinCandidates is how many nodes DefaultPreemption looks for at least: a percentage
	// of the nodes where preemption may help, 0 to 100, and a number.
	MinCandidates struct{ Percent, Nodes int }
}

// DefaultSchedulerProfile is the profile default-scheduler of an unconfigured kube-scheduler.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/apis/config/v1: getDefaultPlugins, the
// SetDefaults functions of the plugins' arguments; podtopologyspread:
// systemDefaultConstraints.
func DefaultSchedulerProfile() SchedulerProfile {
	cpuAndMemory := []ResourceWeight{{corev1.ResourceCPU, 1}, {corev1.ResourceMemory, 1}}
	p := SchedulerProfile{
		Name: corev1.DefaultSchedulerName,
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
	p.MinCandidates.Percent, p.MinCandidates.Nodes = 10, 100
	return p
}

// SchedulerProfiles are the profiles of the problem's scheduler: the configured ones, or
// upstream's default.
func (s *Spec) SchedulerProfiles() []SchedulerProfile {
	if s.Scheduler == nil {
		return []SchedulerProfile{DefaultSchedulerProfile()}
	}
	return s.Scheduler.Profiles
}

// NodeKeys are the node labels that the profiles tell nodes apart by: keys whose values
// are compared with one that the configuration names, and keys of topologies.
func (s *Scheduler) NodeKeys() (named, topologies []string) {
	for i := range s.Profiles {
		p := &s.Profiles[i]
		for _, c := range p.DefaultConstraints {
			topologies = append(topologies, c.TopologyKey)
		}
		if p.AddedAffinity == nil {
			continue
		}
		var terms []corev1.NodeSelectorTerm
		if r := p.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
			terms = append(terms, r.NodeSelectorTerms...)
		}
		for _, t := range p.AddedAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
			terms = append(terms, t.Preference)
		}
		for _, t := range terms {
			for _, e := range t.MatchExpressions {
				named = append(named, e.Key)
			}
		}
	}
	return named, topologies
}
