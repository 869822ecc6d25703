package policies

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/kubesettle/kubesettle/verify/state"
)

// OwnMade is what a controller of the user's own makes of each custom resource of a kind.
type OwnMade struct {
	Group, Kind string
	Object      map[string]any
	Fields      map[string]string // paths in Object, and in the custom resource
	Values      map[string]*Asked // paths in Object, and what is computed for them
	When        *Asked            // true or false; nil: always
	Name        string            // with {name} for the custom resource's; "" is that name
	Also        []OwnMade         // beside it, of the same custom resource
}

// makes reads the recipe for a custom resource.
func (d *decoder) makes(o *OwnController) read {
	return func(n *yaml.Node, at string) {
		m := &OwnMade{}
		of := ""
		d.object(n, at, d.made(m, fields{
			"of": d.text(&of, func(s string) string {
				if group, kind, ok := strings.Cut(s, "/"); !ok || group == "" || kind == "" || strings.ContainsAny(kind, "/ ") {
					return `must be a group and a kind, such as "acme.dev/Shop"`
				}
				return ""
			}),
			"object": func(n *yaml.Node, at string) {
				m.Object, _ = d.plain(n, at, maxDepth).(map[string]any)
				d.madeKind(n, at, m.Object)
			},
			"also": d.list(func(n *yaml.Node, at string) {
				x := OwnMade{}
				d.object(n, at, d.made(&x, fields{
					"object": func(n *yaml.Node, at string) { x.Object, _ = d.plain(n, at, maxDepth).(map[string]any) },
				}), "object")
				m.Also = append(m.Also, x)
			}),
		}), "of", "object")
		m.Group, m.Kind, _ = strings.Cut(of, "/")
		for i := range m.Also {
			m.Also[i].Group, m.Also[i].Kind = m.Group, m.Kind
		}
		o.Does, o.Makes = state.Deed(0), m
	}
}

// made are the keys of each object that is made, and more.
func (d *decoder) made(m *OwnMade, more fields) fields {
	m.Fields, m.Values = map[string]string{}, map[string]*Asked{}
	out := fields{
		"name": d.text(&m.Name),
		"when": d.asked(&m.When, cel.BoolType),
		"fields": func(n *yaml.Node, at string) {
			d.entries(n, at, func(key *yaml.Node) read {
				return func(n *yaml.Node, at string) {
					from := ""
					d.text(&from)(n, at)
					m.Fields[key.Value] = from
				}
			})
		},
		"values": func(n *yaml.Node, at string) {
			d.entries(n, at, func(key *yaml.Node) read {
				return func(n *yaml.Node, at string) {
					var x *Asked
					if d.asked(&x, cel.DynType)(n, at); x != nil {
						m.Values[key.Value] = x
					}
				}
			})
		},
	}
	maps.Copy(out, more)
	return out
}

// Asked is a CEL expression over a custom resource, which it calls self.
type Asked struct {
	text    string
	program func() (cel.Program, error)
}

// String is its text.
func (a *Asked) String() string { return a.text }

// Of is the recipe's result for a custom resource; an error is the resource's, such as a missing field.
func (a *Asked) Of(resource map[string]any) (any, error) {
	program, err := a.program()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.text, err)
	}
	v, _, err := program.Eval(map[string]any{varSelf: resource})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.text, err)
	}
	plain, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.text, err)
	}
	return counted(plain.(*structpb.Value).AsInterface()), nil
}

// counted gives whole numbers as manifests have them, of a value in which all are fractions.
func counted(v any) any {
	switch v := v.(type) {
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	case []any:
		for i := range v {
			v[i] = counted(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = counted(v[k])
		}
	}
	return v
}

// resources declares the functions of custom resources.
var resources = sync.OnceValue(func() *cel.Env {
	env, err := cel.NewEnv(cel.ParserExpressionSizeLimit(maxExpression), cel.ParserRecursionLimit(100),
		cel.Variable(varSelf, cel.DynType), cel.OptionalTypes(), ext.Math(), ext.Strings())
	if err != nil {
		panic("policies: the environment of what operators make: " + err.Error())
	}
	return env
})

// asked reads an expression over custom resources.
func (d *decoder) asked(into **Asked, want *cel.Type) read {
	return func(n *yaml.Node, at string) {
		text := ""
		if d.text(&text)(n, at); text == "" {
			return
		}
		if d.shipped {
			*into = &Asked{text, sync.OnceValues(func() (cel.Program, error) { return compiled(text) })}
			return
		}
		parsed, issues := resources().Compile(text)
		if issues.Err() != nil {
			d.mistaken(n, at, issues.Errors())
			return
		}
		if got := parsed.OutputType(); want == cel.BoolType && !got.IsExactType(want) {
			d.fail(n, at, "must say true or false; it gives %s", got)
			return
		}
		program, err := resources().Program(parsed, cel.CostLimit(maxCost))
		if err != nil {
			d.fail(n, at, "%s", err)
			return
		}
		*into = &Asked{text, func() (cel.Program, error) { return program, nil }}
	}
}

// compiled is a program of an expression that is known to be one.
func compiled(text string) (cel.Program, error) {
	parsed, issues := resources().Compile(text)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return resources().Program(parsed, cel.CostLimit(maxCost))
}

// madeKind refuses kinds that are no workload.
func (d *decoder) madeKind(n *yaml.Node, at string, object map[string]any) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	kinds := []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}
	if object != nil && (version != "apps/v1" || !slices.Contains(kinds, kind)) {
		d.fail(n, at, "must be a workload: apiVersion apps/v1, and kind %s", strings.Join(kinds, ", "))
	}
}

// Makers lists the controllers of the file that make workloads of custom resources, and, unless controllers.discover is
// off, those of [Operators] for kinds that no controller of the file is for.
func (p *Policy) Makers() []OwnController {
	out := slices.DeleteFunc(slices.Clone(p.Controllers.Own), func(o OwnController) bool { return o.Makes == nil })
	if !p.Controllers.Discover {
		return out
	}
	for _, o := range Operators() {
		if !slices.ContainsFunc(out, func(own OwnController) bool {
			return own.Makes.Group == o.Makes.Group && own.Makes.Kind == o.Makes.Kind
		}) {
			out = append(out, o)
		}
	}
	return out
}

// MadeKinds are the kinds of custom resources that [Policy.Makers] make workloads of.
func (p *Policy) MadeKinds() []string {
	var out []string
	for _, o := range p.Makers() {
		out = append(out, o.Makes.Kind)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
