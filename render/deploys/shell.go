package deploys

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const (
	maxStates = 16   // that a script may be in at once
	maxValue  = 1024 // bytes of a variable's value: a longer one is unknown
	maxWords  = 200  // of a list
	maxCalls  = 5    // of functions within one another
)

// state is the knowledge at the place where a command runs.
type state struct {
	vars map[string]expand.Variable
	args []string // $1, …; nil: unknown
	dirs []string // folders of the repository that it may run in, likelier ones first
}

func (st state) clone() state {
	st.vars = maps.Clone(st.vars)
	return st
}

func (st state) equal(other state) bool {
	return slices.Equal(st.dirs, other.dirs) && (st.args == nil) == (other.args == nil) &&
		slices.Equal(st.args, other.args) && maps.EqualFunc(st.vars, other.vars, func(a, b expand.Variable) bool {
		return a.Set == b.Set && a.Local == b.Local && a.Exported == b.Exported && a.ReadOnly == b.ReadOnly &&
			a.Kind == b.Kind && a.Str == b.Str && slices.Equal(a.List, b.List) && maps.Equal(a.Map, b.Map)
	})
}

// shell follows the commands of one file in every state that it may be in, without running any.
type shell struct {
	file   string
	line   func(int) int
	steps  int
	depth  int
	calls  []call
	funcs  map[string]*syntax.Stmt
	called map[string]bool
	repos  map[string]string // of `helm repo add`
	said   map[string]saying // by the words of a command
}

func newShell(file string) *shell {
	return &shell{file: file, repos: map[string]string{}, said: map[string]saying{}}
}

// run follows one script; line gives the file's line of one of the script's.
func (sh *shell) run(text string, line func(int) int, vars map[string]string, dirs []string) {
	sh.line, sh.funcs, sh.called = line, map[string]*syntax.Stmt{}, map[string]bool{}
	st := state{vars: map[string]expand.Variable{}, dirs: dirs}
	for k, v := range vars {
		st.set(k, v)
	}
	sh.text(text, []state{st})
	for _, name := range slices.Sorted(maps.Keys(sh.funcs)) {
		if !sh.called[name] {
			sh.stmt(sh.funcs[name], []state{st.clone()})
		}
	}
	for i := range sh.calls {
		if c := &sh.calls[i]; c.Tool == Helm && c.Repository == "" {
			name, _, _ := strings.Cut(c.Path, "/")
			c.Repository = sh.repos[name]
		}
	}
}

