package policies

import (
	"fmt"
	"slices"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Plugins of kube-scheduler that the model has no use for by name.
const (
	prioritySort  = "PrioritySort"
	defaultBinder = "DefaultBinder"
)

// pluginPoint is one extension point of a profile.
type pluginPoint struct {
	name string // as in the file
	set  configv1.PluginSet
}

// defaultPlugins are those of an unconfigured profile, in upstream's order.
//
// Upstream: pkg/scheduler/apis/config/v1: getDefaultPlugins, applyFeatureGates.
func defaultPlugins() []string {
	return []string{
		"SchedulingGates", prioritySort, state.NodeUnschedulable, "NodeName", state.TaintToleration,
		state.NodeAffinity, state.NodePorts, state.NodeResourcesFit, state.VolumeRestrictions, "NodeVolumeLimits",
		state.VolumeBinding, "VolumeZone", state.PodTopologySpread, state.InterPodAffinity, "DynamicResources",
		state.DefaultPreemption, state.NodeResourcesBalancedAllocation, state.ImageLocality, defaultBinder,
		"NodeDeclaredFeatures",
	}
}

// knownPlugins are upstream's own plugins.
func knownPlugins() []string {
	return append(defaultPlugins(), "GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount")
}

// plugins reads which plugins of a profile are enabled where, and their weights.
//
// Upstream: pkg/scheduler/apis/config/v1: mergePlugins; framework/runtime:
// expandMultiPointPlugins, getValidScoreWeights.
func (l *schedulerLoader) plugins(p *state.SchedulerProfile, c *configv1.Plugins, at string) {
	if c == nil {
		return
	}
	l.names(c, at)
	multi := l.multiPoint(c.MultiPoint, at+".multiPoint")
	on := func(set configv1.PluginSet, plugins ...string) []string { return expand(set, multi, plugins) }
	scorers := []string{
		state.TaintToleration, state.NodeAffinity, state.NodeResourcesFit, state.PodTopologySpread,
		state.InterPodAffinity, state.NodeResourcesBalancedAllocation, state.ImageLocality,
	}
	filters := []string{
		state.NodeUnschedulable, state.TaintToleration, state.NodeAffinity, state.NodePorts,
		state.NodeResourcesFit, state.VolumeRestrictions, state.VolumeBinding, state.PodTopologySpread,
		state.InterPodAffinity,
	}
	filter, before := on(c.Filter, filters...), on(c.PreFilter, filters[2:]...)
	p.NoFilter = map[string]bool{}
	for _, name := range filters {
		if !slices.Contains(filter, name) {
			p.NoFilter[name] = true
		}
	}
	l.pairs(filter, before, filters[2:], at, "preFilter", "filter")
	if !slices.IsSortedFunc(filter, func(a, b string) int { return slices.Index(filters, a) - slices.Index(filters, b) }) {
		l.refuse(at+".filter", "filters in another order than upstream's")
	}
	l.weights(p, c, multi, at, on(c.Score, scorers...))
	l.pairs(on(c.Score, scorers[:6]...), on(c.PreScore, scorers[:6]...), nil, at, "preScore", "score")
	p.NoPreemption = len(on(c.PostFilter, state.DefaultPreemption)) == 0
	if len(on(c.QueueSort, prioritySort)) == 0 {
		l.wrong(at, "%s is disabled, and no other plugin sorts the queue; enable it", prioritySort)
	}
	if len(on(c.Bind, defaultBinder)) == 0 {
		l.wrong(at, "%s is disabled, and no other plugin binds pods; enable it", defaultBinder)
	}
}

// pairs refuses a plugin that runs at a point without the one before it, whose result it
// needs, or, of those in both, at the one before alone, where it may refuse pods.
func (l *schedulerLoader) pairs(on, before, both []string, at, first, second string) {
	for _, name := range on {
		if !slices.Contains(before, name) && (len(both) == 0 || slices.Contains(both, name)) {
			l.refuse(at+"."+first, "%s without its %s", second, first)
		}
	}
	for _, name := range before {
		if name == state.NodeAffinity && len(both) > 0 && !slices.Contains(on, name) {
			l.refuse(at+"."+second, "%s of %s without its %s", first, name, second)
		}
	}
}

// multiPoint merges the plugins of all points into upstream's default ones.
//
// Upstream: mergePluginSet.
func (l *schedulerLoader) multiPoint(set configv1.PluginSet, at string) []string {
	var out []string
	if !has(set.Disabled, "*") {
		for _, name := range defaultPlugins() {
			if !has(set.Disabled, name) {
				out = append(out, name)
			}
		}
	}
	for i, e := range set.Enabled {
		if !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		} else if slices.ContainsFunc(set.Enabled[:i], func(o configv1.Plugin) bool { return o.Name == e.Name }) {
			l.wrong(fmt.Sprintf("%s.enabled[%d]", at, i), "%s is enabled a second time; keep one of the two", quote(e.Name))
		}
	}
	return out
}

