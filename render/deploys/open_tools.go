package deploys

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// deployer is a tool that deploys what its files say, and that is not run.
type deployer struct {
	name string
	// file is the file that says what it deploys, by its name; says matches its content, nil for any.
	file *regexp.Regexp
	says *regexp.Regexp
	// below are the files that it takes from the folder of such a file and those below, by name; nil: none.
	below *regexp.Regexp
}

var (
	anyYAML  = regexp.MustCompile(`\.(ya?ml|json|tpl|tmpl|env|toml)$`)
	werfFile = regexp.MustCompile(`^werf.*\.ya?ml$`)
)

// ansible are the modules of Ansible that deploy.
var ansible = regexp.MustCompile(`(?m)^\s*(-\s*)?(kubernetes\.core|community\.kubernetes|redhat\.openshift)\.(k8s|helm)\w*:`)

// ansibleMarks are what a text that [ansible] matches holds one of.
var ansibleMarks = [][]byte{[]byte("kubernetes.core."), []byte("community.kubernetes."), []byte("redhat.openshift.")}

// ansibleLooks are those that only look, ansibleDeletes is the setting of one that deletes, ansibleTask begins a task.
var (
	ansibleLooks   = regexp.MustCompile(`\.(k8s_info|k8s_cluster_info|k8s_log|helm_info|helm_plugin_info):`)
	ansibleDeletes = regexp.MustCompile(`(?m)^\s+state:\s*["']?absent\b`)
	ansibleTask    = regexp.MustCompile(`\n\s*- `)
	// ansibleRuns may change something by another means.
	ansibleRuns = regexp.MustCompile(`(?m)\b(kubectl|oc|helmfile|kustomize|shell|command|script|raw|uri)\b|^\s*(-\s*)?(k8s|helm):`)
)

// ansibleActs reports whether a task of a text of Ansible changes something in a cluster, and whether all that do so
// delete. One that only looks changes nothing.
func ansibleActs(b []byte) (acts, deletes bool) {
	if !slices.ContainsFunc(ansibleMarks, func(m []byte) bool { return bytes.Contains(b, m) }) || !ansible.Match(b) {
		return false, false
	}
	runs := ansibleRuns.Match(b)
	acts, deletes = runs, true
	for _, at := range ansible.FindAllIndex(b, -1) {
		if ansibleLooks.Match(b[at[0]:at[1]]) {
			continue
		}
		task := b[at[1]:]
		if next := ansibleTask.FindIndex(task); next != nil {
			task = task[:next[0]]
		}
		acts, deletes = true, deletes && ansibleDeletes.Match(task)
	}
	return acts, acts && deletes && !runs
}

// deployed are these tools.
var deployed = []deployer{
	{"Fleet", regexp.MustCompile(`^fleet\.ya?ml$`), nil, anyYAML},
	{"Kluctl", regexp.MustCompile(`^\.kluctl\.ya?ml(\.jinja2)?$`), nil, anyYAML},
	{"DevSpace", regexp.MustCompile(`^devspace\.ya?ml$`), regexp.MustCompile(`(?m)^deployments:`), nil},
	{"Garden", regexp.MustCompile(`(^|\.)garden\.ya?ml$`), regexp.MustCompile(`(?m)^\s*"?type:\s*"?(helm|kubernetes|container)`), nil},
	{"Score", regexp.MustCompile(`score.*\.ya?ml$`), regexp.MustCompile(`(?m)^apiVersion:\s*score\.dev/`), nil},
	{"Skaffold", regexp.MustCompile(`^skaffold.*\.ya?ml$`), regexp.MustCompile(`\bremoteChart:`), nil},
	{"Helmwave", regexp.MustCompile(`^helmwave\.ya?ml(\.tpl)?$`), nil, anyYAML},
	{"Timoni", regexp.MustCompile(`^timoni\.cue$`), nil, regexp.MustCompile(`\.cue$`)},
	{"Timoni", regexp.MustCompile(`\.cue$`), regexp.MustCompile(`(?s)\bbundle:.*\binstances:`), nil},
	{"werf", werfFile, regexp.MustCompile(`(?m)^\s*(deploy|helmChartDir|helmRelease):`), nil},
	{"Ansible", anyYAML, ansible, nil},
	{"Terraform", regexp.MustCompile(`\.(tf|tofu)\.json$`),
		regexp.MustCompile(`"(helm_release|kubectl_manifest|kustomization_resource|kubernetes_(deployment|stateful|daemon|job|cron|manifest|pod|horiz)\w*)"`), nil},
}