// text follows a text, and where it is no script as a whole, each of its lines.
func (sh *shell) text(text string, in []state) []state {
	parse := func(text string) (*syntax.File, error) {
		return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	}
	if f, err := parse(text); err == nil {
		return sh.stmts(f.Stmts, in)
	}
	own := sh.line
	defer func() { sh.line = own }()
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && strings.HasSuffix(lines[to-1], `\`) {
			to++
		}
		start := from
		sh.line = func(n int) int { return own(start + n) }
		if f, err := parse(strings.Join(lines[from:to], "\n")); err == nil {
			in = sh.stmts(f.Stmts, in)
		}
		from = to
	}
	return in
}

func (sh *shell) stmts(list []*syntax.Stmt, in []state) []state {
	for _, s := range list {
		in = sh.stmt(s, in)
	}
	return in
}

// distinct are different states, as many as are followed.
func distinct(lists ...[]state) []state {
	var out []state
	for _, st := range slices.Concat(lists...) {
		if len(out) < maxStates && !slices.ContainsFunc(out, st.equal) {
			out = append(out, st)
		}
	}
	return out
}

// stmt follows a statement, and gives the states that it may end in.
func (sh *shell) stmt(s *syntax.Stmt, in []state) []state {
	if sh.steps++; sh.steps > maxSteps || s == nil {
		return in
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		sh.fed(s, s, false, in)
		sh.written(s, c, in)
		var out []state
		n := len(sh.calls)
		for _, st := range in {
			out = append(out, sh.call(c, st)...)
		}
		sh.printed(s, n)
		return distinct(out)
	case *syntax.DeclClause:
		var out []state
		for _, st := range in {
			out = append(out, sh.assigned(c.Args, st)...)
		}
		return distinct(out)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			n := len(sh.calls)
			sh.stmt(c.X, in)
			sh.fed(s, c.Y, slices.ContainsFunc(sh.calls[n:], func(c call) bool { return c.Tool != Step }), in)
			sh.stmt(c.Y, in)
			return in
		}
		after := sh.stmt(c.X, in)
		then := after
		if c.Op == syntax.AndStmt {
			then = bound(c.X, after)
		}
		return distinct(sh.stmt(c.Y, then), after)
	case *syntax.Block:
		return sh.stmts(c.Stmts, in)
	case *syntax.Subshell:
		sh.stmts(c.Stmts, in)
	case *syntax.IfClause:
		return sh.branches(c, in)
	case *syntax.CaseClause:
		return sh.cases(c, in)
	case *syntax.ForClause:
		return sh.loop(c, in)
	case *syntax.WhileClause:
		after := sh.stmts(c.Cond, in)
		return distinct(after, sh.stmts(c.Do, after))
	case *syntax.TimeClause:
		return sh.stmt(c.Stmt, in)
	case *syntax.FuncDecl:
		sh.funcs[c.Name.Value] = c.Body
	}
	return in
}

func (sh *shell) branches(c *syntax.IfClause, in []state) []state {
	after := sh.stmts(c.Cond, in)
	if len(c.Cond) == 0 { // else
		return sh.stmts(c.Then, after)
	}
	then := sh.stmts(c.Then, bound(c.Cond[len(c.Cond)-1], after))
	if c.Else == nil {
		return distinct(then, after)
	}
	return distinct(then, sh.branches(c.Else, after))
}

// bound are the states in which a test holds that compares a variable with a text.
func bound(test *syntax.Stmt, in []state) []state {
	var name, want string
	switch c := test.Cmd.(type) {
	case *syntax.TestClause:
		if b, ok := c.X.(*syntax.BinaryTest); ok && (b.Op == syntax.TsMatch || b.Op == syntax.TsMatchShort) {
			x, isX := b.X.(*syntax.Word)
			y, isY := b.Y.(*syntax.Word)
			if isX && isY {
				name, want = variable(x), literal(y)
			}
		}
	case *syntax.CallExpr:
		if len(c.Args) >= 4 && (literal(c.Args[0]) == "[" || literal(c.Args[0]) == "test") &&
			strings.Trim(literal(c.Args[2]), "=") == "" && literal(c.Args[2]) != "" {
			name, want = variable(c.Args[1]), literal(c.Args[3])
		}
	}
	if name == "" || want == "" || test.Negated || strings.ContainsAny(want, "*?[") {
		return in
	}
	return where(in, name, want)
}

// where are the states in which a variable has, or may have, a value.
func where(in []state, name, want string) []state {
	var out []state
	for _, st := range in {
		v, known := st.get(name)
		if known && Known(v.String()) && v.String() != want {
			continue
		}
		st = st.clone()
		st.set(name, want)
		out = append(out, st)
	}
	return out
}

func (sh *shell) cases(c *syntax.CaseClause, in []state) []state {
	name := variable(c.Word)
	var out []state
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			st := in
			if want := literal(p); want != "" && !strings.ContainsAny(want, "*?[") && name != "" {
				st = where(in, name, want)
			}
			if len(st) > 0 {
				out = append(out, sh.stmts(item.Stmts, st)...)
			}
		}
	}
	if len(out) == 0 { // whoever writes all cases down means all
		return in
	}
	return distinct(out)
}

func (sh *shell) loop(c *syntax.ForClause, in []state) []state {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return sh.stmts(c.Do, in)
	}
	var out []state
	for _, st := range in {
		items, ok := sh.fields(iter.Items, st)
		states := []state{st}
		if !ok || len(items) == 0 {
			one := st.clone()
			delete(one.vars, iter.Name.Value)
			states = sh.stmts(c.Do, []state{one})
		}
		for _, item := range items[:min(len(items), maxStates)] {
			var next []state
			for _, s := range states {
				s = s.clone()
				if s.set(iter.Name.Value, item); !Known(item) || strings.ContainsAny(item, "*?") {
					delete(s.vars, iter.Name.Value)
				}
				next = append(next, s)
			}
			states = sh.stmts(c.Do, distinct(next))
		}
		out = append(out, states...)
	}
	return distinct(out)
}

// assign sets a variable to the value of an assignment.
func (sh *shell) assign(a *syntax.Assign, st state) {
	switch {
	case a.Name == nil || a.Naked || a.Index != nil:
	case a.Array != nil:
		var words []*syntax.Word
		for _, e := range a.Array.Elems {
			if e.Index == nil && e.Value != nil {
				words = append(words, e.Value)
			}
		}
		list, ok := sh.fields(words, st)
		if a.Append {
			had, _ := st.get(a.Name.Value)
			list = append(slices.Clone(had.List), list...)
		}
		if delete(st.vars, a.Name.Value); ok && len(list) <= maxWords {
			st.vars[a.Name.Value] = expand.Variable{Set: true, Kind: expand.Indexed, List: list}
		}
	default:
		value := ""
		if a.Value != nil {
			text, ok := sh.literal(a.Value, st)
			if !ok {
				delete(st.vars, a.Name.Value)
				return
			}
			value = text
		}
		if a.Append {
			had, _ := st.get(a.Name.Value)
			value = had.String() + value
		}
		st.set(a.Name.Value, value)
	}
}

// assigned are the states after assignments. A default is one of two values that a variable may have: the other one is
// unknown.
func (sh *shell) assigned(list []*syntax.Assign, st state) []state {
	out := []state{st.clone()}
	for _, a := range list {
		for _, one := range out {
			sh.assign(a, one)
		}
		if a.Name != nil && a.Value != nil && sh.defaulted(a.Value, st) {
			other := out[0].clone()
			delete(other.vars, a.Name.Value)
			out = distinct(out, []state{other})
		}
	}
	return out
}

// defaulted reports whether a word is the default of something unknown.
func (sh *shell) defaulted(w *syntax.Word, st state) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && p.Exp != nil {
			_, known := st.get(p.Param.Value)
			_, unknown := sh.unknown(p, st)
			found = found || !known && !unknown
		}
		return true
	})
	return found
}
