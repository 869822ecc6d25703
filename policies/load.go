package policies

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// APIVersion and PolicyKind head a policy file.
const (
	APIVersion = "kubesettle.dev/v1alpha1"
	PolicyKind = "Policy"
)

//go:embed default.yaml
var defaultFile []byte

// Default is the policy if nothing was declared: a generic elastic cluster of three zones, the usual events and a gate
// on new errors. The caller owns it.
func Default() *Policy {
	p := &Policy{Intents: map[string]Intent{}}
	if err := p.decode("default.yaml", defaultFile); err != nil {
		panic("policies: the embedded default does not load: " + err.Error())
	}
	p.Cluster.Assumed = true
	p.lines = nil
	return p
}

// Load reads a policy file; keys that it leaves out are as in [Default]. name is used in messages and in [Policy.File].
// Errors: a [*FileError] with every problem of the file.
func Load(name string, data []byte) (*Policy, error) {
	p := Default()
	p.File = name
	if err := p.decode(name, data); err != nil {
		return nil, err
	}
	return p, nil
}

// decode overrides p with the keys of a file.
func (p *Policy) decode(name string, data []byte) error {
	d := newDecoder()
	d.file = name
	return p.read(d, data)
}

// read overrides p with what the decoder's file says.
func (p *Policy) read(d *decoder, data []byte) error {
	root := d.document(data)
	if root != nil {
		var version, kind string
		d.object(root, "", fields{
			"apiVersion":  oneOf(d, &version, APIVersion),
			"kind":        oneOf(d, &kind, PolicyKind),
			"releases":    d.releases(p),
			"parked":      d.texts(&p.Parked, releasePattern),
			"cluster":     d.cluster(&p.Cluster),
			"controllers": d.controllers(&p.Controllers),
			"apply":       oneOf(d, &p.Apply, "client-side", "server-side"),
			"events":      d.events(&p.Events),
			"timing":      d.timing(p),
			"bound":       d.bound(&p.Bound),
			"intents":     d.intents(p),
			"gate":        d.gate(&p.Gate),
			"waivers":     d.waivers(p),
			"traffic":     d.traffic(&p.Traffic),
			"locked":      d.locks(p),
		})
	}
	for _, check := range d.later {
		check()
	}
	d.permitted()
	p.lines, p.gives = make(map[string]int, len(d.set)), nil
	for at, key := range d.set {
		p.lines[at] = key.Line
		if !strings.ContainsAny(at, ".[") && at != "apiVersion" && at != "kind" {
			p.gives = append(p.gives, at)
		}
	}
	slices.Sort(p.gives)
	return d.err(d.file)
}

// timing is a word, or a mapping of the patterns that are explored beside realistic timing.
func (d *decoder) timing(p *Policy) read {
	word := oneOf(d, &p.Timing, "realistic", "arbitrary")
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.MappingNode {
			p.Crash, p.Stale = 0, 0
			word(n, path)
			return
		}
		p.Timing = "realistic"
		d.object(n, path, fields{"crash": d.number(&p.Crash, 0, 10), "stale": d.number(&p.Stale, 0, 10)})
	}
}

var kubeVersion = regexp.MustCompile(`^v?1\.[0-9]{1,3}(\.[0-9]{1,3})?$`)

// ValidKubeVersion reports whether a text is a Kubernetes version such as "1.36".
func ValidKubeVersion(s string) bool { return kubeVersion.MatchString(s) }

func (d *decoder) releases(p *Policy) read {
	ids := map[string]int{}
	return d.list(func(n *yaml.Node, at string) {
		r := Release{Line: n.Line}
		d.object(n, at, fields{
			"id":          d.text(&r.ID),
			"chart":       d.text(&r.Chart, insideRepository),
			"kustomize":   d.text(&r.Kustomize, insideRepository),
			"path":        d.text(&r.Path, insideRepository),
			"namespace":   d.text(&r.Namespace, dnsLabel),
			"values":      d.texts(&r.Values, insideRepository),
			"set":         d.settings(&r.Set, &r.SetLines),
			"kubeVersion": d.text(&r.KubeVersion, isKubeVersion),

			"loadRestrictor": oneOf(d, &r.LoadRestrictor, "rootOnly", "none"),
		}, "id")
		d.exactlyOne(n, at, "chart", "kustomize", "path")
		for _, k := range []string{"values", "set", "kubeVersion"} {
			if key := d.set[at+"."+k]; key != nil && d.set[at+".chart"] == nil {
				d.fail(key, at+"."+k, "goes with chart only; remove it")
			}
		}
		if key := d.set[at+".loadRestrictor"]; key != nil && d.set[at+".kustomize"] == nil {
			d.fail(key, at+".loadRestrictor", "goes with kustomize only; remove it")
		}
		if first := ids[r.ID]; first != 0 && r.ID != "" {
			d.fail(n, at+".id", "%s is the id of the release in line %d as well; give it another", quote(r.ID), first)
			return
		}
		ids[r.ID] = n.Line
		p.Releases = append(p.Releases, r)
	})
}

// exactlyOne wants exactly one of the keys of a mapping that was read.
func (d *decoder) exactlyOne(n *yaml.Node, at string, keys ...string) {
	var got []string
	for _, k := range keys {
		if d.set[at+"."+k] != nil {
			got = append(got, k)
		}
	}
	switch {
	case len(got) == 0:
		d.fail(n, at, "has none of %s; give exactly one", strings.Join(keys, ", "))
	case len(got) > 1:
		d.fail(n, at, "has %s; give exactly one of them", strings.Join(got, " and "))
	}
}

