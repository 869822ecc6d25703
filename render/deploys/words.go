package deploys

import (
	"io"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Words are expanded by the shell library, after unknown parts were replaced by their names. An expansion that could
// make a short word a long one is left unknown.

// environment is a state as the library reads it.
type environment struct {
	st   state
	file string
}

func (e environment) Get(name string) expand.Variable {
	if name == "0" || name == "BASH_SOURCE" {
		return expand.Variable{Set: true, Kind: expand.String, Str: "/" + e.file}
	}
	if v, ok := e.st.get(name); ok {
		return v
	}
	if strings.HasPrefix(name, "HOME") { // or the library asks the system
		return expand.Variable{Set: true, Kind: expand.String, Str: "${HOME}"}
	}
	return expand.Variable{}
}

func (environment) Each(func(string, expand.Variable) bool) {}

func (sh *shell) config(st state) *expand.Config {
	return &expand.Config{Env: environment{st, sh.file},
		CmdSubst: func(w io.Writer, _ *syntax.CmdSubst) error {
			_, err := io.WriteString(w, "${command}")
			return err
		},
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "${file}", nil }}
}

// fields expands words as the shell does; false: they cannot be.
func (sh *shell) fields(words []*syntax.Word, st state) ([]string, bool) {
	if len(words) > maxWords {
		return nil, false
	}
	var out []string
	for _, w := range words {
		known, ok := sh.word(w, st)
		if !ok {
			return nil, false
		}
		list, err := expand.Fields(sh.config(st), known)
		if err != nil || len(out)+len(list) > maxWords {
			return nil, false
		}
		out = append(out, list...)
	}
	return out, true
}

// literal expands one word to one text.
func (sh *shell) literal(w *syntax.Word, st state) (string, bool) {
	known, ok := sh.word(w, st)
	if !ok {
		return "", false
	}
	s, err := expand.Literal(sh.config(st), known)
	return s, err == nil
}

const maxParts = 60 // of a word

// word is a word without unknown parts, except for their names; false: it may expand to something huge.
func (sh *shell) word(w *syntax.Word, st state) (*syntax.Word, bool) {
	braces, parts := 0, 0
	fine := true
	syntax.Walk(w, func(n syntax.Node) bool {
		parts++
		if lit, ok := n.(*syntax.Lit); ok {
			braces += strings.Count(lit.Value, "{")
			fine = fine && !(strings.Contains(lit.Value, "{") && strings.Contains(lit.Value, ".."))
		}
		return true
	})
	if !fine || braces > 3 || parts > maxParts {
		return nil, false
	}
	return &syntax.Word{Parts: sh.parts(w.Parts, st)}, true
}

func (sh *shell) parts(list []syntax.WordPart, st state) []syntax.WordPart {
	out := make([]syntax.WordPart, 0, len(list))
	quoted := func(s string) { out = append(out, &syntax.SglQuoted{Value: s}) }
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			out = append(out, &syntax.DblQuoted{Parts: sh.parts(p.Parts, st)})
		case *syntax.ParamExp:
			if name, unknown := sh.unknown(p, st); unknown {
				quoted("${" + name + "}")
				continue
			}
			known := *p
			if p.Exp != nil && p.Exp.Word != nil {
				known.Exp = &syntax.Expansion{Op: p.Exp.Op, Word: &syntax.Word{Parts: sh.parts(p.Exp.Word.Parts, st)}}
			}
			out = append(out, &known)
		case *syntax.CmdSubst:
			text, ok := sh.output(p.Stmts, st)
			if !ok {
				var b strings.Builder
				_ = syntax.NewPrinter().Print(&b, p)
				text = hashed("command", b.String())
			}
			quoted(text)
		case *syntax.ProcSubst:
			quoted("${file}")
		case *syntax.ArithmExp:
			quoted("${number}")
		default:
			out = append(out, p)
		}
	}
	return out
}

// unknown reports whether a variable's value is not known, and what stands for it.
func (sh *shell) unknown(p *syntax.ParamExp, st state) (name string, unknown bool) {
	if p.Param == nil || p.Excl || p.NestedParam != nil || p.Names != 0 {
		return "variable", true
	}
	name = p.Param.Value
	v, known := st.get(name)
	list := v.Kind == expand.Indexed
	switch {
	case name == "0":
		return "", false
	case name == "@" || name == "*" || name == "#" || name == "?" || name == "$" || name == "!" || name == "-":
		return "arguments", !known
	case name[0] >= '0' && name[0] <= '9':
		name = "arg" + name
	}
	simple := !p.Length && !p.Width && !p.IsSet && p.Slice == nil && p.Repl == nil && p.Flags == nil
	if p.Param.Value == "BASH_SOURCE" {
		return "", false // see [environment.Get]
	}
	if known && (list || Known(v.String()) && (simple || p.Slice != nil)) {
		return "", false
	}
	if p.Exp != nil && !known {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return "", false
		}
	}
	if known && simple && p.Exp == nil {
		return "", false // its value has unknown parts, by their names
	}
	if !simple {
		name += "_part"
	}
	return name, true
}

// output is what a command writes that only names files; false: it is not known.
func (sh *shell) output(list []*syntax.Stmt, st state) (string, bool) {
	if len(list) == 0 || len(list) > 4 || sh.depth > maxCalls {
		return "", false
	}
	for _, s := range list[:len(list)-1] {
		if _, changed := s.Cmd.(*syntax.CallExpr); !changed {
			return "", false
		}
		if st = sh.after(s, st); len(st.dirs) == 0 {
			return "", false
		}
	}
	switch c := list[len(list)-1].Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt {
			return "", false
		}
		return sh.output([]*syntax.Stmt{c.Y}, sh.after(c.X, st))
	case *syntax.CallExpr:
		sh.depth++
		defer func() { sh.depth-- }()
		words, ok := sh.fields(c.Args, st)
		if !ok || len(words) == 0 || len(words) > 1 && !Known(strings.Join(words[1:], " ")) {
			return "", false
		}
		last := words[len(words)-1]
		switch words[0] {
		case "pwd":
			if len(st.dirs) > 0 {
				return "/" + st.dirs[0], true
			}
		case "dirname":
			return path.Dir(last), true
		case "basename":
			if len(words) == 2 {
				return path.Base(last), true
			}
		case "realpath", "readlink":
			return last, true
		case "echo":
			return strings.Join(words[1:], " "), true
		case "git":
			return "/.", slices.Contains(words, "--show-toplevel")
		}
	}
	return "", false
}

// after is the state after a command that changes the folder.
func (sh *shell) after(s *syntax.Stmt, st state) state {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || literal(c.Args[0]) != "cd" {
		return st
	}
	return sh.call(c, st.clone())[0]
}

// literal is the text of a word without expansions, or "".
func literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	if s := w.Lit(); s != "" || len(w.Parts) != 1 {
		return s
	}
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return p.Value
	case *syntax.DblQuoted:
		return (&syntax.Word{Parts: p.Parts}).Lit()
	}
	return ""
}

// variable is the name of the one variable that a word consists of, or "".
func variable(w *syntax.Word) string {
	if w == nil || len(w.Parts) != 1 {
		return ""
	}
	p := w.Parts[0]
	if q, ok := p.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		p = q.Parts[0]
	}
	v, ok := p.(*syntax.ParamExp)
	if !ok || v.Param == nil || v.Exp != nil || v.Slice != nil || v.Repl != nil || v.Length {
		return ""
	}
	return v.Param.Value
}
