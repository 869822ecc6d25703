package policies

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/state"
)

// OwnController is a control loop of the user's own: what it watches, when it acts, and what it writes. One of
// Restarts, Scales, Deletes, Writes and Makes is set.
type OwnController struct {
	Name string
	// On are the workloads that it acts on, each by itself; nil: none, as of one that writes an object.
	On *OwnTarget
	// Watches and Writes name objects as results do: "ConfigMap default/web", "acme.dev/Shop default/web"; "": none.
	Watches, Writes string
	When            string // CEL, true or false; "": always
	To              string // CEL, pods; of one that scales
	Min, Max        int    // bounds of To
	Does            state.Deed
	Pods            string // of one that deletes: outdated, unready or any
	Evicts          bool
	Makes           *OwnMade // of one that makes workloads, and does nothing else
	Latency         string   // sync or periodic
	File            string   // the policy file that has it
	Known           bool     // it is one of [Operators], which no policy file names
	Line            int

	when, to *expression
}

// OwnTarget is a workload by name, or all of a kind with some labels.
type OwnTarget struct {
	Kind            string // "": any
	Namespace, Name string // "": any
	Selector        labels.Selector
}

// Selects reports whether a workload is meant.
func (t *OwnTarget) Selects(kind, namespace, name string, has map[string]string) bool {
	return (t.Kind == "" || t.Kind == kind) && (t.Name == "" || t.Name == name) &&
		(t.Namespace == "" || t.Namespace == namespace) &&
		(t.Selector == nil || t.Selector.Matches(labels.Set(has)))
}

// maxOwn bounds the user's own controllers: each is a part of every search that it touches.
const maxOwn = 50

// mostOwnReplicas bounds what one sets, in pods.
const mostOwnReplicas = 10_000

func (d *decoder) ownController(c *Controllers) read {
	return func(n *yaml.Node, at string) {
		if len(c.Own) == maxOwn {
			d.fail(n, at, "more than %d controllers; keep those that write what the workloads depend on", maxOwn)
			return
		}
		o := OwnController{File: d.file, Line: n.Line, Latency: "periodic"}
		d.object(n, at, fields{
			"name":     d.text(&o.Name, dnsLabel),
			"workload": d.ownTarget(&o),
			"watches":  d.objectRef(&o.Watches),
			"when":     d.loopExpression(&o.When, &o.when, cel.BoolType, "must say true or false"),
			"latency":  oneOf(d, &o.Latency, "sync", "periodic"),
			"restarts": func(n *yaml.Node, at string) { o.Does = state.Restart; d.object(n, at, fields{}) },
			"scales": func(n *yaml.Node, at string) {
				o.Does = state.SetReplicas
				d.object(n, at, fields{
					"to":  d.loopExpression(&o.To, &o.to, cel.IntType, "must give a whole number of pods"),
					"min": d.number(&o.Min, 0, mostOwnReplicas), "max": d.number(&o.Max, 1, mostOwnReplicas),
				}, "to", "min", "max")
				if o.Max > 0 && o.Min > o.Max {
					d.fail(n, at+".min", "is more than max; no count lies between them")
				}
			},
			"deletes": func(n *yaml.Node, at string) {
				o.Does = state.DeletePods
				through := ""
				d.object(n, at, fields{
					"pods":    oneOf(d, &o.Pods, "outdated", "unready", "any"),
					"through": oneOf(d, &through, "delete", "eviction"),
				}, "pods")
				o.Evicts = through == "eviction"
			},
			"makes":  d.makes(&o),
			"writes": func(n *yaml.Node, at string) { o.Does = state.WriteObject; d.objectRef(&o.Writes)(n, at) },
		}, "name")
		d.exactlyOne(n, at, "restarts", "scales", "deletes", "writes", "makes")
		d.ownFits(n, at, &o)
		for _, other := range c.Own {
			if other.Name == o.Name && o.Name != "" {
				d.fail(n, at+".name", "%s is the name of the controller in %s as well; give it another", quote(o.Name),
					d.line(other.File, other.Line))
			}
		}
		c.Own = append(c.Own, o)
	}
}

// ownFits says what of a controller does not go together.
func (d *decoder) ownFits(n *yaml.Node, at string, o *OwnController) {
	speaks := func(name string) bool {
		return o.when != nil && o.when.speaksOf(name) || o.to != nil && o.to.speaksOf(name)
	}
	switch {
	case o.Makes != nil:
		if o.On != nil || o.Watches != "" || o.When != "" {
			d.fail(n, at+".makes", "allows no workload, watches or when beside it; put them into another controller")
		}
	case o.On == nil && o.Does != state.WriteObject:
		d.fail(n, at, "has no workload to act on; add workload")
	case o.On == nil && speaks(varSelf):
		d.fail(n, at+".when", "uses self, but there is no workload; add workload, or name one with workload(\"…\")")
	case o.Watches == "" && speaks(varChanged):
		d.fail(n, at+".when", "uses changed, but nothing is watched; add watches")
	case o.Watches == "" && o.When == "" && o.Does == state.Restart:
		d.fail(n, at, "would restart without end; add watches, or when")
	}
	if o.When == "" && o.Watches != "" { // what a loop that watches goes by
		o.When = varChanged
		o.when, _ = compile(d.loopEnvironment(), o.When)
	}
}

