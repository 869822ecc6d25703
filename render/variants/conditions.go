package variants

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"text/template/parse"
)

// piped are the functions that compare what a pipe gives them.
var piped = map[string]bool{"eq": true, "ne": true, "hasPrefix": true, "hasSuffix": true, "contains": true,
	"has": true, "semverCompare": true, "empty": true}

// pipe are the settings by which a condition comes out as asked.
func (r *reading) pipe(p *parse.PipeNode, truth bool) []toggle {
	if p == nil || len(p.Cmds) == 0 || r.depth > 6 {
		return nil
	}
	if last := p.Cmds[len(p.Cmds)-1]; len(p.Cmds) > 1 && piped[last.Args[0].String()] {
		asked := *last
		of := *p
		of.Cmds = p.Cmds[:len(p.Cmds)-1]
		asked.Args = append(slices.Clone(last.Args), &of)
		return r.command(&asked, truth)
	}
	for _, c := range p.Cmds[1:] {
		if id, ok := c.Args[0].(*parse.IdentifierNode); ok && id.Ident == "not" {
			truth = !truth
		}
	}
	return r.command(p.Cmds[0], truth)
}

func (r *reading) command(c *parse.CommandNode, truth bool) []toggle {
	id, ok := c.Args[0].(*parse.IdentifierNode)
	if !ok {
		if out := serves(c); out != nil && truth {
			return out
		}
		return r.node(c.Args[0], truth)
	}
	args := c.Args[1:]
	var out []toggle
	switch id.Ident {
	case "and", "or":
		for _, a := range args {
			out = append(out, r.node(a, truth)...)
			if len(out) > 0 && truth == (id.Ident == "or") { // one is enough, and two may exclude each other
				break
			}
		}
	case "not", "empty":
		if len(args) > 0 {
			out = r.node(args[0], !truth)
		}
	case "eq", "ne":
		if len(args) == 2 && truth == (id.Ident == "eq") {
			out = append(r.equal(args[0], args[1]), r.equal(args[1], args[0])...)
		} else if out = r.other(args); out != nil {
			break
		} else if none, ok := args[len(args)-1].(*parse.StringNode); ok && none.Text == "" {
			out = r.node(args[0], true)
		}
	case "gt", "ge":
		if len(args) == 2 && truth {
			out = r.above(args[0], args[1])
		}
	case "lt", "le":
		if len(args) == 2 && truth {
			out = r.below(args[0], args[1])
		}
	case "index", "dig", "get", "hasKey":
		if path := r.reached(c); path != nil {
			out = r.at(path, truth)
		}
	case "hasPrefix", "hasSuffix", "contains", "has":
		if truth {
			out = append(holdsText(args), r.holds(id.Ident, args)...)
		}
		if len(args) > 0 && out == nil {
			out = r.node(args[len(args)-1], truth)
		}
	case "semverCompare":
		out = r.compares(args, truth)
	case "include":
		if len(args) > 0 {
			if name, ok := args[0].(*parse.StringNode); ok {
				out = r.within(name.Text, truth)
			}
		}
	default: // default, toString, int, has…: about its last argument
		if len(args) > 0 {
			out = r.node(args[len(args)-1], truth)
		}
	}
	return out
}

// within are the settings by which all conditions of a definition hold.
func (r *reading) within(name string, truth bool) []toggle {
	var out []toggle
	if !truth {
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(r.texts.sides[r.side])) {
		for _, tree := range r.texts.sides[r.side][file].trees {
			if tree.Name != name {
				continue
			}
			in := &reading{texts: r.texts, side: r.side, tree: tree, depth: r.depth + 1, given: r.given}
			each(tree.Root, func(n parse.Node) {
				if b, ok := n.(*parse.IfNode); ok {
					out = append(out, in.pipe(b.Pipe, true)...)
				}
			})
		}
	}
	return out
}

func (r *reading) node(n parse.Node, truth bool) []toggle {
	if p, ok := n.(*parse.PipeNode); ok {
		return r.pipe(p, truth)
	}
	if v, ok := n.(*parse.VariableNode); ok && len(v.Ident) == 1 && v.Ident[0] != "$" {
		p := r.assigned(v.Ident[0])
		if p == nil {
			return nil
		}
		inner := *r
		inner.depth++
		return inner.pipe(p, truth)
	}
	return r.at(r.path(n), truth)
}

// at are the settings by which a value is one that counts as true, or as false.
func (r *reading) at(path []string, truth bool) []toggle {
	if path == nil {
		return nil
	}
	have, known := r.value(path)
	last := path[len(path)-1]
	if truth && r.given && (have == nil || have == "") {
		return setting(path, placeholders[0])
	}
	if truth && vacant(have) {
		if out := r.filling(path); out != nil {
			return out
		}
	}
	switch x := have.(type) {
	case bool:
		if x != truth {
			return setting(path, strconv.FormatBool(truth))
		}
	case nil:
		if truth && (!known || have == nil) && (last == "enabled" || last == "create" || last == "enable" || r.flag(last)) {
			return setting(path, "true")
		}
	case int64, float64:
		if truth && fmt.Sprint(x) == "0" {
			return setting(path, "1")
		}
	case string:
		if truth && x == "" && !named.MatchString(last) {
			return setting(path, placeholdersFor(path)[0])
		}
	}
	return nil
}

