package policies

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/verify/state"
)

// DeschedulerVersion and DeschedulerKind head a descheduler's policy file.
const (
	DeschedulerVersion = "descheduler/v1alpha2"
	DeschedulerKind    = "DeschedulerPolicy"
)

// LoadDescheduler reads a DeschedulerPolicy as descheduler v0.36.0 does, fills in its
// defaults and keeps its validation; keys that it does not know are errors. One in v1alpha1 is converted as
// v0.29.0 did. file stands in messages.
// Errors: a [*FileError] with every problem of the file.
func LoadDescheduler(file string, data []byte) (*state.Descheduler, error) {
	d := newDecoder()
	out := &state.Descheduler{}
	if root := d.document(data); root != nil && declares(root, "apiVersion", deschedulerV1alpha1) {
		d.policyV1alpha1(root, out)
	} else if root != nil {
		var version, kind string
		var ignored bool
		d.object(root, "", fields{
			"apiVersion":                       oneOf(d, &version, DeschedulerVersion),
			"kind":                             oneOf(d, &kind, DeschedulerKind),
			"nodeSelector":                     d.possiblyEmpty(&out.NodeSelector, labelQuery),
			"maxNoOfPodsToEvictPerNode":        d.limit(&out.MaxPerNode),
			"maxNoOfPodsToEvictPerNamespace":   d.limit(&out.MaxPerNamespace),
			"maxNoOfPodsToEvictTotal":          d.limit(&out.MaxTotal),
			"evictionFailureEventNotification": d.flag(&ignored),
			"gracePeriodSeconds":               d.limit(new(*int)),
			"metricsCollector":                 d.unread("enabled"),
			"metricsProviders":                 d.list(d.unread("source", "prometheus")),
			"profiles":                         d.profiles(out),
		}, "apiVersion", "kind")
	}
	if err := d.err(file); err != nil {
		return nil, err
	}
	return out, nil
}

// declares reports whether a mapping has a scalar as the value of a key.
func declares(n *yaml.Node, key, value string) bool {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Value == value {
			return true
		}
	}
	return false
}

// limit reads a number of pods that may be absent.
func (d *decoder) limit(dst **int) read {
	return func(n *yaml.Node, at string) {
		v := -1
		if d.number(&v, 0, 1_000_000)(n, at); v >= 0 {
			*dst = &v
		}
	}
}

// unread accepts a mapping of these keys without looking at their values: the plugins
// that would use them are refused where they do.
func (d *decoder) unread(keys ...string) read {
	fs := fields{}
	for _, k := range keys {
		fs[k] = func(*yaml.Node, string) {}
	}
	return func(n *yaml.Node, at string) { d.object(n, at, fs) }
}

// possiblyEmpty reads a string that may be empty.
func (d *decoder) possiblyEmpty(dst *string, check func(string) string) read {
	return func(n *yaml.Node, at string) {
		s, ok := d.scalar(n, at, "a string", "!!str")
		if !ok {
			return
		}
		if why := check(s); why != "" {
			d.fail(n, at, "%s", why)
			return
		}
		*dst = s
	}
}

// pluginConfig is the configuration of one plugin of a profile.
type pluginConfig struct {
	at   string // where its arguments stand, or the entry that has none
	line *yaml.Node
	args any
}

func (d *decoder) profiles(out *state.Descheduler) read {
	return d.list(func(n *yaml.Node, at string) {
		var p state.DeschedulerProfile
		configs := map[string]pluginConfig{}
		var deschedule, balance, filter, before, none []string
		set := func(dst *[]string, may ...string) read { return d.pluginSet(dst, may) }
		d.object(n, at, fields{
			"name":         d.text(&p.Name),
			"pluginConfig": d.pluginConfigs(configs),
			"plugins": func(n *yaml.Node, at string) {
				d.object(n, at, fields{
					"deschedule":        set(&deschedule, deschedulePlugins...),
					"balance":           set(&balance, balancePlugins...),
					"filter":            set(&filter, state.DefaultEvictorPlugin),
					"preevictionfilter": set(&before, state.DefaultEvictorPlugin),
					"presort":           set(&none),
					"sort":              set(&none),
				})
			},
		}, "name")
		p.Deschedule = d.enabled(n, at, deschedule, configs)
		p.Balance = d.enabled(n, at, balance, configs)
		p.Evictor = defaultEvictor("")
		if c, ok := configs[state.DefaultEvictorPlugin]; ok && c.args != nil {
			p.Evictor = *c.args.(*state.DefaultEvictor)
		}
		out.Profiles = append(out.Profiles, p)
	})
}

