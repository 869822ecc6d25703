package policies

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/verify/state"
)

// deschedulerV1alpha1 is the version that deschedulers read up to v0.29.
const deschedulerV1alpha1 = "descheduler/v1alpha1"

// strategyArgs are the parameters of v1alpha1 that each strategy takes as arguments of its plugin, and their names
// there; "": the members of the parameter keep their names.
//
// Upstream: descheduler v0.29.0, pkg/api/v1alpha1: StrategyParamsToPluginArgs.
var strategyArgs = map[string]map[string]string{
	state.RemovePodsViolatingTaints: {"namespaces": "namespaces", "labelSelector": "labelSelector",
		"includePreferNoSchedule": "includePreferNoSchedule", "excludedTaints": "excludedTaints"},
	state.RemoveFailedPods: {"namespaces": "namespaces", "labelSelector": "labelSelector", "failedPods": ""},
	state.RemovePodsViolatingAffinity: {"namespaces": "namespaces", "labelSelector": "labelSelector",
		"nodeAffinityType": "nodeAffinityType"},
	state.RemovePodsViolatingAntiAffinity: {"namespaces": "namespaces", "labelSelector": "labelSelector"},
	state.RemovePodsHavingRestarts: {"namespaces": "namespaces", "labelSelector": "labelSelector",
		"podsHavingTooManyRestarts": ""},
	state.PodLifeTime:      {"namespaces": "namespaces", "labelSelector": "labelSelector", "podLifeTime": ""},
	state.RemoveDuplicates: {"namespaces": "namespaces", "removeDuplicates": ""},
	state.RemovePodsViolatingSpread: {"namespaces": "namespaces", "labelSelector": "labelSelector",
		"includeSoftConstraints": ""},
	state.LowNodeUtilization:  {"namespaces": "evictableNamespaces", "nodeResourceUtilizationThresholds": ""},
	state.HighNodeUtilization: {"namespaces": "evictableNamespaces", "nodeResourceUtilizationThresholds": ""},
}

// strategyGroups are the parameters of v1alpha1 that hold others.
var strategyGroups = map[string][]string{
	"failedPods":                {"excludeOwnerKinds", "minPodLifetimeSeconds", "reasons", "includingInitContainers"},
	"podsHavingTooManyRestarts": {"podRestartThreshold", "includingInitContainers"},
	"podLifeTime":               {"maxPodLifeTimeSeconds", "states", "podStatusPhases"},
	"removeDuplicates":          {"excludeOwnerKinds"},
	"nodeResourceUtilizationThresholds": {"useDeviationThresholds", "thresholds", "targetThresholds",
		"numberOfNodes"},
}

// policyV1alpha1 converts a policy in v1alpha1 as deschedulers did: each enabled strategy is a profile, and all share
// the policy's evictor, except for the strategy's own nodes and priorities. Upstream ran the profiles in random order,
// here they run in that of their names: an effect of another order only is hidden.
//
// Upstream: descheduler v0.29.0, pkg/api/v1alpha1: V1alpha1ToInternal.
func (d *decoder) policyV1alpha1(root *yaml.Node, out *state.Descheduler) {
	var version, kind string
	var bare, local, critical, pvc bool
	var strategies []func()
	d.object(root, "", fields{
		"apiVersion":                     oneOf(d, &version, deschedulerV1alpha1),
		"kind":                           oneOf(d, &kind, DeschedulerKind),
		"nodeSelector":                   d.possiblyEmpty(&out.NodeSelector, labelQuery),
		"maxNoOfPodsToEvictPerNode":      d.limit(&out.MaxPerNode),
		"maxNoOfPodsToEvictPerNamespace": d.limit(&out.MaxPerNamespace),
		"evictFailedBarePods":            d.flag(&bare),
		"evictLocalStoragePods":          d.flag(&local),
		"evictSystemCriticalPods":        d.flag(&critical),
		"ignorePvcPods":                  d.flag(&pvc),
		"strategies": func(n *yaml.Node, at string) {
			d.entries(n, at, func(key *yaml.Node) read {
				if strategyArgs[key.Value] == nil {
					d.fail(key, join(at, key.Value), "is not a strategy; %s",
						hint(key.Value, slices.Sorted(maps.Keys(strategyArgs))))
					return nil
				}
				return func(n *yaml.Node, at string) {
					p, enabled := d.strategy(key.Value, n, at)
					if !enabled {
						return
					}
					strategies = append(strategies, func() {
						p.Evictor.ProtectLocalStorage, p.Evictor.ProtectSystemCritical = !local, !critical
						p.Evictor.ProtectPVC = pvc
						out.Profiles = append(out.Profiles, p)
					})
				}
			})
		},
	}, "apiVersion", "kind")
	for _, add := range strategies {
		add()
	}
	slices.SortFunc(out.Profiles, func(a, b state.DeschedulerProfile) int { return strings.Compare(a.Name, b.Name) })
}

