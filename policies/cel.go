package policies

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Limits of a custom intent, so that a hostile one costs little.
const (
	maxExpression = 2000   // characters
	maxCost       = 20_000 // of one evaluation, in CEL's own units: about one a step
)

// Variables of an expression. Those with an @ cannot be written: the macros workload and
// readyOn expand to an index of one.
const (
	varSelf      = "self"
	varNodes     = "nodes"
	varEvents    = "events"
	varQuiescent = "quiescent"
	varApplied   = "applied"
	varChanged   = "changed"
	varWorkloads = "@workloads"
	varReadyOn   = "@readyOn"
)

// intentEnv declares what a custom intent may speak of.
func intentEnv() (*cel.Env, error) {
	return newEnv(
		cel.Variable(varEvents, cel.ObjectType(reflect.TypeFor[EventsView]().String())),
		cel.Variable(varQuiescent, cel.BoolType),
		cel.Variable(varApplied, cel.BoolType),
	)
}

// newEnv declares the workloads and nodes of the abstract cluster, and more.
func newEnv(more ...cel.EnvOption) (*cel.Env, error) {
	workload, nodes, events := reflect.TypeFor[WorkloadView](), reflect.TypeFor[NodesView](), reflect.TypeFor[EventsView]()
	return cel.NewEnv(append([]cel.EnvOption{
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ParserRecursionLimit(100),
		ext.NativeTypes(ext.ParseStructTags(true), workload, nodes, events),
		cel.Variable(varSelf, cel.ObjectType(workload.String())),
		cel.Variable(varNodes, cel.ObjectType(nodes.String())),
		cel.Variable(varWorkloads, cel.MapType(cel.StringType, cel.ObjectType(workload.String()))),
		cel.Variable(varReadyOn, cel.MapType(cel.StringType, cel.IntType)),
		cel.Macros(append(slices.Clone(cel.StandardMacros),
			cel.GlobalMacro("workload", 1, expandWorkload), cel.ReceiverMacro("readyOn", 2, expandReadyOn))...),
	}, more...)...)
}

// expandWorkload makes workload("namespace/name") an index of the workloads that the
// expression names, which are so known without running it.
func expandWorkload(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
	name, ok := literalText(args[0])
	if !ok {
		return nil, f.NewError(args[0].ID(), `workload() takes a name in quotes, such as workload("default/web")`)
	}
	if why := workloadName(name); why != "" {
		return nil, f.NewError(args[0].ID(), quote(name)+" "+why)
	}
	return f.NewCall(operators.Index, f.NewIdent(varWorkloads), f.NewLiteral(types.String(name))), nil
}

// expandReadyOn makes x.readyOn(label, value) an index of the label values that the
// expression names.
func expandReadyOn(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
	whose := workloadOf(target)
	key, isKey := literalText(args[0])
	value, isValue := literalText(args[1])
	switch {
	case whose == "":
		return nil, f.NewError(target.ID(), `readyOn() goes with workload("…") or self`)
	case !isKey || !isValue:
		return nil, f.NewError(args[0].ID(),
			`readyOn() takes a node label and a value in quotes, such as readyOn("topology.kubernetes.io/zone", "a")`)
	case len(validation.IsQualifiedName(key)) > 0:
		return nil, f.NewError(args[0].ID(), quote(key)+" is not a node label")
	case key == corev1.LabelHostname:
		return nil, f.NewError(args[0].ID(), "a single node cannot be named, as nodes that are alike are exchanged; use maxPerNode, or a label of a group of nodes")
	}
	at := place{whose, key, value}
	return f.NewCall(operators.Index, f.NewIdent(varReadyOn), f.NewLiteral(types.String(at.String()))), nil
}

// place is a workload, "self" or a name, on the nodes with a label.
type place struct{ workload, key, value string }

func (p place) String() string { return p.workload + "\n" + p.key + "\n" + p.value }

func placeOf(text string) place {
	parts := strings.SplitN(text, "\n", 3)
	return place{parts[0], parts[1], parts[2]}
}

// literalText is the value of a string that stands in the expression as it is.
func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// workloadOf is the name of the workload that an expression is, "self", or "".
func workloadOf(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		if e.AsIdent() == varSelf {
			return varSelf
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() == operators.Index && c.Args()[0].Kind() == ast.IdentKind &&
			c.Args()[0].AsIdent() == varWorkloads {
			name, _ := literalText(c.Args()[1])
			return name
		}
	}
	return ""
}

// expression is a compiled one. It is safe for concurrent use.
type expression struct {
	text    string
	tree    ast.Expr
	info    *ast.SourceInfo
	program cel.Program
	reads   []observation // what it looks at, each once, in the order of the text
}

// compile is [compileTo] of an expression that gives true or false.
func compile(env *cel.Env, text string) (*expression, []*cel.Error) {
	return compileTo(env, text, cel.BoolType, "must say true or false")
}

// compileTo parses, checks and plans an expression of a type; problems are CEL's, each with its place.
func compileTo(env *cel.Env, text string, want *cel.Type, must string) (*expression, []*cel.Error) {
	parsed, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, issues.Errors()
	}
	if !parsed.OutputType().IsExactType(want) {
		message := fmt.Sprintf("%s; it gives %s", must, parsed.OutputType())
		if want == cel.IntType && parsed.OutputType().IsExactType(cel.DoubleType) {
			message += "; write int(…) around it"
		}
		return nil, []*cel.Error{{Message: message, ExprID: -1}}
	}
	program, err := env.Program(parsed, cel.CostLimit(maxCost))
	if err != nil {
		return nil, []*cel.Error{{Message: err.Error(), ExprID: -1}}
	}
	native := parsed.NativeRep()
	return &expression{text: text, tree: native.Expr(), info: native.SourceInfo(), program: program,
		reads: observations(native.Expr())}, nil
}

// expression reads a CEL expression that says true or false of a state, and whether it
// speaks of self.
func (d *decoder) expression(dst *string, self *bool) read {
	return func(n *yaml.Node, at string) {
		if d.text(dst)(n, at); *dst == "" {
			return
		}
		if d.env == nil {
			env, err := intentEnv()
			if err != nil {
				panic("policies: the environment of custom intents: " + err.Error())
			}
			d.env = env
		}
		e, problems := compile(d.env, *dst)
		*self = e != nil && e.speaksOf(varSelf)
		d.mistaken(n, at, problems)
	}
}

// mistaken words the error of an expression.
func (d *decoder) mistaken(n *yaml.Node, at string, problems []*cel.Error) {
	for _, e := range problems {
		where := d.follow(n, at)
		if e.ExprID >= 0 && where != nil {
			where = within(where, e.Location.Line(), e.Location.Column())
		}
		if where == nil {
			where = n
		}
		message := strings.TrimSuffix(e.Message, " (in container '')")
		if strings.HasSuffix(message, "(int, double)'") || strings.HasSuffix(message, "(double, int)'") {
			message += ": counts are whole numbers; write double(…) around them"
		}
		d.fail(where, at, "%s", message)
	}
}

// within is the place of a line and column, from 1 and 0, of a scalar's text.
func within(n *yaml.Node, line, column int) *yaml.Node {
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return &yaml.Node{Line: n.Line + line, Column: 1} // the indentation is not known
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		column++
	}
	return &yaml.Node{Line: n.Line, Column: n.Column + max(column, 0)}
}
