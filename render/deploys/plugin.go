package deploys

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Generate is the output of a config management plugin of Argo CD: one call of helm template or kustomize build, or the
// files of a folder, and whether another command fills in its placeholders. Its paths start in the Application's
// folder.
type Generate struct {
	Deploy
	Inline                     string // values as YAML, after those of the files
	KubeVersion                string
	APIVersions                []string
	CRDs, SkipTests, SkipHooks bool
	AnyFile                    bool // kustomize's LoadRestrictionsNone
	Fills                      bool // a command replaces "<…>" in what is generated
}

// ReadGenerate reads the commands of a plugin, each a program and its arguments, without running any. Unread is the
// first word that it does not understand; "" says that Generate is exactly what the commands give, apart from what is
// filled in. Of the variables, it knows those that are given; those that begin with ARGOCD_ENV_ and are not given are
// empty, except for those that are open.
func ReadGenerate(prepare, generate []string, vars map[string]string, open []string) (g Generate, unread string) {
	r := &generating{vars: vars, open: open}
	if len(prepare) > 0 {
		r.command(prepare)
		if r.unread == "" && r.made {
			r.unread = prepare[0]
		}
	}
	if r.unread == "" {
		r.command(generate)
	}
	if r.unread == "" && !r.made {
		r.unread = strings.Join(generate, " ")
	}
	return r.Generate, r.unread
}

// generating reads the commands of one plugin.
type generating struct {
	Generate
	vars   map[string]string
	open   []string
	bash   bool
	made   bool // something was generated
	unread string
}

func (r *generating) fail(word string) { // the first one counts
	if r.unread == "" {
		r.unread = word
	}
}

var (
	shells      = []string{"sh", "bash", "ash", "dash"}
	shellFlags  = regexp.MustCompile(`^-[euxl]*c$`)
	anyVariable = regexp.MustCompile(`\bARGOCD_ENV_\w+`)
	unsetOrNot  = regexp.MustCompile(`\$\{\w+[-+=?]`) // asks whether a variable is set, not whether it is empty
)

// command reads a program with its arguments, which no shell expands, or the script that a shell is given.
func (r *generating) command(words []string) {
	if len(words) < 3 || !slices.Contains(shells, path.Base(words[0])) {
		if strings.Contains(strings.Join(words, " "), "$") {
			r.fail(words[slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "$") })])
			return
		}
		r.pipeline([]piped{{words: words}})
		return
	}
	if !shellFlags.MatchString(words[1]) || len(words) > 4 { // the fourth is $0
		r.fail(words[1])
		return
	}
	script := words[2]
	if m := unsetOrNot.FindString(script); m != "" {
		r.fail(m)
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil || len(script) > maxFile {
		first, _, _ := strings.Cut(strings.TrimSpace(script), " ")
		r.fail(first)
		return
	}
	r.bash = path.Base(words[0]) == "bash"
	st := state{vars: map[string]expand.Variable{}, args: []string{}}
	for _, name := range anyVariable.FindAllString(script, -1) {
		if !slices.Contains(r.open, name) {
			st.set(name, "")
		}
	}
	for name, value := range r.vars {
		st.set(name, value)
	}
	for _, s := range f.Stmts {
		r.stmt(s, st)
	}
}

// piped is one command of a pipeline.
type piped struct {
	words  []string
	inline *string // the text that it writes, or that stands for one of its files
}

// fileMark stands for a file that the shell makes of a text.
const fileMark = "/dev/fd/values"