// named is the name of a text that has to be one of a few words, or the name of something that is there.
var named = regexp.MustCompile(`(?i)(class|existing|secret|claim|account|ref|override|namespace|node|policy|type|` +
	`kind|mode|strategy|protocol|schedule|cidrs?|ip|tag|digest|version|affinity|preset|(^|[a-z])name)$`)

// assigned is the first value of a variable.
func (r *reading) assigned(name string) *parse.PipeNode {
	var out *parse.PipeNode
	each(r.tree.Root, func(n parse.Node) {
		a, ok := n.(*parse.ActionNode)
		if ok && out == nil && len(a.Pipe.Decl) == 1 && a.Pipe.Decl[0].Ident[0] == name {
			out = a.Pipe
		}
	})
	return out
}

// equal are the settings by which a value has a constant.
func (r *reading) equal(n, constant parse.Node) []toggle {
	text, ok := "", true
	switch c := constant.(type) {
	case *parse.StringNode:
		text = c.Text
	case *parse.NumberNode:
		text = c.Text
	case *parse.BoolNode:
		text = strconv.FormatBool(c.True)
	default:
		ok = false
	}
	if !ok {
		return nil
	}
	path := r.path(n)
	if path == nil {
		return append(besideIs(n, text), r.told(n, text)...)
	}
	if have, _ := r.value(path); have != nil && fmt.Sprint(have) == text {
		return nil
	}
	return setting(path, text)
}

// other is the setting by which a value is no longer the text that it is compared with.
func (r *reading) other(args []parse.Node) []toggle {
	if len(args) != 2 {
		return nil
	}
	path, text := r.path(args[0]), args[1]
	if path == nil {
		path, text = r.path(args[1]), args[0]
	}
	c, ok := text.(*parse.StringNode)
	if have, _ := r.value(path); !ok || path == nil || have != c.Text || c.Text == "" {
		return nil
	}
	return setting(path, placeholders[0])
}

// holds are the settings by which a value holds a text, or a list has it.
func (r *reading) holds(function string, args []parse.Node) []toggle {
	if len(args) != 2 {
		return nil
	}
	c, ok := args[0].(*parse.StringNode)
	path := r.path(args[1])
	if !ok || path == nil {
		return nil
	}
	out := setting(path, c.Text)
	if function == "has" && out != nil {
		out[0].path += "[0]"
	}
	return out
}

// flag reports whether a value without a default is only tested: the text under the condition does not name it.
func (r *reading) flag(last string) bool {
	return r.body != "" && !regexp.MustCompile(`\b`+regexp.QuoteMeta(last)+`\b`).MatchString(r.body)
}

// told are the settings under which a template sets a key of the dot to a text, as in set . "mode" "ha".
func (r *reading) told(n parse.Node, text string) []toggle {
	f, ok := innermost(n).(*parse.FieldNode)
	if !ok || len(f.Ident) != 1 || r.depth > 2 {
		return nil
	}
	ref := regexp.MustCompile(`\bset\s+[.$]\s+"` + regexp.QuoteMeta(f.Ident[0]) + `"\s+"?` + regexp.QuoteMeta(text) + `\b`)
	for _, file := range slices.Sorted(maps.Keys(r.texts.sides[r.side])) {
		trees := r.texts.sides[r.side][file]
		at := ref.FindStringIndex(trees.text)
		if at == nil {
			continue
		}
		tree := trees.at(at[0])
		if tree == nil {
			continue
		}
		in := &reading{texts: r.texts, side: r.side, tree: tree, depth: r.depth + 1}
		var out []toggle
		for _, g := range in.guards(tree.Root, at[0], len(trees.text)) {
			out = append(out, g.in.pipe(g.pipe, g.truth)...)
		}
		return out
	}
	return nil
}

// above are the settings by which a number is more than another, below those by which it is less.
func (r *reading) above(n, limit parse.Node) []toggle { return r.beyond(n, limit, 1) }
func (r *reading) below(n, limit parse.Node) []toggle { return r.beyond(n, limit, -1) }

func (r *reading) beyond(n, limit parse.Node, by int64) []toggle {
	c, ok := limit.(*parse.NumberNode)
	path := r.path(n)
	if !ok || !c.IsInt || path == nil {
		return nil
	}
	have, _ := r.value(path)
	x, err := strconv.ParseFloat(fmt.Sprint(have), 64)
	if have != nil && (err != nil || (x-float64(c.Int64))*float64(by) > 0) {
		return nil
	}
	return setting(path, strconv.FormatInt(c.Int64+by, 10))
}
