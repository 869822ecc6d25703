package deploys

import (
	"path"
	"strings"

	"go.starlark.net/syntax"
)

// readTiltfile reads the calls of a Tiltfile whose arguments are written out: helm, kustomize, k8s_yaml, helm_resource
// and local. Variables that are assigned a text once are known.
func readTiltfile(file string, b []byte) []call {
	f, err := (&syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}).Parse(file, b, 0)
	if err != nil {
		return nil
	}
	t := &tiltfile{sh: newShell(file), vars: map[string][]string{}, dirs: []string{path.Dir(file), "."}}
	syntax.Walk(f, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.AssignStmt); ok && a.Op == syntax.EQ {
			if name, ok := a.LHS.(*syntax.Ident); ok {
				t.vars[name.Name] = t.texts(a.RHS)
			}
		}
		if c, ok := n.(*syntax.CallExpr); ok {
			t.call(c)
		}
		return true
	})
	return t.sh.calls
}

type tiltfile struct {
	sh   *shell
	vars map[string][]string
	dirs []string
}

// texts are the texts of a literal, a list of them, or a variable that holds one; an unknown text has a name.
func (t *tiltfile) texts(e syntax.Expr) []string {
	switch e := e.(type) {
	case *syntax.Literal:
		if s, ok := e.Value.(string); ok {
			return []string{s}
		}
	case *syntax.ListExpr:
		var out []string
		for _, x := range e.List {
			out = append(out, t.texts(x)...)
		}
		return out[:min(len(out), maxWords)]
	case *syntax.ParenExpr:
		return t.texts(e.X)
	case *syntax.Ident:
		if v, ok := t.vars[e.Name]; ok {
			return v
		}
		return []string{"${" + named(e.Name) + "}"}
	case *syntax.BinaryExpr:
		x, y := t.texts(e.X), t.texts(e.Y)
		if e.Op == syntax.PLUS && len(x) == 1 && len(y) == 1 && len(x[0])+len(y[0]) <= maxValue {
			return []string{x[0] + y[0]}
		}
	}
	return nil
}

func (t *tiltfile) call(c *syntax.CallExpr) {
	name, ok := c.Fn.(*syntax.Ident)
	if !ok {
		return
	}
	var positional []string
	named := map[string][]string{}
	for _, a := range c.Args {
		if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			if k, ok := b.X.(*syntax.Ident); ok {
				named[k.Name] = t.texts(b.Y)
			}
			continue
		}
		positional = append(positional, t.texts(a)...)
	}
	first := func(k string) string { return strings.Join(named[k][:min(len(named[k]), 1)], "") }
	start, _ := c.Span()
	add := func(d Deploy) {
		d.File, d.Line = t.sh.file, int(start.Line)
		t.sh.calls = append(t.sh.calls, call{Deploy: d, dirs: t.dirs})
	}
	switch {
	case len(positional) == 0:
	case name.Name == "helm":
		d := Deploy{Tool: Helm, Path: positional[0], Name: first("name"), Namespace: first("namespace"),
			Values: named["values"]}
		for _, s := range named["set"] {
			_ = ordered{"set", &d.Settings}.Set(s)
		}
		add(d)
	case name.Name == "helm_resource" && len(positional) > 1:
		words := append([]string{"helm", "upgrade", positional[0], positional[1]}, named["flags"]...)
		if ns := first("namespace"); ns != "" {
			words = append(words, "--namespace", ns)
		}
		t.sh.tool(words, int(start.Line), state{dirs: t.dirs})
	case name.Name == "kustomize":
		add(Deploy{Tool: Kustomize, Path: positional[0]})
	case name.Name == "k8s_yaml":
		for _, p := range positional {
			add(Deploy{Tool: Manifests, Path: p})
		}
	case name.Name == "local" || name.Name == "local_resource" || name.Name == "shell":
		for _, text := range positional {
			t.sh.run(text, func(n int) int { return int(start.Line) + n - 1 }, nil, t.dirs)
		}
	}
}
