package policies

import (
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"go.yaml.in/yaml/v3"
)

// WorkloadView is what workload("namespace/name") gives in a custom intent. All
// numbers are pods but where said otherwise.
type WorkloadView struct {
	Replicas    int `cel:"replicas"`    // the live spec.replicas
	Updated     int `cel:"updated"`     // of the current revision, not terminating
	Pending     int `cel:"pending"`     // without a node
	Starting    int `cel:"starting"`    // on a node, not ready
	Ready       int `cel:"ready"`       // of all revisions
	Terminating int `cel:"terminating"` // with a deletion timestamp
	Zones       int `cel:"zones"`       // zones with a ready pod
	Nodes       int `cel:"nodes"`       // nodes with a ready pod
}

// maxExpression is the length of an expression in characters, at the most.
const maxExpression = 2000

// intentEnv declares what a custom intent may speak of: workload(name), and quiescent,
// which says that no control loop and no kubelet has anything left to do.
func intentEnv() (*cel.Env, error) {
	view := reflect.TypeFor[WorkloadView]()
	return cel.NewEnv(
		cel.ParserExpressionSizeLimit(maxExpression),
		ext.NativeTypes(ext.ParseStructTags(true), view),
		cel.Variable("quiescent", cel.BoolType),
		cel.Function("workload", cel.Overload("workload_string", []*cel.Type{cel.StringType}, cel.ObjectType(view.String()))),
	)
}

// expression reads a CEL expression that says true or false of a state.
func (d *decoder) expression(dst *string) read {
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
		ast, issues := d.env.Compile(*dst)
		for _, e := range issues.Errors() {
			text := strings.TrimSuffix(e.Message, " (in container '')")
			d.fail(within(d.follow(n, at), e.Location.Line(), e.Location.Column()), at, "%s", text)
		}
		if issues.Err() == nil && ast.OutputType() != cel.BoolType {
			d.fail(n, at, "must say true or false; it gives %s", ast.OutputType())
		}
	}
}

// within is the place of a line and column, from 1 and 0, of a scalar's text.
func within(n *yaml.Node, line, column int) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return &yaml.Node{Line: n.Line + line, Column: 1} // the indentation is not known
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		column++
	}
	return &yaml.Node{Line: n.Line, Column: n.Column + max(column, 0)}
}
