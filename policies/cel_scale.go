package policies

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// scope of an intent.
func (e *expression) scope() *rules.Scope {
	out := &rules.Scope{Workloads: e.workloads()}
	for _, o := range e.reads {
		out.Terminating = out.Terminating || o.field == "terminating"
		if o.field == readyOn && !slices.Contains(out.Labels, o.at.key) {
			out.Labels = append(out.Labels, o.at.key)
		}
	}
	var n numbers
	n.walk(e.tree)
	for _, l := range n.literals {
		out.Numbers = append(out.Numbers, int(l.AsLiteral().(types.Int)))
	}
	out.Absolute = n.absolute
	return out
}

// Scaled gives the intents with every number that pods are compared with as of has it;
// those that need the declared numbers are off.
func Scaled(intents []CustomIntent, of func(int) int) ([]CustomIntent, error) {
	env, err := intentEnv()
	if err != nil {
		return nil, err
	}
	out := slices.Clone(intents)
	for i := range out {
		in := &out[i]
		_, text := in.Form()
		e, problems := compile(env, text)
		if len(problems) > 0 {
			return nil, fmt.Errorf("%w: intents.custom %s: %s", ErrRules, in.Name, problems[0].Message)
		}
		var n numbers
		if n.walk(e.tree); n.absolute {
			in.Severity = rules.Off
			continue
		}
		text = n.rewritten(e, of)
		for _, form := range []*string{&in.Always, &in.Never, &in.Eventually, &in.Settles} {
			if *form != "" {
				*form = text
			}
		}
	}
	return out, nil
}

// numbers finds what numbers an expression has.
type numbers struct {
	literals []ast.Expr // that pods are compared with
	absolute bool       // there are others
}

// rewritten is an expression's text with other numbers.
func (n *numbers) rewritten(e *expression, of func(int) int) string {
	text := []rune(e.text)
	type span struct {
		from, to, value int
	}
	var spans []span
	for _, l := range n.literals {
		if r, ok := e.info.GetOffsetRange(l.ID()); ok {
			spans = append(spans, span{int(r.Start), int(r.Stop), of(int(l.AsLiteral().(types.Int)))})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return b.from - a.from })
	for _, s := range slices.Compact(spans) {
		text = slices.Replace(text, s.from, s.to, []rune(strconv.Itoa(s.value))...)
	}
	return string(text)
}

// unit is what a number counts.
type unit uint8

const (
	noNumber unit = iota
	podCount
	podsThere // in one place
	zones
	nodeCount
	eventCount
	literal
	computed
)

// walk looks at an expression; a number that stands in no plain comparison is absolute.
func (n *numbers) walk(e ast.Expr) {
	if e.Kind() == ast.CallKind {
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
			operators.GreaterEquals:
			n.compare(c.Args()[0], c.Args()[1])
			return
		}
	}
	switch unitOf(e) {
	case literal, computed:
		n.absolute = true
		return
	case noNumber:
	default:
		return
	}
	if _, ok := leaf(e); ok {
		return
	}
	for _, child := range children(e) {
		n.walk(child)
	}
}

func (n *numbers) compare(a, b ast.Expr) {
	x, y := unitOf(a), unitOf(b)
	if y == literal {
		a, b, x, y = b, a, y, x
	}
	switch {
	case x == noNumber && y == noNumber:
		n.walk(a)
		n.walk(b)
	case x == computed, y == computed, y == literal:
		n.absolute = true
	case x == literal && y == podCount:
		n.literals = append(n.literals, a)
	case x == literal && (y == podsThere || y == nodeCount):
		n.absolute = n.absolute || a.AsLiteral().(types.Int) > 1
	case x == literal, x == y, x == podCount && y == podsThere, x == podsThere && y == podCount:
	default:
		n.absolute = true
	}
}

// arithmetic are the functions whose result is no plain number of anything.
var arithmetic = []string{
	operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
	operators.Conditional, "size", "int", "uint", "double",
}

func unitOf(e ast.Expr) unit {
	switch e.Kind() {
	case ast.LiteralKind:
		switch e.AsLiteral().(type) {
		case types.Int:
			return literal
		case types.Uint, types.Double:
			return computed
		}
	case ast.SelectKind:
		s := e.AsSelect()
		return unitOfField(s.Operand(), s.FieldName())
	case ast.CallKind:
		if o, ok := leaf(e); ok && o.field == readyOn {
			return podsThere
		}
		name := e.AsCall().FunctionName()
		if name == operators.Conditional && unitOf(e.AsCall().Args()[1]) == noNumber {
			return noNumber
		}
		if slices.Contains(arithmetic, name) {
			return computed
		}
	}
	return noNumber
}

func unitOfField(of ast.Expr, field string) unit {
	switch name, _ := viewOf(of); name {
	case varNodes:
		return nodeCount
	case varEvents:
		return eventCount
	}
	switch field {
	case "load":
		return noNumber
	case "zones":
		return zones
	case "nodes":
		return nodeCount
	case "maxPerNode", "maxPerZone":
		return podsThere
	}
	return podCount
}