func (d *decoder) ownTarget(o *OwnController) read {
	return func(n *yaml.Node, at string) {
		t := &OwnTarget{}
		var full, selector string
		d.object(n, at, fields{
			"kind":     oneOf(d, &t.Kind, "Deployment", "StatefulSet", "ReplicaSet"),
			"name":     d.text(&full, workloadName),
			"selector": d.text(&selector, labelQuery),
		})
		t.Namespace, t.Name, _ = strings.Cut(full, "/")
		if selector != "" {
			t.Selector, _ = labels.Parse(selector) // an invalid one is a problem already
		}
		if full == "" && selector == "" {
			d.fail(n, at, "says neither which workload nor which labels; give name or selector")
		}
		o.On = t
	}
}

// objectID is an object in a policy: "ConfigMap default/web", "acme.dev/Shop default/web".
var objectID = regexp.MustCompile(`^([a-z0-9.-]+/)?[A-Z][A-Za-z0-9]* ([a-z0-9.-]+/)?[a-z0-9.:-]+$`)

// objectRef reads the name of an object.
func (d *decoder) objectRef(dst *string) read {
	return d.text(dst, func(s string) string {
		if !objectID.MatchString(s) {
			return `must be a kind and a name, such as "ConfigMap default/web" or "acme.dev/Shop default/web"`
		}
		return ""
	})
}

// loopExpression reads a CEL expression of a declared controller.
func (d *decoder) loopExpression(dst *string, into **expression, want *cel.Type, must string) read {
	return func(n *yaml.Node, at string) {
		if d.text(dst)(n, at); *dst == "" {
			return
		}
		e, problems := compileTo(d.loopEnvironment(), *dst, want, must)
		*into = e
		d.mistaken(n, at, problems)
	}
}

// loopEnvironment is that of custom intents without facts that no controller sees (events, whether the change is
// applied, whether any work is left), and with changed: whether the watched object has changed since it acted.
func (d *decoder) loopEnvironment() *cel.Env {
	if d.loops != nil {
		return d.loops
	}
	env, err := newEnv(cel.Variable(varChanged, cel.BoolType), ext.Math())
	if err != nil {
		panic("policies: the environment of declared controllers: " + err.Error())
	}
	d.loops = env
	return env
}

// Looks says what the expressions of a controller look at: labels of nodes, and pods on deletion.
func (o *OwnController) Looks() (nodeLabels []string, terminating bool) {
	for _, e := range []*expression{o.when, o.to} {
		if e == nil {
			continue
		}
		sc := e.scope()
		nodeLabels, terminating = append(nodeLabels, sc.Labels...), terminating || sc.Terminating
	}
	return nodeLabels, terminating
}

// Names lists the workloads that its expressions name, as "namespace/name".
func (o *OwnController) Names() []string {
	var out []string
	for _, e := range []*expression{o.when, o.to} {
		if e == nil {
			continue
		}
		for _, name := range e.workloads() {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// OwnTogether lists the workloads that a controller of the file names in one breath, so that they are searched
// together.
func (p *Policy) OwnTogether() [][]string {
	var out [][]string
	for i := range p.Controllers.Own {
		o := &p.Controllers.Own[i]
		names := o.Names()
		if o.On != nil && o.On.Name != "" && o.On.Namespace != "" && !slices.Contains(names, o.On.Namespace+"/"+o.On.Name) {
			names = append(names, o.On.Namespace+"/"+o.On.Name)
		}
		if len(names) > 1 {
			out = append(out, names)
		}
	}
	return out
}

// Declared is the controller as a loop on a workload, by its ID; "" is on none.
func (o *OwnController) Declared(p *Policy, workload string) state.Declared {
	d := state.Declared{
		Name: o.Name, Workload: workload, Prompt: o.Latency == "sync", Watches: o.Watches, Does: o.Does,
		Min: o.Min, Max: o.Max, Evicts: o.Evicts, Writes: o.Writes,
		Which: map[string]state.Victim{"outdated": state.OutdatedPod, "unready": state.UnreadyPod}[o.Pods],
	}
	if o.when != nil {
		d.When = &loopExpression{o.when, o.at() + ": controllers.own " + o.Name + ": when"}
	}
	if o.to != nil {
		d.To = &loopExpression{o.to, o.at() + ": controllers.own " + o.Name + ": scales.to"}
	}
	return d
}

// OwnLine is the policy file and the line of a controller's field; false for one that there is none of.
func (p *Policy) OwnLine(name, field string) (file string, line int, ok bool) {
	i := slices.IndexFunc(p.Controllers.Own, func(o OwnController) bool { return o.Name == name })
	if i < 0 {
		return "", 0, false
	}
	o := &p.Controllers.Own[i]
	if line := p.lines[item("controllers.own", i)+"."+field]; line > 0 {
		return o.File, line, true
	}
	return o.File, o.Line, true
}
