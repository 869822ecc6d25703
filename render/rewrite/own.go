package rewrite

import (
	"slices"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// rewriteOwnValues gives a value that an earlier values file sets in the last one of the release, which comes after it:
// what several releases share stays as it is for the others.
func rewriteOwnValues(j *release.Recipe, o *object.Object, list []atom) []object.Rewrite {
	n := len(j.Chart.Values)
	if len(list) != 1 || list[0].value == nil || n == 0 {
		return nil
	}
	at, own := o.Locate(list[0].path.String()), j.Chart.Values[n-1]
	shared := slices.Concat(j.Chart.Values[:n-1], j.Chart.OwnValues, []string{j.Chart.Names["values.yaml"]})
	if at.File == own || !slices.Contains(shared, at.File) {
		return nil
	}
	from, ok := readSource(j, at.File)
	if !ok {
		return nil
	}
	e, ok := from.entryAt(at.StartLine, at.StartColumn, hasName)
	if !ok {
		return nil
	}
	keys := keysTo(document.Only(from.roots), e.key)
	t, ok := readSource(j, own)
	if !ok || len(keys) == 0 || document.Only(t.roots) == nil {
		return nil
	}
	s, ok := t.below(keys, list[0].value)
	if !ok {
		return nil
	}
	return []object.Rewrite{{File: own, Text: t.text[:s.from] + s.text + t.text[s.to:]}}
}

// keysTo are the keys of the maps that lead to one, with it; nil where there is a list between.
func keysTo(m, key *yaml3.Node) []string {
	if m == nil || m.Kind != yaml3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i] == key {
			return []string{key.Value}
		}
		if rest := keysTo(m.Content[i+1], key); rest != nil {
			return append([]string{m.Content[i].Value}, rest...)
		}
	}
	return nil
}

// below puts a value in under keys, in the innermost map that is there; false where it is there itself.
func (t sourceText) below(keys []string, value any) (splice, bool) {
	return t.belowOf(document.Only(t.roots), keys, value)
}

// belowOf is [sourceText.below] for one of several documents.
func (t sourceText) belowOf(root *yaml3.Node, keys []string, value any) (splice, bool) {
	e := yamlEntry{value: root}
	for k, name := range keys {
		if e.value.Kind != yaml3.MappingNode || e.value.Anchor != "" {
			return splice{}, false
		}
		i := keyOf(e.value, name)
		if i < 0 {
			var rest fieldpath.Path
			for _, r := range keys[k+1:] {
				rest = rest.With(fieldpath.Key(r))
			}
			return t.insert(e, name, nested(rest, value))
		}
		flow := e.flow || e.value.Style&yaml3.FlowStyle != 0
		e = yamlEntry{e.value.Content[i], e.value.Content[i+1], e.value, flow}
	}
	return splice{}, false
}