// marks find the files by which a folder belongs to a tool.
var marks = regexp.MustCompile(`^(fleet\.ya?ml|\.kluctl\.ya?ml(\.jinja2)?|helmwave\.ya?ml(\.tpl)?|timoni\.cue|werf.*\.ya?ml|terragrunt\.hcl)$`)

// marked are the files of both sides by which a folder belongs to a tool, by folder.
func (o *opened) marked() map[string][]string {
	if o.marks == nil {
		o.marks = map[string][]string{}
		for _, t := range o.sides {
			for _, f := range t.src.Files {
				if marks.MatchString(path.Base(f)) {
					o.marks[path.Dir(f)] = append(o.marks[path.Dir(f)], f)
				}
			}
		}
	}
	return o.marks
}

// has reports whether a folder has a file of such a name, on either side.
func (o *opened) has(dir string, name *regexp.Regexp) bool {
	return slices.ContainsFunc(o.marked()[dir], func(f string) bool { return name.MatchString(path.Base(f)) })
}

// tool is a changed file of a tool that deploys what its files say.
func (o *opened) tool(f string, used func(string) bool) (Open, bool) {
	open := func(name string) (Open, bool) {
		if name == "Ansible" && o.onlyDeletes(f) {
			return Open{f, 1, "it says what Ansible deletes, which is not run"}, true
		}
		return Open{f, 1, fmt.Sprintf("it says what %s installs, which is not rendered", name)}, true
	}
	hidden := strings.HasPrefix(f, ".") || strings.Contains(f, "/.")
	for _, p := range deployed {
		if p.file.MatchString(path.Base(f)) && o.says(f, p) {
			return open(p.name)
		}
		if p.below == nil || hidden || used(f) || !p.below.MatchString(f) {
			continue
		}
		for dir := path.Dir(f); len(o.marked()) > 0; dir = path.Dir(dir) {
			if o.has(dir, p.file) {
				return open(p.name)
			}
			if dir == "." {
				break
			}
		}
	}
	if chart, _, in := strings.Cut("/"+f, "/.helm/"); in && !used(f) && o.has(path.Clean("."+chart), werfFile) {
		return open("werf")
	}
	if path.Ext(f) == ".star" || strings.Contains(path.Base(f), ".lib.") {
		if o.ytt(path.Dir(path.Dir(f))) {
			return open("ytt")
		}
	}
	if one, is := o.terragrunt(f); is {
		return one, true
	}
	return o.mentioned(f, used)
}

var (
	ansiblePath  = regexp.MustCompile(`(?i)(^|/)(\w*ansible\w*|playbooks?|roles|tasks)(/|\.)`)
	helmfilePath = regexp.MustCompile(`helmfile|\.gotmpl$`)
	helmfileRuns = regexp.MustCompile(`\bexec\s|\benvExec\s|\bref\+(file|sops|envsubst|gotmpl|k8s|exec)`)
)

// mention is a text of Ansible or helmfile with a means that is not followed.
type mention struct {
	file  string
	text  []byte
	lines bool // only those lines that have the means take files
}

// mentions are these texts, of both sides.
func (o *opened) mentions() []mention {
	if o.texts != nil {
		return o.texts
	}
	o.texts = []mention{}
	for _, t := range o.sides {
		for _, p := range t.src.Files {
			lines := helmfilePath.MatchString(p)
			if !lines && !ansiblePath.MatchString(p) {
				continue
			}
			b, err := t.src.Read(p)
			if err == nil && (lines && helmfileRuns.Match(b) || !lines && actsByAnsible(b)) {
				o.texts = append(o.texts, mention{p, b, lines})
			}
		}
	}
	return o.texts
}

// mentioned is a changed file that one of them takes.
func (o *opened) mentioned(f string, used func(string) bool) (Open, bool) {
	if used(f) {
		return Open{}, false
	}
	name := []byte(path.Base(f))
	for _, m := range o.mentions() {
		if m.file == f || !bytes.Contains(m.text, name) {
			continue
		}
		for i, line := range bytes.Split(m.text, []byte("\n")) {
			if bytes.Contains(line, name) && (!m.lines || helmfileRuns.Match(line)) {
				return Open{f, 1, fmt.Sprintf("%s:%d takes it, which is not run", m.file, i+1)}, true
			}
		}
	}
	return Open{}, false
}