func (r *generating) stmt(s *syntax.Stmt, st state) {
	switch {
	case r.unread != "":
		return
	case s.Negated || s.Background || s.Coprocess:
		r.fail(printed(s))
		return
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt && len(s.Redirs) == 0 {
		r.stmt(b.X, st)
		r.stmt(b.Y, st)
		return
	}
	r.pipeline(r.commands(s, st))
}

// commands are those of a pipeline, in order.
func (r *generating) commands(s *syntax.Stmt, st state) []piped {
	if !r.quiet(s) {
		return nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe {
			return append(r.commands(c.X, st), r.commands(c.Y, st)...)
		}
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 || len(c.Args) == 0 {
			break
		}
		return []piped{r.call(c.Args, st)}
	}
	r.fail(printed(s))
	return nil
}

// quiet reports whether a command writes everything but its messages where the next one reads it.
func (r *generating) quiet(s *syntax.Stmt) bool {
	for _, d := range s.Redirs {
		if d.N == nil || d.N.Value != "2" || d.Op != syntax.RdrOut || literal(d.Word) != "/dev/null" {
			if !prepares(firstWords(s)) || d.Op != syntax.RdrOut && d.Op != syntax.DplOut {
				r.fail(d.Op.String() + printed(d.Word))
				return false
			}
		}
	}
	return true
}

// call expands the words of a command.
func (r *generating) call(args []*syntax.Word, st state) piped {
	var p piped
	if name := literal(args[0]); name == "echo" && len(args) == 2 {
		if text, ok := r.written(args[1], st); ok {
			return piped{words: []string{"echo"}, inline: &text}
		}
	}
	for _, w := range args {
		if text, ok := r.madeFile(w, st); ok {
			if p.inline != nil {
				r.fail(printed(w))
			}
			p.words, p.inline = append(p.words, fileMark), &text
			continue
		}
		list, ok := (&shell{}).fields([]*syntax.Word{w}, st)
		if all := strings.Join(list, " "); !ok || strings.Contains(all, "${command") || strings.Contains(all, "${file}") {
			r.fail(printed(w))
		}
		p.words = append(p.words, list...)
	}
	return p
}

// written is the text that echo writes of one quoted variable. Some shells replace what follows a backslash.
func (r *generating) written(w *syntax.Word, st state) (string, bool) {
	name := variable(w)
	if name == "" {
		return "", false
	}
	if _, quoted := w.Parts[0].(*syntax.DblQuoted); !quoted {
		return "", false
	}
	text, known := r.vars[name]
	if v, ok := st.vars[name]; ok && !known {
		text, known = v.Str, true
	}
	return text, known && (r.bash || !strings.Contains(text, `\`)) && !strings.HasPrefix(text, "-")
}

// madeFile is the text of a file that the shell makes: <(echo "$VALUES").
func (r *generating) madeFile(w *syntax.Word, st state) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	if !ok || p.Op != syntax.CmdIn || len(p.Stmts) != 1 || len(p.Stmts[0].Redirs) > 0 {
		return "", false
	}
	c, ok := p.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) != 2 || literal(c.Args[0]) != "echo" || len(c.Assigns) > 0 {
		return "", false
	}
	return r.written(c.Args[1], st)
}

// firstWords are the words of a command, as far as they are written out.
func firstWords(s *syntax.Stmt) []string {
	var out []string
	if c, ok := s.Cmd.(*syntax.CallExpr); ok {
		for _, w := range c.Args {
			out = append(out, literal(w))
		}
	}
	return out
}

func printed(n syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, n)
	word, _, _ := strings.Cut(strings.TrimSpace(b.String()), "\n")
	return word
}

// prepares reports whether a command only brings a chart's dependencies, or sets how the shell behaves.
func prepares(w []string) bool {
	switch {
	case len(w) > 0 && (w[0] == "set" || w[0] == "true" || w[0] == ":"):
		return true
	case len(w) < 3 || w[0] != "helm":
		return false
	}
	return (w[1] == "dependency" || w[1] == "dep") && slices.Contains([]string{"build", "update", "up"}, w[2]) ||
		w[1] == "repo" && (w[2] == "add" || w[2] == "update")
}

// fills reports whether a command replaces nothing but placeholders in what it reads.
func fills(w []string) bool {
	switch path.Base(w[0]) {
	case "argocd-vault-plugin", "avp":
		return len(w) >= 3 && w[1] == "generate" && slices.Contains(w[2:], "-")
	case "argocd-secret-replacer":
		return len(w) >= 2
	}
	return false
}

// pipeline reads one that generates manifests, or prepares that.
func (r *generating) pipeline(list []piped) {
	if r.unread != "" || len(list) == 0 {
		return
	}
	first, rest := list[0], list[1:]
	if prepares(first.words) && len(rest) == 0 && !hasMark(first.words[:1]) {
		return
	}
	if first.words != nil && first.words[0] == "echo" && first.inline != nil && len(rest) > 0 && rest[0].inline == nil {
		rest[0].inline = first.inline
		for i, w := range rest[0].words {
			if w == "-" && i > 0 && (rest[0].words[i-1] == "-f" || rest[0].words[i-1] == "--values") {
				rest[0].words[i] = fileMark
			}
		}
		first, rest = rest[0], rest[1:]
	}
	if len(first.words) == 0 || r.made {
		r.fail(strings.Join(first.words, " "))
		return
	}
	r.made = true
	r.generates(first)
	for _, next := range rest {
		if len(next.words) == 0 || next.inline != nil || !fills(next.words) {
			r.fail(strings.Join(next.words[:min(1, len(next.words))], " "))
			return
		}
		r.Fills = true
	}
}

func hasMark(words []string) bool { return !Known(strings.Join(words, " ")) }
