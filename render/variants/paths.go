package variants

import (
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// reached is the path of the value that a command reaches into a map for; nil where it does not say so.
func (r *reading) reached(c *parse.CommandNode) []string {
	id, ok := c.Args[0].(*parse.IdentifierNode)
	if !ok || len(c.Args) < 3 {
		return nil
	}
	of, keys := c.Args[1], c.Args[2:]
	switch id.Ident {
	case "index", "get", "hasKey":
	case "dig":
		if len(c.Args) < 4 {
			return nil
		}
		of, keys = c.Args[len(c.Args)-1], c.Args[1:len(c.Args)-2]
	default:
		return nil
	}
	path := r.place(of)
	if path == nil {
		return nil
	}
	if n := len(path); id.Ident == "dig" && n > 0 && path[n-1] == "AsMap" {
		path = path[:n-1]
	}
	path = slices.Clone(path)
	for _, k := range keys {
		s, ok := k.(*parse.StringNode)
		if !ok {
			return nil
		}
		path = append(path, s.Text)
	}
	return path
}

// innermost is the first thing that a pipe is about.
func innermost(n parse.Node) parse.Node {
	for depth := 0; depth < 8; depth++ {
		p, ok := n.(*parse.PipeNode)
		if !ok {
			break
		}
		if n = firstArg(p); n == nil {
			return nil
		}
	}
	return n
}

// firstArg is what the first command of a pipe is about: itself, or the last argument of a function.
func firstArg(p *parse.PipeNode) parse.Node {
	if p == nil || len(p.Cmds) == 0 {
		return nil
	}
	args := p.Cmds[0].Args
	if _, call := args[0].(*parse.IdentifierNode); call {
		if len(args) < 2 {
			return nil
		}
		return args[len(args)-1]
	}
	return args[0]
}

// rooted are the objects that Helm gives a template beside the values.
var rooted = []string{"Values", "Release", "Chart", "Capabilities", "Template", "Files", "Subcharts"}

// path is the path of the values that a node names; nil: it names none, or all of them.
func (r *reading) path(n parse.Node) []string {
	if p := r.place(n); len(p) > 0 {
		return p
	}
	return nil
}

// place is as path, but empty for a node that names all values, as $v does after $v := .Values.
func (r *reading) place(n parse.Node) []string {
	if p, ok := n.(*parse.PipeNode); ok && len(p.Cmds) == 1 {
		if path := r.reached(p.Cmds[0]); path != nil {
			return path
		}
	}
	switch x := innermost(n).(type) {
	case *parse.ChainNode: // (.Values.a).b
		if of := r.place(x.Node); of != nil {
			return append(slices.Clone(of), x.Field...)
		}
	case *parse.FieldNode:
		switch {
		case x.Ident[0] == "Values" && len(r.dot) == 0:
			return r.scoped(x.Ident[1:])
		case slices.Contains(rooted, x.Ident[0]): // below a dot it is no value, but a slip of the template
		case len(r.dot) > 0 && r.dot[0] != "?":
			return append(slices.Clone(r.dot), x.Ident...)
		}
	case *parse.VariableNode:
		if len(x.Ident) > 1 && x.Ident[0] == "$" && x.Ident[1] == "Values" {
			return r.scoped(x.Ident[2:])
		}
		if p := r.assigned(x.Ident[0]); p != nil && x.Ident[0] != "$" && r.depth < 3 {
			inner := *r
			inner.depth++
			if of := inner.place(firstArg(p)); of != nil {
				return append(slices.Clone(of), x.Ident[1:]...)
			}
		}
	}
	return nil
}

// value is what the chart's own values say at a path.
func (r *reading) value(path []string) (any, bool) {
	var p fieldpath.Path
	for _, k := range path {
		p = append(p, fieldpath.Key(k))
	}
	return p.Get(r.texts.values)
}

// plainSetting is what --set takes as it stands.
var plainSetting = regexp.MustCompile(`^[A-Za-z0-9_.%-]+$`)

// setting sets one value, where --set can say so.
func setting(path []string, value string) []toggle {
	odd := func(k string) bool { return !fieldpath.PlainKey(k) }
	if len(path) == 0 || slices.ContainsFunc(path, odd) || !plainSetting.MatchString(value) {
		return nil
	}
	return []toggle{{strings.Join(path, "."), value}}
}
