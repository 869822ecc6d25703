package deploys

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// Pipelines of all systems are read alike: some keys hold scripts, some hold variables, whatever lies below them sees
// these, and a matrix repeats what lies beside it.

var (
	scriptKeys = map[string]bool{"run": true, "script": true, "before_script": true, "after_script": true,
		"command": true, "commands": true, "cmd": true, "cmds": true, "bash": true, "sh": true, "inlineScript": true,
		"pwsh": true}
	variableKeys = map[string]bool{"env": true, "variables": true, "environment": true, "vars": true,
		"substitutions": true}
	folderKeys = map[string]bool{"working-directory": true, "working_directory": true, "workingDirectory": true,
		"dir": true}
)

const (
	maxNodes = 20000 // of a file that are looked at, aliases each time
	maxRows  = 24    // of a matrix
)

// macro is a variable as Azure and images of tools write it: $(NAME) and $NAME.
var macro = regexp.MustCompile(`\$(?:\(([A-Za-z_]\w*)\)|([A-Za-z_]\w*))`)

// pipeline reads one file.
type pipeline struct {
	sh    *shell
	nodes int
	root  *yaml3.Node
}

// scope is the knowledge at a place of a pipeline.
type scope struct {
	vars map[string]string
	rows []map[string]string // of matrices and inputs; none: one without variables
	dirs []string
}

func readYAML(file string, b []byte) []call { return readRows(file, b, nil) }

// readRows reads a pipeline once for each row of inputs that it is called with; without any, it is run by itself.
func readRows(file string, b []byte, rows []map[string]string) []call {
	dirs := []string{"."}
	if base := strings.ToLower(path.Base(file)); strings.HasPrefix(base, "taskfile") {
		dirs = []string{path.Dir(file), "."}
	} else if at, _, in := strings.Cut(file, "/.github/"); in {
		dirs = append(dirs, at)
	} else {
		dirs = append(dirs, path.Dir(file))
	}
	p := &pipeline{sh: newShell(file)}
	for _, n := range document.Nodes(b) {
		if n == nil || n.Kind != yaml3.MappingNode {
			continue
		}
		version := text(child(n, "apiVersion"))
		if strings.HasPrefix(version, "skaffold/") {
			p.skaffold(n)
			continue
		}
		if version != "" && child(n, "kind") != nil {
			continue // an object of a cluster
		}
		p.root = n
		p.walk(n, scope{vars: map[string]string{}, rows: rows, dirs: dirs})
	}
	return p.sh.calls
}

// pair is an entry of a mapping.
type pair struct {
	key   string
	value *yaml3.Node
}

// pairs are the entries of a mapping, those that it merges or extends last.
func (p *pipeline) pairs(n *yaml3.Node, depth int) []pair {
	var own, below []pair
	n = document.ResolveAlias(n)
	if n == nil || n.Kind != yaml3.MappingNode || depth > 10 {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		p.nodes++
		k, v := n.Content[i], document.ResolveAlias(n.Content[i+1])
		switch {
		case k.Tag == "!!merge" && v.Kind == yaml3.SequenceNode:
			for _, e := range v.Content {
				below = append(below, p.pairs(e, depth+1)...)
			}
		case k.Tag == "!!merge":
			below = append(below, p.pairs(v, depth+1)...)
		case k.Value == "extends" && p.root != nil:
			for _, name := range texts(v) {
				below = append(below, p.pairs(child(p.root, name), depth+1)...)
			}
		default:
			own = append(own, pair{k.Value, v})
		}
	}
	if p.nodes > maxNodes {
		return nil
	}
	for _, b := range below {
		i := slices.IndexFunc(own, func(o pair) bool { return o.key == b.key })
		switch {
		case i < 0:
			own = append(own, b)
		case variableKeys[b.key] && own[i].value.Kind == yaml3.MappingNode && b.value.Kind == yaml3.MappingNode:
			merged := *own[i].value
			merged.Content = append(slices.Clone(b.value.Content), merged.Content...)
			own[i].value = &merged
		}
	}
	return own
}

