package policies

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Loop is a part of a policy that describes the actors in the cluster, when they act, or where: controllers, events,
// timing, facts of the cluster. Requirements (intents, gate, waivers) are no loops.
type Loop struct {
	Path string // of its key, such as events.nodeFailure
	// File gives the name of a file that the policy names and that declares it as well; nil: there is none.
	File func(p *Policy) string
	view func(p *Policy) any // its value, without lines
	take func(to, from *Policy)
	// less reports whether b makes the search smaller than a; nil: only a search can tell.
	less  func(a, b *Policy) bool
	words func(p *Policy) string // for a reader; nil: [Loop.File]'s name
}

// Loops lists them in the order of the file.
func Loops() []Loop {
	out := slices.Concat(clusterLoops(), controllerLoops(), []Loop{{
		Path: "apply",
		view: func(p *Policy) any { return p.Apply }, take: func(to, from *Policy) { to.Apply = from.Apply },
		words: func(p *Policy) string { return p.Apply },
	}}, eventLoops())
	return append(out, Loop{
		Path: "timing",
		view: func(p *Policy) any { return []any{p.Timing, p.Crash, p.Stale} },
		take: func(to, from *Policy) { to.Timing, to.Crash, to.Stale = from.Timing, from.Crash, from.Stale },
		less: func(a, b *Policy) bool {
			return a.Timing == "arbitrary" && b.Timing != "arbitrary" || b.Crash < a.Crash || b.Stale < a.Stale
		},
		words: func(p *Policy) string {
			if p.Crash+p.Stale == 0 {
				return p.Timing
			}
			return fmt.Sprintf("%s, crash %d, stale %d", p.Timing, p.Crash, p.Stale)
		},
	}, Loop{
		Path: "bound",
		view: func(p *Policy) any { return p.Bound }, take: func(to, from *Policy) { to.Bound = from.Bound },
		less: func(a, b *Policy) bool {
			return b.Bound.Nodes < a.Bound.Nodes || b.Bound.PodsPerNode < a.Bound.PodsPerNode
		},
		words: func(p *Policy) string {
			return fmt.Sprintf("%d nodes, %d pods a node", p.Bound.Nodes, p.Bound.PodsPerNode)
		},
	})
}

func clusterLoops() []Loop {
	return []Loop{{
		// Karpenter's NodePools size the cluster's own, so that the two are one.
		Path: "cluster",
		File: func(p *Policy) string {
			for _, name := range []string{p.Cluster.SnapshotFile, p.Cluster.NodesFile, p.Controllers.KarpenterFile} {
				if name != "" {
					return name
				}
			}
			return ""
		},
		view: func(p *Policy) any {
			c := &p.Cluster
			var pools []KarpenterPool
			for _, k := range p.Controllers.NodePools {
				one := *k
				one.Locate = nil
				pools = append(pools, one)
			}
			return []any{c.Assumed, c.Nodes, c.Pools, c.Snapshot, c.HPA, pools}
		},
		words: func(p *Policy) string {
			c := &p.Cluster
			switch {
			case c.Assumed:
				return "assumed"
			case c.SnapshotFile+c.NodesFile != "":
				return fmt.Sprintf("%d nodes of %s", len(c.Nodes), c.SnapshotFile+c.NodesFile)
			}
			var out []string
			for _, pool := range c.Pools {
				out = append(out, fmt.Sprintf("%d to %d of %s", pool.Min, pool.Max, pool.Name))
			}
			return strings.Join(out, ", ")
		},
		take: func(to, from *Policy) {
			a, b := &to.Cluster, &from.Cluster
			a.Assumed, a.Nodes, a.Pools, a.Snapshot, a.HPA = b.Assumed, b.Nodes, b.Pools, b.Snapshot, b.HPA
			a.NodesFile, a.SnapshotFile, a.MaxAge = b.NodesFile, b.SnapshotFile, b.MaxAge
			to.Controllers.KarpenterFile, to.Controllers.NodePools = from.Controllers.KarpenterFile, from.Controllers.NodePools
		},
	}, {
		Path: "cluster.version", // and the gates, which it has the defaults of
		view: func(p *Policy) any { return p.Cluster.Gated },
		take: func(to, from *Policy) { to.Cluster.Gated = from.Cluster.Gated },
		words: func(p *Policy) string {
			if v := p.Cluster.KubeVersion(); v != "" {
				return v
			}
			return "default"
		},
	}, {
		Path:  "cluster.releases",
		view:  func(p *Policy) any { return p.Cluster.Releases },
		take:  func(to, from *Policy) { to.Cluster.Releases = from.Cluster.Releases },
		words: func(p *Policy) string { return strings.Join(p.Cluster.Releases, ", ") },
	}, {
		Path: "cluster.workloads",
		view: func(p *Policy) any {
			var out []OtherWorkload
			for _, w := range p.Cluster.Workloads {
				w.Line = 0
				out = append(out, w)
			}
			return out
		},
		take:  func(to, from *Policy) { to.Cluster.Workloads = from.Cluster.Workloads },
		words: func(p *Policy) string { return fmt.Sprintf("%d pods", podsOf(p.Cluster.Workloads)) },
	}}
}

