package deploys

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Step is a command that acts on workloads, or steers what is applied, and that no release is read from. Its path is
// the command as it is written; its values are its words.
const Step Tool = "step"

// stepWords find the texts in which a step may stand, next to the calls that [toolWords] find.
var stepWords = regexp.MustCompile(toolWords.String() +
	`|\b(argocd|flux|kapp|kluctl|timoni|werf|nelm|helmwave)\b`)

// stepMarks are what such a text holds one of, or of [callMarks].
var stepMarks = [][]byte{[]byte("argocd"), []byte("flux"), []byte("kapp"), []byte("kluctl"), []byte("timoni"),
	[]byte("werf"), []byte("nelm"), []byte("helmwave")}

// mayStep reports whether a step may stand in a text.
func mayStep(b []byte) bool {
	return slices.ContainsFunc(slices.Concat(callMarks, stepMarks), func(m []byte) bool { return bytes.Contains(b, m) }) &&
		stepWords.Match(b)
}

// deployers are the commands of tools that are not read, and by which they deploy something.
var deployers = map[string][]string{
	"argocd": {"app set", "app create", "app patch", "appset create"}, "flux": {"create"}, "kapp": {"deploy", "app-group"},
	"kluctl": {"deploy"}, "timoni": {"apply", "bundle apply"}, "werf": {"converge", "bundle apply"},
	"nelm": {"release install"}, "helmwave": {"up"},
}

// reached are the kinds, as kubectl takes them, whose edit reaches pods; a kind that is not known may be one.
var reached = regexp.MustCompile(`(?i)^(deploy|deployments?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|rollouts?|jobs?|cj|` +
	`cronjobs?|po|pods?|hpa|horizontalpodautoscalers?|pdb|poddisruptionbudgets?|quota|resourcequotas?|pc|priorityclass(es)?|` +
	`no|nodes?|app|applications?|appsets?|applicationsets?|hr|helmreleases?|ks|kustomizations?|so|scaledobjects?)([./]|$)|\$\{`)

// stepOf is the step that a command is; "" for none.
func stepOf(words []string) string {
	tool, args := arguments(words)
	switch {
	case tool == "kustomize" && len(args) > 1 && args[0] == "edit", (tool == "kubectl" || tool == "oc") && edits(args):
	case tool == "helm" && slices.ContainsFunc([]string{"install", "upgrade", "template"},
		func(verb string) bool { return slices.Contains(args, verb) }):
		return steered(tool, args, "--post-renderer", "--post-renderer-args", "--set-json", "--set-literal")
	case tool == "helmfile":
		return steered(tool, args, "--state-values-set", "--state-values-set-string", "--state-values-file", "--set", "--values")
	case !slices.ContainsFunc(deployers[path.Base(words[0])], func(verb string) bool {
		return strings.HasPrefix(strings.Join(words[1:], " ")+" ", verb+" ")
	}):
		return ""
	}
	return strings.Join(words, " ")
}

// steered are the flags of a call, with their values, that it is not read with; "" for none.
func steered(tool string, args []string, names ...string) string {
	out := tool
	for i, a := range args {
		name, _, given := strings.Cut(a, "=")
		if slices.Contains(names, name) {
			if out += " " + a; !given && i+1 < len(args) {
				out += " " + args[i+1]
			}
		}
	}
	if out == tool {
		return ""
	}
	return out
}

// edits reports whether arguments of kubectl change what runs, otherwise than by files of this repository.
func edits(args []string) bool {
	if !hasAny(args, "apply", "replace", "create", "cordon", "drain", "taint", "scale", "autoscale", "set", "patch",
		"delete", "edit") {
		return false
	}
	f := flags(kubectlSwitches, kubectlOthers+",namespace,n,kustomize,k,patch,p,type,replicas,limits,requests,containers,c")
	files := f.StringSliceP("filename", "f", nil, "")
	dry := f.String("dry-run", "none", "")
	f.Lookup("dry-run").NoOptDefVal = "client"
	if f.Parse(args) != nil || f.NArg() == 0 || *dry != "none" {
		return false
	}
	rest := f.Args()
	switch rest[0] {
	case "apply", "replace", "create":
		return slices.ContainsFunc(*files, func(p string) bool { return strings.Contains(p, "://") }) ||
			rest[0] == "create" && len(rest) > 2 && reached.MatchString(rest[1])
	case "cordon", "drain", "taint":
		return true
	case "scale", "autoscale", "set", "patch", "delete", "edit":
		return len(*files) > 0 || slices.ContainsFunc(rest[1:], reached.MatchString)
	}
	return false
}

// takesInput reports whether a command applies its standard input.
func takesInput(words []string) bool {
	tool, args := arguments(words)
	verbs := []string{"apply", "replace", "create"}
	switch {
	case tool == "kubectl" || tool == "oc":
	case path.Base(words[0]) == "kapp":
		args, verbs = words[1:], []string{"deploy"}
	default:
		return false
	}
	input := func(a string) bool { return a == "-" || a == "-f-" || a == "/dev/stdin" || strings.HasSuffix(a, "=-") }
	dry := func(a string) bool { return strings.HasPrefix(a, "--dry-run") && !strings.HasSuffix(a, "=none") }
	return slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains(args, v) }) &&
		slices.ContainsFunc(args, input) && !slices.ContainsFunc(args, dry)
}

