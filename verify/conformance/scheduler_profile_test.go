package conformance

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"

	"github.com/kubesettle/kubesettle/verify/control"
)

// profile is one scheduler profile on both sides.
type profile struct {
	upstream config.KubeSchedulerProfile
	ours     control.SchedulerProfile
}

// defaultProfile is what an unconfigured kube-scheduler runs, and the model's copy.
func defaultProfile() (*profile, error) {
	c, err := latest.Default()
	if err != nil {
		return nil, err
	}
	return &profile{upstream: c.Profiles[0], ours: control.DefaultSchedulerProfile()}, nil
}

// profile draws a variation of the default profile.
func (g generator) profile() (*profile, error) {
	p, err := defaultProfile()
	if err != nil {
		return nil, err
	}
	for _, name := range modelled() {
		if g.chance(20) {
			if weight := p.ours.Weight[name]; weight > 0 {
				p.setWeight(name, 1+g.Int32N(9))
			}
		}
		if g.chance(4) {
			p.disable(name)
		}
	}
	for i := range p.upstream.PluginConfig {
		if g.chance(50) {
			if err := g.arguments(p, &p.upstream.PluginConfig[i]); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// modelled lists the plugins that the model has.
func modelled() []string {
	return []string{
		control.NodeUnschedulable, control.TaintToleration, control.NodeAffinity, control.NodePorts,
		control.NodeResourcesFit, control.PodTopologySpread, control.InterPodAffinity,
		control.NodeResourcesBalancedAllocation, control.ImageLocality,
	}
}

func (p *profile) setWeight(name string, weight int32) {
	for i := range p.upstream.Plugins.MultiPoint.Enabled {
		if plugin := &p.upstream.Plugins.MultiPoint.Enabled[i]; plugin.Name == name {
			plugin.Weight = weight
		}
	}
	p.ours.Weight[name] = int64(weight)
}

func (p *profile) disable(name string) {
	list := &p.upstream.Plugins.MultiPoint.Enabled
	*list = slices.DeleteFunc(slices.Clone(*list), func(x config.Plugin) bool { return x.Name == name })
	p.upstream.PluginConfig = slices.DeleteFunc(slices.Clone(p.upstream.PluginConfig),
		func(x config.PluginConfig) bool { return x.Name == name })
	if p.ours.NoFilter == nil {
		p.ours.NoFilter = map[string]bool{}
	}
	p.ours.NoFilter[name] = true
	delete(p.ours.Weight, name)
}

// arguments draws the arguments of one plugin.
func (g generator) arguments(p *profile, c *config.PluginConfig) error {
	switch args := c.Args.DeepCopyObject().(type) {
	case *config.NodeResourcesFitArgs:
		g.fitArguments(&p.ours, args)
		c.Args = args
	case *config.NodeResourcesBalancedAllocationArgs:
		p.ours.Balanced = nil
		args.Resources = nil
		for _, r := range append([]string{"cpu", "memory"}, some(g, 50, "ephemeral-storage", "example.com/gpu")...) {
			args.Resources = append(args.Resources, config.ResourceSpec{Name: r, Weight: 1})
			p.ours.Balanced = append(p.ours.Balanced, control.ResourceWeight{Name: corev1.ResourceName(r), Weight: 1})
		}
		c.Args = args
	case *config.InterPodAffinityArgs:
		args.HardPodAffinityWeight = pick[int32](g, 0, 1, 50)
		args.IgnorePreferredTermsOfExistingPods = g.chance(50)
		p.ours.HardPodAffinityWeight = int64(args.HardPodAffinityWeight)
		p.ours.IgnorePreferredTermsOfExistingPods = args.IgnorePreferredTermsOfExistingPods
		c.Args = args
	case *config.NodeAffinityArgs:
		args.AddedAffinity = g.addedAffinity()
		p.ours.AddedAffinity = args.AddedAffinity
		c.Args = args
	case *config.PodTopologySpreadArgs:
		args.DefaultingType, args.DefaultConstraints = config.ListDefaulting, nil
		for range g.IntN(3) {
			args.DefaultConstraints = append(args.DefaultConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: 1 + g.Int32N(3), TopologyKey: g.topologyKey(),
				WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			})
		}
		args.DefaultConstraints = distinct(args.DefaultConstraints)
		p.ours.SystemDefaulting, p.ours.DefaultConstraints = false, args.DefaultConstraints
		c.Args = args
	}
	return nil
}

// distinct drops default constraints that upstream's validation calls duplicates.
func distinct(list []corev1.TopologySpreadConstraint) []corev1.TopologySpreadConstraint {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c corev1.TopologySpreadConstraint) bool {
		key := fmt.Sprint(c.TopologyKey, c.WhenUnsatisfiable)
		old := seen[key]
		seen[key] = true
		return old
	})
}

func (g generator) fitArguments(ours *control.SchedulerProfile, args *config.NodeResourcesFitArgs) {
	strategy := pick(g, control.LeastAllocated, control.MostAllocated, control.RequestedToCapacityRatio)
	ours.Strategy, ours.Resources, ours.Shape = strategy, nil, nil
	args.ScoringStrategy = &config.ScoringStrategy{Type: config.ScoringStrategyType(strategy)}
	for _, name := range some(g, 60, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi") {
		weight := 1 + g.Int64N(5)
		args.ScoringStrategy.Resources = append(args.ScoringStrategy.Resources, config.ResourceSpec{Name: name, Weight: weight})
		ours.Resources = append(ours.Resources, control.ResourceWeight{Name: corev1.ResourceName(name), Weight: weight})
	}
	if len(ours.Resources) == 0 {
		args.ScoringStrategy.Resources = []config.ResourceSpec{{Name: "cpu", Weight: 1}}
		ours.Resources = []control.ResourceWeight{{Name: "cpu", Weight: 1}}
	}
	if strategy == control.RequestedToCapacityRatio {
		args.ScoringStrategy.RequestedToCapacityRatio = &config.RequestedToCapacityRatioParam{}
		at := int32(0)
		for range 1 + g.IntN(3) {
			point := config.UtilizationShapePoint{Utilization: at, Score: g.Int32N(11)}
			args.ScoringStrategy.RequestedToCapacityRatio.Shape = append(args.ScoringStrategy.RequestedToCapacityRatio.Shape, point)
			ours.Shape = append(ours.Shape, control.ShapePoint{Utilization: int64(point.Utilization), Score: int64(point.Score)})
			at += 1 + g.Int32N(33)
		}
	}
	if g.chance(30) {
		args.IgnoredResources = []string{"example.com/gpu"}
		ours.IgnoredResources = map[string]bool{"example.com/gpu": true}
	}
	if g.chance(15) {
		args.IgnoredResourceGroups = []string{"example.com"}
		ours.IgnoredResourceGroups = map[string]bool{"example.com": true}
	}
}

func (g generator) addedAffinity() *corev1.NodeAffinity {
	zone := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"c"}}}}
	disk := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: "disk", Operator: corev1.NodeSelectorOpExists}}}
	a := &corev1.NodeAffinity{}
	if g.chance(50) {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{zone}}
	}
	if g.chance(70) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 7, Preference: disk}}
	}
	return a
}