func podsOf(list []OtherWorkload) int {
	total := 0
	for _, w := range list {
		total += w.Count
	}
	return total
}

func controllerLoops() []Loop {
	gone := func(has func(*Policy) bool) func(a, b *Policy) bool {
		return func(a, b *Policy) bool { return has(a) && !has(b) }
	}
	return []Loop{{
		Path: "controllers.discover",
		view: func(p *Policy) any { return p.Controllers.Discover },
		take: func(to, from *Policy) { to.Controllers.Discover = from.Controllers.Discover },
		less: gone(func(p *Policy) bool { return p.Controllers.Discover }),
		words: func(p *Policy) string {
			return fmt.Sprint(p.Controllers.Discover)
		},
	}, {
		Path: "controllers.scheduler",
		File: func(p *Policy) string { return p.Controllers.SchedulerConfig },
		view: func(p *Policy) any { return p.Controllers.Scheduler },
		take: func(to, from *Policy) {
			a, b := &to.Controllers, &from.Controllers
			a.SchedulerConfig, a.Scheduler, a.SchedulerLines = b.SchedulerConfig, b.Scheduler, b.SchedulerLines
		},
	}, {
		Path: "controllers.descheduler",
		File: func(p *Policy) string { return p.Controllers.DeschedulerPolicy },
		view: func(p *Policy) any { return p.Controllers.Descheduler },
		take: func(to, from *Policy) {
			a, b := &to.Controllers, &from.Controllers
			a.DeschedulerPolicy, a.Descheduler, a.DeschedulerLines = b.DeschedulerPolicy, b.Descheduler, b.DeschedulerLines
		},
		less: gone(func(p *Policy) bool { return p.Controllers.Descheduler != nil }),
	}, {
		Path: "controllers.gitops",
		view: func(p *Policy) any { return p.Controllers.GitOps },
		take: func(to, from *Policy) { to.Controllers.GitOps = from.Controllers.GitOps },
		words: func(p *Policy) string {
			g := p.Controllers.GitOps
			if g == nil {
				return "as each release says"
			}
			out := fmt.Sprintf("selfHeal %t", g.SelfHeal)
			if len(g.IgnoreDifferences) > 0 {
				out += ", ignores " + strings.Join(g.IgnoreDifferences, ", ")
			}
			return out
		},
		less: gone(func(p *Policy) bool { return p.Controllers.GitOps != nil && p.Controllers.GitOps.SelfHeal }),
	}, {
		Path: "controllers.clusterAutoscaler",
		view: func(p *Policy) any { return []any{p.Controllers.ClusterAutoscaler, p.Controllers.AutoscalerFlags} },
		take: func(to, from *Policy) {
			a, b := &to.Controllers, &from.Controllers
			a.ClusterAutoscaler, a.AutoscalerFlags, a.AutoscalerLines = b.ClusterAutoscaler, b.AutoscalerFlags, b.AutoscalerLines
		},
		less: gone(func(p *Policy) bool { return p.Controllers.ClusterAutoscaler }),
		words: func(p *Policy) string {
			if p.Controllers.ClusterAutoscaler {
				return "runs"
			}
			return "none runs"
		},
	}, {
		Path: "controllers.own",
		view: func(p *Policy) any {
			var out []string
			for i := range p.Controllers.Own {
				out = append(out, p.Controllers.Own[i].says())
			}
			return out
		},
		take: func(to, from *Policy) { to.Controllers.Own = from.Controllers.Own },
		words: func(p *Policy) string {
			var out []string
			for _, o := range p.Controllers.Own {
				out = append(out, o.Name)
			}
			return strings.Join(out, ", ")
		},
		less: func(a, b *Policy) bool {
			return slices.ContainsFunc(a.Controllers.Own, func(o OwnController) bool {
				return !slices.ContainsFunc(b.Controllers.Own, func(x OwnController) bool { return x.says() == o.says() })
			})
		},
	}}
}