// fed notes a step that is given its objects on its input: by another command, or in the script itself. What a call
// that is followed gives is known, except for what commands between the two make of it.
func (sh *shell) fed(whole, last *syntax.Stmt, followed bool, in []state) {
	c, ok := last.Cmd.(*syntax.CallExpr)
	if !ok || len(in) == 0 || len(c.Args) == 0 {
		return
	}
	if whole == last && len(last.Redirs) == 0 {
		return
	}
	if words, ok := sh.fields(c.Args, in[0]); !ok || len(words) == 0 || !takesInput(words) {
		return
	}
	var text strings.Builder
	any := false     // its input may have variable
	pods := followed // may come of it
	syntax.Walk(whole, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			switch {
			case n.Hdoc != nil:
				any, pods = true, true
				sh.write(&text, n.Hdoc, in[0])
			case n.Op == syntax.RdrIn || n.Op == syntax.WordHdoc:
				pods = true
				sh.write(&text, n.Word, in[0])
			}
		case *syntax.CallExpr:
			words, ok := sh.fields(n.Args, in[0])
			if !ok || len(words) == 0 || n == c ||
				followed && (toolOf(words[0]) != "" || words[0] == "cat" || words[0] == "tee") {
				return true
			}
			any = any || words[0] == "envsubst" || words[0] == "eval"
			pods = pods || !makesNoPods(words)
			fmt.Fprintln(&text, strings.Join(words, " "))
		}
		return true
	})
	if !pods || text.Len() == 0 {
		return
	}
	sh.variables(&text, any, in[0])
	sh.step("", text.String(), sh.line(int(c.Pos().Line())), in[0])
}

// variables adds the variables that a text names, or all of them.
func (sh *shell) variables(text *strings.Builder, all bool, st state) {
	names := text.String()
	for _, name := range slices.Sorted(maps.Keys(st.vars)) {
		if v := st.vars[name]; all || strings.Contains(names, "${"+name+"}") {
			fmt.Fprintf(text, "%s=%s\n", name, v.String())
		}
	}
}

// writes is the name of a step that changes files, which others apply.
const writes = "writes"

// written notes a step that changes files, or makes some of templates.
func (sh *shell) written(s *syntax.Stmt, c *syntax.CallExpr, in []state) {
	if len(c.Args) == 0 || len(in) == 0 {
		return
	}
	name := literal(c.Args[0])
	switch name {
	case "envsubst":
		if !slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return r.Op == syntax.RdrOut }) {
			return
		}
	case "sed", "yq", "perl":
		if !slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return inPlace.MatchString(literal(w)) }) {
			return
		}
	default:
		return
	}
	var text strings.Builder
	for _, w := range c.Args {
		sh.write(&text, w, in[0])
	}
	for _, r := range s.Redirs {
		if r.Word != nil {
			sh.write(&text, r.Word, in[0])
		}
	}
	st := in[0]
	if len(c.Assigns) > 0 {
		st = sh.assigned(c.Assigns, st)[0]
	}
	sh.variables(&text, name == "envsubst", st)
	sh.step(writes, text.String(), sh.line(int(c.Pos().Line())), in[0])
}

// printed notes where the output of a statement's calls goes, those from the n-th on.
func (sh *shell) printed(s *syntax.Stmt, n int) {
	for _, r := range s.Redirs {
		if r.Op == syntax.RdrOut && (r.N == nil || r.N.Value == "1") {
			for i := n; i < len(sh.calls); i++ {
				sh.calls[i].into = literal(r.Word)
			}
		}
	}
}

// inPlace is a flag by which a command edits files.
var inPlace = regexp.MustCompile(`^(-[a-zA-Z]*i([.'"].*)?|--in-?place(=.*)?)$`)

// write writes a word as far as it is known.
func (sh *shell) write(to *strings.Builder, w *syntax.Word, st state) {
	if text, ok := sh.literal(w, st); ok {
		fmt.Fprintln(to, text)
	} else {
		_ = syntax.NewPrinter().Print(to, w)
	}
}

// makesNoPods reports whether a command prints an object that no pod comes of.
func makesNoPods(words []string) bool {
	tool, args := arguments(words)
	return (tool == "kubectl" || tool == "oc") && slices.Contains(args, "create") &&
		!slices.ContainsFunc(args, reached.MatchString)
}

// step notes a step.
func (sh *shell) step(name, text string, line int, st state) {
	one := Deploy{File: sh.file, Line: line, Tool: Step, Name: name, Path: text}
	one.Values = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n=,'\"<>|", r) })
	sh.calls = append(sh.calls, call{Deploy: one, dirs: st.dirs})
}