// settings reads Helm's --set values: scalars, kept as they are written.
func (d *decoder) settings(dst *map[string]string, lines *map[string]int) read {
	return func(n *yaml.Node, at string) {
		out, line := map[string]string{}, map[string]int{}
		d.entries(n, at, func(key *yaml.Node) read {
			return func(n *yaml.Node, at string) {
				if s, ok := d.scalar(n, at, "a string, a number or true or false", "!!str", "!!int", "!!float",
					"!!bool", "!!timestamp"); ok {
					out[key.Value], line[key.Value] = s, key.Line
				}
			}
		})
		*dst, *lines = out, line
	}
}

func (d *decoder) controllers(c *Controllers) read {
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{
			"discover": d.flag(&c.Discover),
			"scheduler": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"config": d.text(&c.SchedulerConfig, relative)}, "config")
			},
			"descheduler": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"policy": d.text(&c.DeschedulerPolicy, relative)}, "policy")
			},
			"gitops": func(n *yaml.Node, at string) {
				c.GitOps = &GitOps{}
				d.object(n, at, fields{
					"selfHeal": d.flag(&c.GitOps.SelfHeal), "prune": d.flag(&c.GitOps.Prune),
					"ignoreDifferences":        d.texts(&c.GitOps.IgnoreDifferences, jsonPointer),
					"respectIgnoreDifferences": d.flag(&c.GitOps.RespectIgnore),
				})
			},
			"own": d.list(d.ownController(c)),
			"karpenter": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"nodePools": d.text(&c.KarpenterFile, relative)}, "nodePools")
			},
			"clusterAutoscaler": func(n *yaml.Node, at string) {
				c.ClusterAutoscaler = true
				d.object(n, at, fields{})
			},
		})
	}
}

func (d *decoder) events(e *Events) read {
	return func(n *yaml.Node, at string) {
		if m := field(n, "none"); m != nil {
			var none bool
			d.flag(&none)(m, at+".none")
			if none {
				*e = Events{NoDrain: true} // the events named beside it are added to nothing
			}
		}
		budget := func(dst *int) read {
			return func(n *yaml.Node, at string) {
				d.object(n, at, fields{"budget": d.number(dst, 0, 10)}, "budget")
			}
		}
		d.object(n, at, fields{
			"none": func(*yaml.Node, string) {},
			"loadChange": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"budget": d.number(&e.LoadChange, 0, 10), "idleMemory": d.percent(&e.IdleMemory, 0, 100)})
			},
			"podCrash":   budget(&e.PodCrash),
			"jobOverrun": budget(&e.JobOverrun),
			"badRevision": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"budget": d.number(&e.BadRevision, 0, 10), "rollback": d.flag(&e.Rollback)}, "budget")
			},
			"nodeFailure": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"budget": d.number(&e.NodeFailure, 0, 10), "outOfService": d.flag(&e.OutOfService)},
					"budget")
			},

			"diskPressure":   budget(&e.DiskPressure),
			"memoryPressure": budget(&e.MemoryPressure),

			"nodeAdded":   budget(&e.NodeAdded),
			"nodeRemoved": budget(&e.NodeRemoved),
			"spotReclaim": func(n *yaml.Node, at string) {
				spot := SpotReclaim{Replaced: true}
				d.object(n, at, fields{"budget": d.number(&spot.Budget, 0, 10), "replaced": d.flag(&spot.Replaced)}, "budget")
				if e.Spot = &spot; spot.Budget == 0 {
					e.Spot = nil
				}
			},
			"startupSpike": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"cpu": d.percent(&e.StartupSpike, 0, 10_000)}, "cpu")
			},
			"drain": func(n *yaml.Node, at string) {
				drain := Drain{Concurrent: 1, RespectPDB: true, Force: true, Budget: 2}
				d.object(n, at, fields{
					"concurrent": d.number(&drain.Concurrent, 0, 100), "respectPDB": d.flag(&drain.RespectPDB),
					"force": d.flag(&drain.Force), "budget": d.number(&drain.Budget, 0, 10),
				})
				if e.Drain = &drain; drain.Concurrent == 0 || drain.Budget == 0 {
					e.Drain = nil
				}
				e.NoDrain = e.Drain == nil
			},
			"nodePanic": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"cpuAbove": d.percent(&e.NodePanic, 0, 100)}, "cpuAbove")
			},
		})
	}
}

func (d *decoder) bound(b *Bound) read {
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{
			"nodes": d.number(&b.Nodes, 1, 100), "podsPerNode": d.number(&b.PodsPerNode, 1, 1000),
		})
	}
}

func isKubeVersion(s string) string {
	if !kubeVersion.MatchString(s) {
		return "must be a Kubernetes version such as \"1.36\" or \"1.36.3\""
	}
	return ""
}

// jsonPointer wants a JSON pointer to a field.
func jsonPointer(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "must be a JSON pointer such as /spec/replicas"
	}
	return ""
}

// insideRepository refuses paths that leave the repository.
func insideRepository(s string) string {
	if why := relative(s); why != "" {
		return why
	}
	if c := path.Clean(s); c == ".." || strings.HasPrefix(c, "../") {
		return "leaves the repository; give a path inside it"
	}
	return ""
}

// relative refuses absolute paths. One with ".." is for the reader of the file to
// judge, who knows where the policy file lies.
func relative(s string) string {
	if path.IsAbs(s) || strings.ContainsAny(s, "\\\x00") || strings.Contains(s, "://") {
		return "must be a relative path with forward slashes"
	}
	return ""
}