func (p *pipeline) walk(n *yaml3.Node, in scope) {
	if p.nodes++; p.nodes > maxNodes {
		return
	}
	switch n = document.ResolveAlias(n); {
	case n == nil:
	case n.Kind == yaml3.SequenceNode:
		for _, e := range n.Content {
			p.walk(e, in)
		}
	case n.Kind == yaml3.MappingNode:
		p.mapping(p.pairs(n, 0), in)
	}
}

func (p *pipeline) mapping(list []pair, in scope) {
	own := scope{vars: maps.Clone(in.vars), rows: in.rows, dirs: in.dirs}
	for _, e := range list {
		switch {
		case variableKeys[e.key]:
			own.take(e.value)
			if name := text(child(e.value, "name")); e.key == "environment" && name != "" {
				own.vars["CI_ENVIRONMENT_NAME"] = shellText(name)
			}
		case e.key == "parameters":
			own.choices(e.value, "parameters")
		case e.key == "on" || e.key == "true":
			for _, way := range []string{"workflow_dispatch", "workflow_call"} {
				own.choices(child(child(e.value, way), "inputs"), "inputs")
			}
		case e.key == "strategy":
			own.rows = product(own.rows, rowsOf(child(e.value, "matrix"), "matrix_"))
		case e.key == "parallel":
			own.rows = product(own.rows, rowsOf(child(e.value, "matrix"), ""))
		case e.key == "defaults":
			own.enter(text(child(child(e.value, "run"), "working-directory")))
		case folderKeys[e.key]:
			own.enter(text(e.value))
		}
	}
	p.task(list, own)
	p.action(list, own)
	for _, e := range list {
		if scriptKeys[e.key] && isText(e.value) {
			p.scripts(e.value, own)
			continue
		}
		if e.key == "args" {
			p.arguments(list, e.value, own)
		}
		p.walk(e.value, own)
	}
}

// isText reports whether a node is a text, or a list that has texts.
func isText(n *yaml3.Node) bool {
	isScalar := func(e *yaml3.Node) bool { return document.ResolveAlias(e).Kind == yaml3.ScalarNode }
	return isScalar(n) || n.Kind == yaml3.SequenceNode && slices.ContainsFunc(n.Content, isScalar)
}

// scripts follows a script, or a list of scripts that run one after the other.
func (p *pipeline) scripts(n *yaml3.Node, in scope) {
	var body strings.Builder
	var lines []int
	add := func(e *yaml3.Node) {
		from := e.Line
		if e.Style&(yaml3.LiteralStyle|yaml3.FoldedStyle) != 0 {
			from++
		}
		for i, l := range strings.Split(shellText(e.Value), "\n") {
			body.WriteString(l + "\n")
			if lines = append(lines, from+i); e.Style&yaml3.FoldedStyle != 0 {
				lines[len(lines)-1] = from
			}
		}
	}
	if n.Kind == yaml3.ScalarNode {
		add(n)
	}
	for _, e := range n.Content {
		switch e = document.ResolveAlias(e); e.Kind {
		case yaml3.ScalarNode:
			add(e)
		default:
			p.walk(e, in)
		}
	}
	whole := body.String()
	if !stepWords.MatchString(whole) {
		return
	}
	p.follow(in, func(vars map[string]string) {
		text := macro.ReplaceAllStringFunc(whole, func(m string) string {
			if name := named(m); vars[name] != "" {
				return "${" + name + "}"
			}
			return m
		})
		p.sh.run(text, func(n int) int { return lines[min(max(n-1, 0), len(lines)-1)] }, vars, in.dirs)
	})
}

// follow runs f with the variables of each row.
func (p *pipeline) follow(in scope, f func(map[string]string)) {
	rows := in.rows
	if len(rows) == 0 {
		rows = []map[string]string{nil}
	}
	for _, row := range rows {
		vars := maps.Clone(in.vars)
		maps.Copy(vars, row)
		f(flattened(vars))
	}
}

