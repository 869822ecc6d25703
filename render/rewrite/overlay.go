package rewrite

import (
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// rewriteOverlay sets for one overlay what its base sets for all: in a strategic merge patch that the overlay has for
// the object, and in one that its kustomization gets.
func rewriteOverlay(j *release.Recipe, o *object.Object, list []atom) []object.Rewrite {
	shared := func(a atom) bool { return !within(j.Release.Path, o.Locate(a.path.String()).File) }
	if j.Release.Kind != object.Kustomize || !slices.ContainsFunc(list, shared) {
		return nil
	}
	names := []string{nameAtSource(j, o), o.ID.Name}
	var out []object.Rewrite
	for _, file := range j.Reads() {
		if within(j.Release.Path, file) && file != o.Source.File && !source.IsKustomizationName(file) {
			if text, ok := patched(string(j.Files[file]), o, names, list); ok {
				out = append(out, object.Rewrite{File: file, Text: text})
			}
		}
	}
	if text, ok := patchedInline(j, o, names, list); ok {
		out = append(out, object.Rewrite{File: j.RootKustomization(), Text: text})
	}
	for _, name := range slices.Compact(names) {
		if text, ok := patchAdded(j, o, name, list); ok {
			out = append(out, object.Rewrite{File: j.RootKustomization(), Text: text})
		}
	}
	return out
}

// within reports whether a file lies in a folder, or below it.
func within(dir, file string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

// nameAtSource is the name that an object has where it is written, before overlays change it.
func nameAtSource(j *release.Recipe, o *object.Object) string {
	t, ok := readSource(j, o.Source.File)
	if !ok {
		return o.ID.Name
	}
	for _, root := range t.roots {
		kind, name := headOf(root)
		if root != nil && root.Line <= o.Source.StartLine && kind == o.ID.Kind && strings.HasSuffix(o.ID.Name, name) {
			return name
		}
	}
	return o.ID.Name
}

// headOf are the kind and the name of a manifest; "": it has none.
func headOf(root *yaml3.Node) (kind, name string) {
	text := func(m *yaml3.Node, key string) string {
		if i := keyOf(m, key); i >= 0 && m.Content[i+1].Kind == yaml3.ScalarNode {
			return m.Content[i+1].Value
		}
		return ""
	}
	if root == nil || root.Kind != yaml3.MappingNode {
		return "", ""
	}
	if i := keyOf(root, "metadata"); i >= 0 && root.Content[i+1].Kind == yaml3.MappingNode {
		name = text(root.Content[i+1], "name")
	}
	return text(root, "kind"), name
}

// patched makes all atoms in the patch of an object that a text holds; false where it holds none.
func patched(text string, o *object.Object, names []string, list []atom) (string, bool) {
	for _, a := range list {
		var keys []string
		for _, s := range a.path {
			if s.Index >= 0 {
				return "", false
			}
			keys = append(keys, s.Key)
		}
		t, ok := sourceOf(text)
		i := slices.IndexFunc(t.roots, func(root *yaml3.Node) bool {
			kind, name := headOf(root)
			return kind == o.ID.Kind && name != "" && slices.Contains(names, name)
		})
		if !ok || i < 0 {
			return "", false
		}
		s, ok := t.belowOf(t.roots[i], keys, a.value)
		if !ok {
			return "", false
		}
		text = t.text[:s.from] + s.text + t.text[s.to:]
	}
	return text, true
}

// patchedInline makes all atoms in the inline patch that a kustomization has for an object; false where it has none.
func patchedInline(j *release.Recipe, o *object.Object, names []string, list []atom) (string, bool) {
	t, ok := readSource(j, j.RootKustomization())
	root := document.Only(t.roots)
	if !ok || root == nil || root.Kind != yaml3.MappingNode {
		return "", false
	}
	i := keyOf(root, "patches")
	if i < 0 {
		return "", false
	}
	for _, item := range root.Content[i+1].Content {
		if item.Kind != yaml3.MappingNode {
			continue
		}
		k := keyOf(item, "patch")
		if k < 0 {
			continue
		}
		in, ok := t.embeddedAt(item.Content[k+1].Line + 1)
		if !ok {
			continue
		}
		is, ok := patched(in.text, o, names, list)
		if !ok {
			continue
		}
		s := in.outside(splice{0, len(in.text), is})
		return t.text[:s.from] + s.text + t.text[s.to:], true
	}
	return "", false
}

// patchAdded gives the kustomization one patch more, with all atoms.
func patchAdded(j *release.Recipe, o *object.Object, name string, list []atom) (string, bool) {
	file := j.RootKustomization()
	t, ok := readSource(j, file)
	root := document.Only(t.roots)
	if !ok || root == nil || root.Kind != yaml3.MappingNode || root.Style&yaml3.FlowStyle != 0 {
		return "", false
	}
	patch, ok := mergePatch(o, name, list)
	if !ok {
		return "", false
	}
	item := func(indent int) string {
		pad := strings.Repeat(" ", indent)
		return pad + "- patch: |-\n" + inBlockOf(patch, indent+4)
	}
	end := "\n"
	if strings.Contains(t.text, "\r\n") {
		end = "\r\n"
	}
	added := func(at int, text string) (string, bool) {
		if at > 0 && t.text[at-1] != '\n' {
			text = "\n" + strings.TrimSuffix(text, "\n")
		}
		return t.text[:at] + strings.ReplaceAll(text, "\n", end) + t.text[at:], true
	}
	i := keyOf(root, "patches")
	if i < 0 {
		return added(len(strings.TrimRight(t.text, " \t\r\n"))+len(ending(t.text)), "patches:\n"+item(0))
	}
	seq := root.Content[i+1]
	if seq.Kind != yaml3.SequenceNode || seq.Style&yaml3.FlowStyle != 0 || len(seq.Content) == 0 {
		return "", false
	}
	return added(t.lineEnd(t.lastLine(yamlEntry{key: root.Content[i], value: seq, parent: root})), item(seq.Column-1))
}

// ending is the line end that a text's last line has.
func ending(text string) string {
	rest := text[len(strings.TrimRight(text, " \t\r\n")):]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

// mergePatch is a strategic merge patch that makes all atoms; false where one of them is in a list whose items have no
// names.
func mergePatch(o *object.Object, name string, list []atom) (map[string]any, bool) {
	patch := map[string]any{"apiVersion": o.Content["apiVersion"], "kind": o.ID.Kind,
		"metadata": map[string]any{"name": name}}
	for _, a := range list {
		m := patch
		for i, s := range a.path {
			switch {
			case s.Index >= 0: // with its list
			case i == len(a.path)-1:
				m[s.Key] = a.value
			case a.path[i+1].Index >= 0:
				item, ok := itemName(o, a.path[:i+2])
				if !ok || i+2 == len(a.path) {
					return nil, false
				}
				items, _ := m[s.Key].([]any)
				var at map[string]any
				for _, x := range items {
					if one, _ := x.(map[string]any); one["name"] == item {
						at = one
					}
				}
				if at == nil {
					at = map[string]any{"name": item}
					m[s.Key] = append(items, at)
				}
				m = at
			default:
				next, ok := m[s.Key].(map[string]any)
				if !ok {
					next = map[string]any{}
					m[s.Key] = next
				}
				m = next
			}
		}
	}
	return patch, true
}

// itemName is the name of the list item at a path.
func itemName(o *object.Object, p fieldpath.Path) (string, bool) {
	v, _ := p.Get(o.Content)
	m, _ := v.(map[string]any)
	name, ok := m["name"].(string)
	return name, ok
}

// inBlockOf writes an object with its head first, indented by so many spaces.
func inBlockOf(content map[string]any, indent int) string {
	var b strings.Builder
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if v, ok := content[key]; ok {
			b.WriteString(inBlock(map[string]any{key: v}, indent))
		}
	}
	return b.String()
}

// withoutOps takes whole operations out of the JSON patch that sets fields which are to go.
func withoutOps(j *release.Recipe, o *object.Object, list []atom) []object.Rewrite {
	if j.Release.Kind != object.Kustomize || len(list) != 1 || list[0].value != nil {
		return nil
	}
	at := o.Locate(list[0].path.String())
	t, ok := readSource(j, at.File)
	if !ok {
		return nil
	}
	pointer := ""
	for _, s := range list[0].path {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s.Name())
	}
	for _, root := range t.roots {
		if root == nil || root.Kind != yaml3.SequenceNode || root.Style&yaml3.FlowStyle != 0 || len(root.Content) < 2 {
			continue
		}
		for _, op := range root.Content {
			if op.Kind != yaml3.MappingNode {
				continue
			}
			i := keyOf(op, "path")
			if i < 0 || op.Content[i+1].Value != pointer || op.Style&yaml3.FlowStyle != 0 {
				continue
			}
			from, last := t.lines[op.Line-1], t.lastLine(yamlEntry{value: op, parent: root})
			if strings.TrimSpace(t.text[from:t.offset(op.Line, op.Column)]) != "-" {
				continue
			}
			return []object.Rewrite{{File: at.File, Text: t.text[:from] + t.text[t.lineEnd(last):]}}
		}
	}
	return nil
}
