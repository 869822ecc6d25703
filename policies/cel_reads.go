package policies

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// observation is one number that an expression looks at.
type observation struct {
	of    string // a variable, or "namespace/name"
	field string // of a view; "" of a variable that is no view
	at    place  // of readyOn, where field is readyOn
}

const readyOn = "readyOn"

// observations lists what an expression looks at, each once, in the order of the text. A
// view that is handed on as a whole counts with all its fields.
func observations(e ast.Expr) []observation {
	var out []observation
	add := func(o observation) {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	var walk func(e ast.Expr)
	whole := func(e ast.Expr) bool {
		of, fields := viewOf(e)
		for _, f := range fields {
			add(observation{of: of, field: f})
		}
		return of != ""
	}
	walk = func(e ast.Expr) {
		if o, ok := leaf(e); ok {
			add(o)
			return
		}
		if whole(e) {
			return
		}
		for _, child := range children(e) {
			walk(child)
		}
	}
	walk(e)
	return out
}

// leaf is the observation that an expression is by itself.
func leaf(e ast.Expr) (observation, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if name := e.AsIdent(); name == varQuiescent || name == varApplied || name == varChanged {
			return observation{of: name}, true
		}
	case ast.SelectKind:
		if of, _ := viewOf(e.AsSelect().Operand()); of != "" {
			return observation{of: of, field: e.AsSelect().FieldName()}, true
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() == operators.Index && c.Args()[0].Kind() == ast.IdentKind && c.Args()[0].AsIdent() == varReadyOn {
			text, _ := literalText(c.Args()[1])
			at := placeOf(text)
			return observation{of: at.workload, field: readyOn, at: at}, true
		}
	}
	return observation{}, false
}

// viewOf is the variable or workload whose view an expression is, with the view's fields.
func viewOf(e ast.Expr) (of string, fields []string) {
	if name := workloadOf(e); name != "" {
		return name, workloadFields
	}
	if e.Kind() != ast.IdentKind {
		return "", nil
	}
	switch e.AsIdent() {
	case varNodes:
		return varNodes, nodesFields
	case varEvents:
		return varEvents, eventsFields
	}
	return "", nil
}

// children are the parts of an expression, in the order of the text.
func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return append([]ast.Expr{c.Target()}, c.Args()...)
		}
		return c.Args()
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.MapKind:
		var out []ast.Expr
		for _, m := range e.AsMap().Entries() {
			out = append(out, m.AsMapEntry().Key(), m.AsMapEntry().Value())
		}
		return out
	case ast.StructKind:
		var out []ast.Expr
		for _, f := range e.AsStruct().Fields() {
			out = append(out, f.AsStructField().Value())
		}
		return out
	}
	return nil
}

// known is a truth value, or that it depends on the state.
type known uint8

const (
	open known = iota
	yes
	no
)

// whileMoving is the value of an expression in every state in which some loop has work left.
func whileMoving(e ast.Expr) known {
	switch e.Kind() {
	case ast.LiteralKind:
		switch e.AsLiteral() {
		case types.True:
			return yes
		case types.False:
			return no
		}
	case ast.IdentKind:
		if e.AsIdent() == varQuiescent {
			return no
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.LogicalNot:
			return [...]known{open, no, yes}[whileMoving(c.Args()[0])]
		case operators.LogicalAnd:
			return joined(c.Args(), no, yes)
		case operators.LogicalOr:
			return joined(c.Args(), yes, no)
		}
	}
	return open
}

// joined is what terms come to of which one that is enough decides.
func joined(terms []ast.Expr, enough, otherwise known) known {
	out := otherwise
	for _, t := range terms {
		switch whileMoving(t) {
		case enough:
			return enough
		case open:
			out = open
		}
	}
	return out
}
