package rewrite

import (
	"path"
	"regexp"
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// templateLine is the line of a chart's template that writes a field of an object.
func templateLine(j *release.Recipe, o *object.Object, p fieldpath.Path) object.Location {
	if j.Chart == nil {
		return object.Location{}
	}
	doc := release.DocOf(o)
	file := helm.TemplateFile(j.Chart, doc.File)
	t := locate.NewTemplateText(j.Files[file], path.Ext(file) == ".tgz")
	line, depth := t.Find(doc, p)
	if depth < len(p) {
		return object.Location{}
	}
	return object.Location{File: file, StartLine: line}
}

// literal is a key of a template with a value that no action computes.
var literal = regexp.MustCompile(`^(\s*(?:- )?["']?[A-Za-z0-9_.-]+["']?:)([^{#]*?)(\s*#.*)?(\r?\n?)$`)

// replaceLine writes another value into a line of a template, or another key, or takes
// the line out.
func replaceLine(text string, line int, a atom) (splice, bool) {
	name, value := a.path[len(a.path)-1].Name(), a.value
	lines := strings.SplitAfter(text, "\n")
	if line < 1 || line > len(lines) || !locate.HasKey(strings.TrimPrefix(strings.TrimSpace(lines[line-1]), "- "), name) {
		return splice{}, false
	}
	m := literal.FindStringSubmatch(lines[line-1])
	if m == nil || composite(value) || strings.TrimSpace(m[2]) == "" {
		if value != nil || !strings.Contains(lines[line-1], "{{") {
			return splice{}, false
		}
	}
	at := len(strings.Join(lines[:line-1], ""))
	if a.name != "" && strings.Contains(lines[line-1], "{{") {
		return splice{}, false
	}
	if value == nil {
		if strings.HasPrefix(strings.TrimSpace(lines[line-1]), "- ") {
			return splice{}, false
		}
		return splice{at, at + len(lines[line-1]), ""}, true
	}
	return splice{at, at + len(lines[line-1]),
		strings.Replace(m[1], name, a.key(), 1) + " " + inFlow(value) + m[3] + m[4]}, true
}

// insertLine puts a key below one of a template: of a mapping before its first key, of a
// list item after it.
func insertLine(text string, line int, below fieldpath.Step, name string, value any) (splice, bool) {
	lines := strings.SplitAfter(text, "\n")
	if line < 1 || line > len(lines) {
		return splice{}, false
	}
	head := strings.TrimRight(lines[line-1], " \r\n")
	body := strings.TrimLeft(head, " ")
	indent := len(head) - len(body)
	switch {
	case below.Index >= 0:
		rest, ok := strings.CutPrefix(body, "- ")
		if !ok || !strings.Contains(rest, ":") || strings.HasSuffix(rest, ":") {
			return splice{}, false
		}
		indent += 2
	case body != below.Key+":":
		return splice{}, false
	default:
		indent = -1
		for _, l := range lines[line:] {
			b := strings.TrimLeft(l, " ")
			if own := len(l) - len(b); strings.TrimSpace(b) != "" && !strings.HasPrefix(b, "{{") && !strings.HasPrefix(b, "#") {
				if own > len(head)-len(body) && !strings.HasPrefix(b, "- ") {
					indent = own
				}
				break
			}
		}
		if indent < 0 {
			indent = len(head) - len(body) + 2
		}
	}
	at := len(strings.Join(lines[:line], ""))
	return splice{at, at, inBlock(map[string]any{name: value}, indent)}, true
}

// knobs are the names that charts give the values of a field, beside its own.
var knobs = map[string][]string{
	"strategy":       {"updateStrategy", "deploymentStrategy", "rollout"},
	"updateStrategy": {"strategy"},
	"rollingUpdate":  {"updateStrategy", "strategy"},
}

// mostKnobs bounds the values that are tried for one setting.
const mostKnobs = 3

// rewriteKnobs fills empty values of the chart whose names tell that they are a field's.
func rewriteKnobs(j *release.Recipe, o *object.Object, settings []object.Setting) []object.Rewrite {
	if len(settings) != 1 || settings[0].Value == nil {
		return nil
	}
	p := fieldpath.Parse(settings[0].Path)
	name := p[len(p)-1].Name()
	var out []object.Rewrite
	for _, file := range slices.Concat(j.Chart.Values, j.Chart.OwnValues, []string{j.Chart.Names["values.yaml"]}) {
		t, ok := readSource(j, file)
		root := document.Only(t.roots)
		if !ok || root == nil { // nil: comments alone, or no YAML
			continue
		}
		document.Walk(root, func(m *yaml3.Node) {
			if m.Kind != yaml3.MappingNode {
				return
			}
			for i := 0; i+1 < len(m.Content) && len(out) < mostKnobs; i += 2 {
				k, v := m.Content[i], m.Content[i+1]
				if k.Value != name && !slices.Contains(knobs[name], k.Value) || v.Style&yaml3.FlowStyle == 0 || len(v.Content) > 0 {
					continue
				}
				from, to, ok := t.extent(yamlEntry{key: k, value: v, parent: m, flow: m.Style&yaml3.FlowStyle != 0})
				if ok {
					w := object.Rewrite{File: file, Text: t.text[:from] + inFlow(settings[0].Value) + t.text[to:]}
					out = append(out, w)
				}
			}
		})
	}
	return out
}