// arguments reads a step that is an image of a tool and its arguments.
func (p *pipeline) arguments(list []pair, args *yaml3.Node, in scope) {
	for _, e := range list {
		names := e.key == "name" || e.key == "image" || e.key == "entrypoint"
		if words := texts(args); names && toolOf(text(e.value)) != "" {
			p.follow(in, func(vars map[string]string) {
				st := state{dirs: in.dirs}
				all := []string{toolOf(text(e.value))}
				for _, w := range words {
					all = append(all, fit(vars).in(macro.ReplaceAllString(shellText(w), "${$1$2}")))
				}
				p.sh.tool(all, args.Line, st)
			})
		}
	}
}

// task reads a step of Azure's task HelmDeploy.
func (p *pipeline) task(list []pair, in scope) {
	var inputs *yaml3.Node
	is := false
	for _, e := range list {
		is = is || e.key == "task" && strings.HasPrefix(text(e.value), "HelmDeploy@")
		if e.key == "inputs" {
			inputs = e.value
		}
	}
	if !is || inputs == nil {
		return
	}
	p.follow(in, func(vars map[string]string) {
		get := func(k string) string {
			return fit(vars).in(macro.ReplaceAllString(shellText(text(child(inputs, k))), "${$1$2}"))
		}
		words := []string{"helm", get("command"), get("releaseName"), cmp.Or(get("chartPath"), get("chartName"))}
		for _, e := range [][2]string{{"--namespace", get("namespace")}, {"--values", get("valueFile")},
			{"--set", strings.Join(strings.Fields(get("overrideValues")), ",")}, {"--version", get("chartVersion")}} {
			if e[1] != "" {
				words = append(words, e[0], e[1])
			}
		}
		p.sh.tool(words, inputs.Line, state{dirs: in.dirs})
	})
}

// action reads a step of the action by which OpenShift's templates are deployed.
func (p *pipeline) action(list []pair, in scope) {
	for _, e := range list {
		if e.key != "uses" || !strings.Contains(text(e.value), "/action-deployer-openshift@") {
			continue
		}
		for _, with := range list {
			file, given := text(child(with.value, "file")), text(child(with.value, "parameters"))
			if with.key == "with" && file != "" {
				body := "oc process -f \"" + file + "\" " + strings.Join(strings.Fields(given), " ")
				p.follow(in, func(vars map[string]string) {
					p.sh.run(shellText(body), func(int) int { return e.value.Line }, vars, in.dirs)
				})
			}
		}
	}
}

// shellText is a text of a pipeline with its expressions as variables of the shell: ${{ matrix.env }} and {{.ENV}}.
func shellText(s string) string {
	if !strings.Contains(s, "{{") {
		return s
	}
	s = strings.ReplaceAll(s, "${{", "{{")
	return templated.ReplaceAllStringFunc(s, func(m string) string {
		e := templated.FindStringSubmatch(m)[1]
		for _, in := range []string{"env.", "variables.", "vars."} {
			e = strings.TrimPrefix(e, in)
		}
		return "${" + named(e) + "}"
	})
}

// child is the value of a key of a mapping, or nil.
func child(n *yaml3.Node, key string) *yaml3.Node {
	if n = document.ResolveAlias(n); n == nil || n.Kind != yaml3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return document.ResolveAlias(n.Content[i+1])
		}
	}
	return nil
}

func text(n *yaml3.Node) string {
	if n == nil || n.Kind != yaml3.ScalarNode {
		return ""
	}
	return n.Value
}

// texts are the texts of a list, or of one text.
func texts(n *yaml3.Node) []string {
	if n = document.ResolveAlias(n); n == nil {
		return nil
	}
	if n.Kind == yaml3.ScalarNode {
		return []string{n.Value}
	}
	var out []string
	for _, e := range n.Content {
		if n.Kind == yaml3.SequenceNode && e.Kind == yaml3.ScalarNode {
			out = append(out, e.Value)
		}
	}
	return out
}