// strategy reads one strategy as the profile that it is converted to.
func (d *decoder) strategy(name string, n *yaml.Node, at string) (state.DeschedulerProfile, bool) {
	enabled, weight := false, 0
	params, where := (*yaml.Node)(nil), at
	d.object(n, at, fields{
		"enabled": d.flag(&enabled), "weight": d.number(&weight, -1<<31, 1<<31-1),
		"params": func(n *yaml.Node, at string) {
			if n.ShortTag() != "!!null" {
				params, where = n, at
			}
		},
	})
	p := state.DeschedulerProfile{Name: "strategy-" + name + "-profile", Evictor: defaultEvictor(where)}
	if !enabled {
		return p, false
	}
	args := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	if params != nil {
		args.Line, args.Column = params.Line, params.Column
		d.params(name, params, where, args, &p.Evictor)
	}
	plugin := state.DeschedulerPlugin{Name: name, Field: where, Args: d.pluginArgs(name, args, where)}
	if slices.Contains(balancePlugins, name) {
		p.Balance = []state.DeschedulerPlugin{plugin}
	} else {
		p.Deschedule = []state.DeschedulerPlugin{plugin}
	}
	return p, true
}

// params sorts the parameters of a strategy: those of its plugin go to args, those of its evictor are read.
func (d *decoder) params(name string, n *yaml.Node, at string, args *yaml.Node, e *state.DefaultEvictor) {
	text := func(s string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: n.Line, Column: n.Column}
	}
	states := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line, Column: n.Column}
	give := func(key string, v *yaml.Node) {
		switch {
		case v.ShortTag() == "!!null":
		case key == "states" || key == "podStatusPhases":
			d.list(func(v *yaml.Node, _ string) { states.Content = append(states.Content, v) })(v, join(at, key))
		default:
			args.Content = append(args.Content, text(key), v)
		}
	}
	fs := fields{
		"thresholdPriority": func(n *yaml.Node, at string) {
			value := 0
			if n.ShortTag() == "!!null" {
				return
			}
			d.number(&value, -1<<31, 2_000_000_000)(n, at)
			v := int32(value)
			e.PriorityThreshold.Value = &v
		},
		"thresholdPriorityClassName": d.possiblyEmpty(&e.PriorityThreshold.Name, func(string) string { return "" }),
		"nodeFit":                    d.flag(&e.NodeFit),
		"includeSoftConstraints": func(n *yaml.Node, at string) {
			soft := false
			if d.flag(&soft)(n, at); soft && name == state.RemovePodsViolatingSpread {
				give("constraints", &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line,
					Content: []*yaml.Node{text("DoNotSchedule"), text("ScheduleAnyway")}})
			}
		},
	}
	for _, key := range []string{"namespaces", "labelSelector", "includePreferNoSchedule", "excludedTaints",
		"nodeAffinityType"} {
		fs[key] = func(v *yaml.Node, _ string) {
			if to := strategyArgs[name][key]; to != "" {
				give(to, v)
			}
		}
	}
	for group, keys := range strategyGroups {
		_, taken := strategyArgs[name][group]
		fs[group] = func(n *yaml.Node, at string) {
			inner := fields{}
			for _, key := range keys {
				inner[key] = func(v *yaml.Node, _ string) {
					low := key == "targetThresholds" || key == "useDeviationThresholds"
					if taken && !(low && name == state.HighNodeUtilization) {
						give(key, v)
					}
				}
			}
			if n.ShortTag() != "!!null" {
				d.object(n, at, inner)
			}
		}
	}
	d.object(n, at, fs)
	if len(states.Content) > 0 {
		args.Content = append(args.Content, text("states"), states)
	}
	if e.PriorityThreshold.Value != nil && e.PriorityThreshold.Name != "" {
		d.fail(n, at, "has thresholdPriority and thresholdPriorityClassName; give one of them")
	}
	if name == state.PodLifeTime {
		e.NodeFit = false
	}
}
