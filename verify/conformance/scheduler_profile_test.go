package conformance

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// schedulerConfig is one configuration file as both sides read it.
type schedulerConfig struct {
	file     []byte
	upstream *config.KubeSchedulerConfiguration
	ours     *state.Scheduler
}

// secondScheduler names the profile that stands beside default-scheduler.
const secondScheduler = "second"

// readConfig loads a file of profiles on both sides.
func readConfig(profiles []configv1.KubeSchedulerProfile) (*schedulerConfig, error) {
	file, err := json.MarshalIndent(map[string]any{
		"apiVersion": configv1.SchemeGroupVersion.String(), "kind": policies.SchedulerKind, "profiles": profiles,
	}, "", " ")
	if err != nil {
		return nil, err
	}
	c := &schedulerConfig{file: file}
	if c.upstream, err = decodeConfig(file); err != nil {
		return nil, err
	}
	c.ours, err = policies.LoadScheduler("scheduler.yaml", file)
	return c, err
}

// decodeConfig is upstream's cmd/kube-scheduler/app/options: loadConfig.
func decodeConfig(file []byte) (*config.KubeSchedulerConfiguration, error) {
	obj, _, err := scheme.Codecs.UniversalDecoder().Decode(file, nil, nil)
	if err != nil {
		return nil, err
	}
	return obj.(*config.KubeSchedulerConfiguration), nil
}

// defaultConfig is what an unconfigured kube-scheduler runs, twice.
func defaultConfig() (*schedulerConfig, error) {
	return readConfig([]configv1.KubeSchedulerProfile{named(corev1.DefaultSchedulerName), named(secondScheduler)})
}

func named(name string) configv1.KubeSchedulerProfile {
	return configv1.KubeSchedulerProfile{SchedulerName: &name}
}

// config draws a configuration with two profiles.
func (g generator) config() (*schedulerConfig, error) {
	first, second := named(corev1.DefaultSchedulerName), named(secondScheduler)
	g.profile(&first)
	if g.chance(50) {
		g.profile(&second)
	}
	c, err := readConfig([]configv1.KubeSchedulerProfile{first, second})
	if err == nil && c.ours.Refused != "" { // filters in another order
		return g.config()
	}
	return c, err
}

// filterPlugins and scorePlugins are those that the model has, by extension point.
var (
	filterPlugins = []string{
		state.NodeUnschedulable, state.TaintToleration, state.NodePorts, state.NodeResourcesFit,
		state.PodTopologySpread, state.InterPodAffinity,
	}
	scorePlugins = []string{
		state.TaintToleration, state.NodeAffinity, state.NodeResourcesFit, state.PodTopologySpread,
		state.InterPodAffinity, state.NodeResourcesBalancedAllocation, state.ImageLocality,
	}
)

// profile draws a variation of the default profile: plugins enabled, disabled and
// weighted at one point or at all, and their arguments.
func (g generator) profile(p *configv1.KubeSchedulerProfile) {
	p.Plugins = &configv1.Plugins{}
	weighted := func(name string) configv1.Plugin {
		if g.chance(20) {
			return configv1.Plugin{Name: name}
		}
		weight := g.Int32N(10)
		return configv1.Plugin{Name: name, Weight: &weight}
	}
	for _, name := range scorePlugins {
		if g.chance(12) {
			p.Plugins.MultiPoint.Enabled = append(p.Plugins.MultiPoint.Enabled, weighted(name))
		}
		if g.chance(12) {
			p.Plugins.Score.Enabled = append(p.Plugins.Score.Enabled, weighted(name))
		}
		if g.chance(6) {
			p.Plugins.Score.Disabled = append(p.Plugins.Score.Disabled, configv1.Plugin{Name: name})
		}
	}
	if g.chance(10) {
		p.Plugins.Score.Disabled = []configv1.Plugin{{Name: "*"}}
	}
	for _, name := range append(slices.Clone(filterPlugins), state.NodeAffinity, state.ImageLocality, state.DefaultPreemption) {
		if g.chance(4) {
			p.Plugins.MultiPoint.Disabled = append(p.Plugins.MultiPoint.Disabled, configv1.Plugin{Name: name})
		}
	}
	for _, name := range filterPlugins {
		if g.chance(4) {
			p.Plugins.Filter.Disabled = append(p.Plugins.Filter.Disabled, configv1.Plugin{Name: name})
		}
	}
	g.arguments(p)
}

// arguments draws the arguments of some plugins.
func (g generator) arguments(p *configv1.KubeSchedulerProfile) {
	add := func(plugin string, args runtime.Object) {
		data, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		p.PluginConfig = append(p.PluginConfig, configv1.PluginConfig{Name: plugin, Args: runtime.RawExtension{Raw: data}})
	}
	if g.chance(50) {
		add(state.NodeResourcesFit, g.fitArguments())
	}
	if g.chance(40) {
		args := &configv1.NodeResourcesBalancedAllocationArgs{}
		for _, r := range some(g, 60, "cpu", "memory", "ephemeral-storage", "example.com/gpu") {
			args.Resources = append(args.Resources, configv1.ResourceSpec{Name: r, Weight: g.Int64N(2)})
		}
		add(state.NodeResourcesBalancedAllocation, args)
	}
	if g.chance(40) {
		args := &configv1.InterPodAffinityArgs{IgnorePreferredTermsOfExistingPods: g.chance(50)}
		if g.chance(70) {
			weight := pick[int32](g, 0, 1, 50)
			args.HardPodAffinityWeight = &weight
		}
		add(state.InterPodAffinity, args)
	}
	if g.chance(40) {
		add(state.NodeAffinity, &configv1.NodeAffinityArgs{AddedAffinity: g.addedAffinity()})
	}
	if g.chance(50) {
		args := &configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}
		for range g.IntN(3) {
			args.DefaultConstraints = append(args.DefaultConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: 1 + g.Int32N(3), TopologyKey: g.topologyKey(),
				WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			})
		}
		args.DefaultConstraints = distinct(args.DefaultConstraints)
		add(state.PodTopologySpread, args)
	}
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

func (g generator) fitArguments() *configv1.NodeResourcesFitArgs {
	args := &configv1.NodeResourcesFitArgs{}
	if g.chance(30) {
		args.IgnoredResources = []string{"example.com/gpu"}
	}
	if g.chance(15) {
		args.IgnoredResourceGroups = []string{"example.com"}
	}
	if g.chance(15) {
		return args
	}
	s := &configv1.ScoringStrategy{Type: pick(g, configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio)}
	for _, name := range some(g, 60, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi") {
		s.Resources = append(s.Resources, configv1.ResourceSpec{Name: name, Weight: g.Int64N(6)})
	}
	if s.Type == configv1.RequestedToCapacityRatio {
		s.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{}
		at := int32(0)
		for range 1 + g.IntN(3) {
			s.RequestedToCapacityRatio.Shape = append(s.RequestedToCapacityRatio.Shape,
				configv1.UtilizationShapePoint{Utilization: at, Score: g.Int32N(11)})
			at += 1 + g.Int32N(33)
		}
	}
	args.ScoringStrategy = s
	return args
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