// expand gives those of some plugins that run at a point, in their order: first those
// that the point names and all points have, then the rest of all points, then the rest
// of the point.
//
// Upstream: expandMultiPointPlugins.
func expand(set configv1.PluginSet, multi, plugins []string) []string {
	every := multi
	if has(set.Disabled, "*") {
		every = nil
	}
	var override, rest, last []string
	for _, e := range set.Enabled {
		if slices.Contains(every, e.Name) && !has(set.Disabled, e.Name) {
			override = append(override, e.Name)
		} else {
			last = append(last, e.Name)
		}
	}
	for _, name := range every {
		if !has(set.Disabled, name) && !has(set.Enabled, name) {
			rest = append(rest, name)
		}
	}
	var out []string
	for _, name := range slices.Concat(override, rest, last) {
		if slices.Contains(plugins, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func has(list []configv1.Plugin, name string) bool {
	return slices.ContainsFunc(list, func(p configv1.Plugin) bool { return p.Name == name })
}

// weights sets the weight of every plugin that scores: that of the point score, else
// that of all points, else upstream's; none, or 0, is 1.
func (l *schedulerLoader) weights(p *state.SchedulerProfile, c *configv1.Plugins, multi []string,
	at string, on []string) {
	upstream := p.Weight
	p.Weight = map[string]int64{}
	for _, name := range on {
		weight, where := int64(1), ""
		switch i, k := index(c.Score.Enabled, name), index(c.MultiPoint.Enabled, name); {
		case i >= 0:
			weight, where = given(c.Score.Enabled[i]), fmt.Sprintf("%s.score.enabled[%d]", at, i)
		case k >= 0:
			weight, where = given(c.MultiPoint.Enabled[k]), fmt.Sprintf("%s.multiPoint.enabled[%d]", at, k)
		case slices.Contains(multi, name):
			weight = upstream[name]
		}
		if where != "" && weight < 0 {
			l.wrong(where+".weight", "must not be below 0, but is %d", weight)
		}
		p.Weight[name] = weight
		if weight != upstream[name] {
			p.Fields[name] = where
		}
	}
}

func given(p configv1.Plugin) int64 {
	if p.Weight == nil || *p.Weight == 0 {
		return 1
	}
	return int64(*p.Weight)
}

func index(list []configv1.Plugin, name string) int {
	return slices.IndexFunc(list, func(p configv1.Plugin) bool { return p.Name == name })
}

// names refuses plugins that are not upstream's own.
func (l *schedulerLoader) names(c *configv1.Plugins, at string) {
	for _, point := range []pluginPoint{
		{name: "multiPoint", set: c.MultiPoint}, {name: "preEnqueue", set: c.PreEnqueue},
		{name: "queueSort", set: c.QueueSort},
		{name: "preFilter", set: c.PreFilter}, {name: "filter", set: c.Filter}, {name: "postFilter", set: c.PostFilter},
		{name: "preScore", set: c.PreScore}, {name: "score", set: c.Score}, {name: "reserve", set: c.Reserve},
		{name: "permit", set: c.Permit}, {name: "preBind", set: c.PreBind}, {name: "bind", set: c.Bind},
		{name: "postBind", set: c.PostBind},
	} {
		for i, e := range point.set.Enabled {
			path := fmt.Sprintf("%s.%s.enabled[%d]", at, point.name, i)
			if !slices.Contains(knownPlugins(), e.Name) {
				l.refuse(path, "the plugin %s, which is not one of kube-scheduler's own", quote(e.Name))
			} else if first := index(point.set.Enabled, e.Name); first < i && point.name != "multiPoint" {
				l.wrong(path, "%s is enabled a second time; keep one of the two", quote(e.Name))
			}
		}
	}
}
