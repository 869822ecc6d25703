package deploys

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// Open is a changed file by which a program that is not run installs something.
type Open struct {
	File   string
	Line   int    // on head; 1 where it is not known
	Reason string // "it is …", as a sentence's words
}

// Opened lists the changed files that say what a program installs which is not run: Terraform's releases and objects,
// the values and files that these name, and projects of Pulumi, cdk8s, Fleet and vendir. A file that a release is made
// of, as reported by used, is left out if it is only named.
func Opened(base, head *source.Source, changed []string, used func(string) bool) []Open {
	o := &opened{}
	for _, src := range []*source.Source{head, base} {
		o.sides = append(o.sides, &terraform{src: src, modules: map[string]*module{}})
		o.repositories = append(o.repositories, &repository{src: src})
	}
	var out []Open
	for _, f := range changed {
		if one, is := o.file(f, used); is {
			out = append(out, one)
		}
	}
	return out
}

// opened looks at both sides, head first.
type opened struct {
	sides        []*terraform
	folders      []string // of Terraform, of both sides
	listed       bool
	repositories []*repository
	marks        map[string][]string
	texts        []mention
	given        [2]map[string]string // where a step names a file, by side and file; nil: not read yet
}

func (o *opened) file(f string, used func(string) bool) (Open, bool) {
	name := path.Base(f)
	switch {
	case isTerraform(f):
		return o.terraform(f)
	case path.Ext(f) == ".tfvars":
		return o.variables(f)
	case name == ".sourceignore":
		return Open{f, 1, "it says which files Flux leaves out, which is not read"}, true
	case name == "vendir.yml" || name == "vendir.lock.yml":
		return Open{f, 1, "it says what vendir takes from other hosts, which is not read"}, true
	}
	if one, is := o.script(f); is {
		return one, true
	}
	if one, is := o.tool(f, used); is {
		return one, true
	}
	if project, what := o.project(f); project != "" {
		return Open{f, 1, fmt.Sprintf("it is of %s, %s that is not run", project, what)}, true
	}
	if used(f) {
		return Open{}, false
	}
	if one, is := o.named(f); is {
		return one, true
	}
	switch path.Ext(f) {
	case ".yaml", ".yml", ".json", ".tpl", ".tmpl", ".tftpl":
	default:
		return Open{}, false
	}
	for _, dir := range o.terraforms() {
		for _, t := range o.sides {
			if b, is := t.module(dir).names(dir, f); is {
				return Open{f, 1, fmt.Sprintf("%s:%d gives it to Terraform, which is not run", b.file, b.line)}, true
			}
		}
	}
	return Open{}, false
}

// terraform is a changed file with a release or an object of Terraform's that changes, or with what one refers to.
func (o *opened) terraform(f string) (Open, bool) {
	is, was := o.sides[0].module(path.Dir(f)).texts(f), o.sides[1].module(path.Dir(f)).texts(f)
	same := func(b hclBlock) func(hclBlock) bool {
		return func(x hclBlock) bool { return slices.Equal(x.header, b.header) && x.text == b.text }
	}
	const reason = "it says what Terraform installs, which is not run"
	for _, b := range is {
		if !slices.ContainsFunc(was, same(b)) {
			return Open{f, b.line, reason}, true
		}
	}
	for _, b := range was {
		if !slices.ContainsFunc(is, same(b)) {
			return Open{f, 1, reason}, true
		}
	}
	return Open{}, false
}

// variables is a changed file of variables, one of which a release or an object of Terraform's refers to.
func (o *opened) variables(f string) (Open, bool) {
	var sides [2][]hclBlock
	for i, t := range o.sides {
		if b, err := t.src.Read(f); err == nil {
			sides[i] = hclBlocks(f, b)
		}
	}
	for i, list := range sides {
		for _, a := range list {
			if len(a.header) != 1 || slices.ContainsFunc(sides[1-i], func(x hclBlock) bool { return x.text == a.text }) {
				continue
			}
			for _, dir := range o.terraforms() {
				for _, t := range o.sides {
					if slices.ContainsFunc(t.module(dir).blocks, func(b hclBlock) bool { return b.declares("var." + a.header[0]) }) {
						line := 1
						if i == 0 {
							line = a.line
						}
						return Open{f, line, "it says what Terraform installs, which is not run"}, true
					}
				}
			}
		}
	}
	return Open{}, false
}

// terraforms are the folders with Terraform that installs something.
func (o *opened) terraforms() []string {
	if o.listed {
		return o.folders
	}
	o.listed = true
	seen := map[string]bool{}
	for _, t := range o.sides {
		for _, f := range t.src.Files {
			dir := path.Dir(f)
			if !isTerraform(f) || seen[dir] || strings.Contains("/"+f, "/.terraform/") {
				continue
			}
			seen[dir] = true
			if len(o.sides[0].module(dir).blocks)+len(o.sides[1].module(dir).blocks) > 0 {
				o.folders = append(o.folders, dir)
			}
		}
	}
	slices.Sort(o.folders)
	return o.folders
}

// programs are the projects whose sources give objects: by the file that makes a folder one, and by a text that such
// sources contain.
var programs = []struct {
	name, what string
	files      []string
	says       *regexp.Regexp
}{
	{"Pulumi", "a program", []string{"Pulumi.yaml", "Pulumi.yml"}, regexp.MustCompile(
		`@pulumi/(kubernetes|eks)|pulumi_kubernetes|pulumi-kubernetes|Pulumi\.Kubernetes|type: ["']?kubernetes:`)},
	{"cdk8s", "a program", []string{"cdk8s.yaml"}, regexp.MustCompile(`cdk8s`)},
}

// project is the project that a changed source or its configuration belongs to; "" for none.
func (o *opened) project(f string) (name, what string) {
	switch path.Ext(f) {
	case ".ts", ".js", ".py", ".go", ".cs", ".java", ".kt", ".fs", ".yaml", ".yml":
	default:
		return "", ""
	}
	if strings.Contains("/"+f, "/node_modules/") || strings.Contains("/"+f, "/test") {
		return "", ""
	}
	for _, p := range programs {
		for dir := path.Dir(f); ; dir = path.Dir(dir) {
			for _, t := range o.sides {
				at := slices.IndexFunc(p.files, func(n string) bool { return t.src.HasFile(path.Join(dir, n)) })
				if at >= 0 && saysSomewhere(t.src, dir, p.says) && (path.Dir(f) == dir || !strings.HasSuffix(path.Ext(f), "ml")) {
					return p.name, p.what
				}
			}
			if dir == "." {
				break
			}
		}
	}
	return "", ""
}

// saysSomewhere reports whether a source in a folder says what an expression looks for.
func saysSomewhere(src *source.Source, dir string, says *regexp.Regexp) bool {
	return slices.ContainsFunc(src.Below(dir), func(f string) bool {
		if strings.Contains("/"+f, "/node_modules/") {
			return false
		}
		switch path.Ext(f) {
		case ".ts", ".js", ".py", ".go", ".cs", ".java", ".kt", ".fs", ".yaml", ".yml", ".mod", ".txt":
			b, err := src.Read(f)
			return err == nil && says.Match(bytes.TrimSpace(b))
		}
		return false
	})
}