// says is what a controller of the user's own does, wherever it stands.
func (o *OwnController) says() string {
	plain := *o
	plain.File, plain.Line, plain.On, plain.Makes, plain.when, plain.to = "", 0, nil, nil, nil, nil
	out := fmt.Sprintf("%+v", plain)
	if o.On != nil {
		on := *o.On
		on.Selector = nil
		out += fmt.Sprintf(" %+v", on)
		if o.On.Selector != nil {
			out += " " + o.On.Selector.String()
		}
	}
	if o.Makes != nil {
		out += fmt.Sprintf(" %+v", *o.Makes)
	}
	return out
}

// Differ lists what two policies say otherwise of loops.
func (p *Policy) Differ(o *Policy) []Loop {
	var out []Loop
	for _, l := range Loops() {
		if !reflect.DeepEqual(l.view(p), l.view(o)) {
			out = append(out, l)
		}
	}
	return out
}

// Narrows reports whether a loop is less of one in the policy after than in the one before.
func (l Loop) Narrows(before, after *Policy) bool { return l.less != nil && l.less(before, after) }

// Words describe a policy's declaration of a loop, in short.
func (l Loop) Words(p *Policy) string {
	if l.words != nil {
		return l.words(p)
	}
	if name := l.File(p); name != "" {
		return name
	}
	return "none"
}

// WithLoops gives the policy with another one's declaration of some loops; everything else, its requirements included,
// stays as it is.
func (p *Policy) WithLoops(from *Policy, loops []Loop) *Policy {
	out := *p
	out.lines = maps.Clone(p.lines)
	if out.lines == nil {
		out.lines = map[string]int{}
	}
	for _, l := range loops {
		l.take(&out, from)
		l.takeLines(&out, from)
	}
	return &out
}

// takeLines has the keys of a loop where the other policy has them.
func (l Loop) takeLines(to, from *Policy) {
	maps.DeleteFunc(to.lines, func(at string, _ int) bool { return l.has(at) })
	for at, line := range from.lines {
		if l.has(at) {
			to.lines[at] = line
		}
	}
}

// has reports whether a key is one of a loop.
func (l Loop) has(at string) bool {
	if l.Path != "cluster" {
		return at == l.Path || partOf(at, l.Path)
	}
	const karpenter = "controllers.karpenter"
	for _, other := range []string{"cluster.version", "cluster.featureGates", "cluster.releases", "cluster.workloads"} {
		if at == other || partOf(at, other) {
			return false
		}
	}
	return at == l.Path || partOf(at, l.Path) || at == karpenter || partOf(at, karpenter)
}

// Lines are those of a loop's keys in the policy file, in order: the first is that of its own key, or of the key that
// it would be below; nil where the file has neither.
func (l Loop) Lines(p *Policy) []int {
	var below []int
	for at, line := range p.lines {
		if at != l.Path && l.has(at) {
			below = append(below, line)
		}
	}
	slices.Sort(below)
	below = slices.Compact(below)
	for at := l.Path; ; {
		line := p.lines[at]
		if none := p.lines[at+".none"]; at == "events" && none != 0 {
			line = none // which says something of every event
		}
		if line != 0 {
			return append([]int{line}, below...)
		}
		i := strings.LastIndex(at, ".")
		if i < 0 {
			return below
		}
		at = at[:i]
	}
}

// Files are the files that a policy names, relative to it.
func (p *Policy) Files() []string {
	c := &p.Controllers
	return slices.DeleteFunc([]string{p.Cluster.NodesFile, p.Cluster.SnapshotFile, c.SchedulerConfig, c.DeschedulerPolicy,
		c.KarpenterFile}, func(name string) bool { return name == "" })
}