// says reports whether a file says something, on either side.
func (o *opened) says(f string, p deployer) bool {
	for _, t := range o.sides {
		if !t.src.HasFile(f) {
			continue
		}
		b, err := t.src.Read(f)
		named := p.file != anyYAML || ansiblePath.MatchString(f)
		says := p.says == nil || p.says.Match(b) && (p.says != ansible || actsByAnsible(b))
		if err != nil && named || err == nil && says {
			return true
		}
	}
	return false
}

func actsByAnsible(b []byte) bool {
	acts, _ := ansibleActs(b)
	return acts
}

// onlyDeletes reports whether all that a text of Ansible changes in a cluster, on either side, is what it deletes.
func (o *opened) onlyDeletes(f string) bool {
	found := false
	for _, t := range o.sides {
		if !t.src.HasFile(f) {
			continue
		}
		b, err := t.src.Read(f)
		acts, deletes := ansibleActs(b)
		if err != nil || acts && !deletes {
			return false
		}
		found = found || deletes
	}
	return found
}

// ytt reports whether a folder has a manifest for ytt.
func (o *opened) ytt(dir string) bool {
	for _, t := range o.sides {
		for _, f := range t.src.Below(dir) {
			if ext := path.Ext(f); ext != ".yaml" && ext != ".yml" {
				continue
			}
			if b, err := t.src.Read(f); err == nil && bytes.Contains(b, []byte("#@")) {
				return true
			}
		}
	}
	return false
}

var (
	terragruntSource = regexp.MustCompile(`\bsource\s*=\s*"([^"]*)"`)
	terragruntFile   = regexp.MustCompile(`\b(?:file|templatefile|read_terragrunt_config|find_in_parent_folders)\s*\(\s*"([^"]*)"`)
	namesHelm        = regexp.MustCompile(`(?i)\b(helm|k8s|kubernetes|eks-addons|argocd)\b`)
)

// terragrunt is a changed file that gives inputs to a module that installs something: Terragrunt's own, or one that it
// names.
func (o *opened) terragrunt(f string) (Open, bool) {
	if path.Base(f) == "terragrunt.hcl" || path.Base(f) == "terragrunt.hcl.json" {
		if o.inputs(f) {
			return Open{f, 1, "it says what Terraform installs, which is not run"}, true
		}
		return Open{}, false
	}
	if ext := path.Ext(f); ext != ".hcl" && ext != ".yaml" && ext != ".yml" && ext != ".json" {
		return Open{}, false
	}
	for _, dir := range slices.Sorted(maps.Keys(o.marked())) {
		p := path.Join(dir, "terragrunt.hcl")
		if slices.Contains(o.marked()[dir], p) && o.inputs(p) && o.takes(p, f) {
			return Open{f, 1, p + " gives it to Terraform, which is not run"}, true
		}
	}
	return Open{}, false
}

// takes reports whether a file of Terragrunt reads another one.
func (o *opened) takes(p, f string) bool {
	for _, t := range o.sides {
		b, err := t.src.Read(p)
		if err != nil {
			continue
		}
		for _, m := range terragruntFile.FindAllSubmatch(b, -1) {
			if path.Base(string(m[1])) == path.Base(f) && namesFile(path.Dir(p), string(m[1]), f) {
				return true
			}
		}
	}
	return false
}

// namesFile reports whether a name in a file of a folder may be that of a file: one beside it, or in a folder above.
func namesFile(dir, name, f string) bool {
	if strings.Contains(name, "${") {
		return true
	}
	if path.Join(dir, name) == f {
		return true
	}
	above := path.Dir(f)
	return !strings.Contains(name, "/") && (above == "." || strings.HasPrefix(dir+"/", above+"/"))
}

// inputs reports whether Terragrunt gives inputs to a module that installs something.
func (o *opened) inputs(f string) bool {
	for _, t := range o.sides {
		b, err := t.src.Read(f)
		if err != nil {
			continue
		}
		for _, m := range terragruntSource.FindAllSubmatch(b, -1) {
			from := string(m[1])
			local := strings.HasPrefix(from, ".") || strings.Contains(from, "get_repo_root")
			if !local && !strings.Contains(from, "path_relative") {
				return namesHelm.MatchString(from)
			}
			from = strings.ReplaceAll(from, "//", "/")
			if _, rest, is := strings.Cut(from, "}"); is {
				from = rest
			}
			for _, p := range []string{path.Join(path.Dir(f), from), path.Clean("./" + from)} {
				if !strings.HasPrefix(p, "..") && t.src.HasDir(p) && len(t.module(p).blocks) > 0 {
					return true
				}
			}
		}
	}
	return false
}