// Plugins by extension point.
var (
	deschedulePlugins = []string{
		state.RemovePodsViolatingAffinity, state.RemovePodsViolatingTaints, state.RemovePodsViolatingAntiAffinity,
		state.RemovePodsHavingRestarts, state.PodLifeTime, state.RemoveFailedPods,
	}
	balancePlugins = []string{
		state.RemoveDuplicates, state.RemovePodsViolatingSpread, state.LowNodeUtilization, state.HighNodeUtilization,
	}
)

// pluginSet reads the enabled plugins of an extension point; upstream reads the disabled ones and ignores them.
func (d *decoder) pluginSet(dst *[]string, may []string) read {
	known := func(n *yaml.Node, at string) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		if !slices.Contains(may, s) {
			d.fail(n, at, "%s is not a plugin of this extension point; %s", quote(s), hint(s, may))
			return
		}
		*dst = append(*dst, s)
	}
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{"enabled": d.list(known), "disabled": d.list(func(*yaml.Node, string) {})})
	}
}

// enabled pairs enabled plugins with their configuration, which upstream demands.
func (d *decoder) enabled(n *yaml.Node, at string, names []string,
	configs map[string]pluginConfig) []state.DeschedulerPlugin {
	var out []state.DeschedulerPlugin
	for _, name := range names {
		c, ok := configs[name]
		if !ok {
			d.fail(n, at+".pluginConfig", "has no entry for the enabled plugin %s; add one with its args", name)
			continue
		}
		out = append(out, state.DeschedulerPlugin{Name: name, Field: c.at, Args: c.args})
	}
	return out
}

func (d *decoder) pluginConfigs(configs map[string]pluginConfig) read {
	return d.list(func(n *yaml.Node, at string) {
		c := pluginConfig{at: at, line: n}
		var name string
		var args *yaml.Node
		d.object(n, at, fields{
			"name": d.text(&name),
			"args": func(a *yaml.Node, path string) { args, c.at = a, path },
		}, "name")
		if name == "" {
			return
		}
		if first, twice := configs[name]; twice {
			d.fail(n, at+".name", "%s is configured in line %d as well, and only that counts; keep one of the two",
				quote(name), first.line.Line)
			return
		}
		if c.args = d.pluginArgs(name, args, c.at); c.args == nil {
			d.fail(n, at+".name", "%s is not a plugin of the descheduler; %s", quote(name),
				hint(name, slices.Concat(deschedulePlugins, balancePlugins, []string{state.DefaultEvictorPlugin})))
			return
		}
		configs[name] = c
	})
}

// pluginArgs reads the arguments of a plugin, or its defaults where there are none; nil
// for an unknown plugin.
func (d *decoder) pluginArgs(name string, n *yaml.Node, at string) any {
	if n == nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	with := func(fs fields, required ...string) {
		var ignored string
		fs["apiVersion"], fs["kind"] = d.text(&ignored), d.text(&ignored)
		d.object(n, at, fs, required...)
	}
	switch name {
	case state.DefaultEvictorPlugin:
		a := defaultEvictor(at)
		d.evictorArgs(&a, n, at, with)
		return &a
	case state.RemoveDuplicates:
		a := &state.RemoveDuplicatesArgs{}
		with(fields{"namespaces": d.includeExclude(&a.Namespaces), "excludeOwnerKinds": d.texts(&a.ExcludeOwnerKinds)})
		return a
	case state.RemovePodsViolatingSpread:
		return d.spreadArgs(with)
	case state.LowNodeUtilization:
		return d.lowUtilizationArgs(n, at, with)
	case state.HighNodeUtilization:
		return d.highUtilizationArgs(with)
	case state.RemovePodsViolatingAffinity:
		a := &state.NodeAffinityArgs{}
		types := func(n *yaml.Node, at string) { d.nodeAffinityTypes(&a.Types)(n, at) }
		with(d.selectionFields(&a.PodSelection, fields{"nodeAffinityType": types}), "nodeAffinityType")
		return a
	case state.RemovePodsViolatingTaints:
		return d.taintArgs(n, at, with)
	case state.RemovePodsViolatingAntiAffinity:
		a := &state.AntiAffinityArgs{}
		with(d.selectionFields(&a.PodSelection, fields{}))
		return a
	case state.RemovePodsHavingRestarts:
		return d.restartsArgs(n, at, with)
	case state.PodLifeTime:
		return d.lifeTimeArgs(n, at, with)
	case state.RemoveFailedPods:
		return d.failedPodsArgs(with)
	}
	return nil
}

// defaultEvictor is upstream's default: the four protections that are always on.
func defaultEvictor(at string) state.DefaultEvictor {
	return state.DefaultEvictor{
		Field: at, ProtectLocalStorage: true, ProtectDaemonSets: true, ProtectSystemCritical: true,
	}
}
