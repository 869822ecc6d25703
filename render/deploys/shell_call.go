package deploys

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call follows a command.
func (sh *shell) call(c *syntax.CallExpr, st state) []state {
	if len(c.Args) == 0 {
		return sh.assigned(c.Assigns, st)
	}
	within := sh.assigned(c.Assigns, st)[0]
	words, ok := sh.fields(c.Args, within)
	if !ok || len(words) == 0 {
		return []state{st}
	}
	switch words[0] {
	case "cd", "pushd":
		st.dirs = slices.Clone(st.dirs)
		if to := words[len(words)-1]; len(words) > 1 && to != "-" {
			for i, dir := range st.dirs {
				st.dirs[i] = join(dir, to)
			}
		}
		return []state{st}
	case "shift":
		st.args = st.args[min(1, len(st.args)):]
		return []state{st}
	case "eval":
		return sh.within(func() []state { return sh.inline(strings.Join(words[1:], " "), c, st) }, st)
	case "bash", "sh":
		if i := slices.Index(words, "-c"); i > 0 && i+1 < len(words) {
			sh.within(func() []state { return sh.inline(words[i+1], c, st.clone()) }, st)
		}
		return []state{st}
	}
	if body := sh.funcs[words[0]]; body != nil {
		sh.called[words[0]] = true
		return sh.within(func() []state {
			own := st.args
			st.args = append([]string{}, words[1:]...)
			out := sh.stmt(body, []state{st})
			for i := range out {
				out[i].args = own
			}
			return out
		}, st)
	}
	sh.tool(words, sh.line(int(c.Pos().Line())), within)
	return []state{st}
}

// inline follows a script that a command is given.
func (sh *shell) inline(text string, c *syntax.CallExpr, st state) []state {
	own := sh.line
	defer func() { sh.line = own }()
	at := own(int(c.Pos().Line()))
	sh.line = func(int) int { return at }
	return sh.text(text, []state{st})
}

// within follows what a command contains, unless it is too deep.
func (sh *shell) within(follow func() []state, st state) []state {
	if sh.depth >= maxCalls {
		return []state{st}
	}
	sh.depth++
	defer func() { sh.depth-- }()
	return follow()
}

// tool notes the calls of a command that deploys.
func (sh *shell) tool(words []string, line int, st state) {
	if name, address, ok := repoAdded(words); ok {
		sh.repos[name] = address
	}
	key := strings.Join(words, "\x00")
	said, known := sh.said[key]
	if !known {
		said = saying{parse(words), stepOf(words)}
		sh.said[key] = said
	}
	for _, d := range said.deploys {
		d.File, d.Line = sh.file, line
		sh.calls = append(sh.calls, call{Deploy: d, dirs: st.dirs})
	}
	if said.step != "" {
		sh.step("", said.step, line, st)
	}
}

// saying is what the words of one command say: in many states of a script they are the same.
type saying struct {
	deploys []Deploy
	step    string
}
