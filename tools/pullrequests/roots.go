package pullrequests

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
)

// findRoots lists what a person would render of the touched files: the outermost charts,
// the kustomizations that no other includes, and the manifests that are of neither.
func (s *side) findRoots(files []string) {
	touched := map[root]bool{}
	charts := s.touchedCharts(files)
	for c, valuesOnly := range charts {
		for _, r := range s.chartRoots(c, valuesOnly) {
			touched[r] = true
		}
	}
	parents, own := s.kustomizationGraph()
	reached := map[string]bool{} // kustomizations, by folder
	for _, f := range files {
		for dir := range own[f] {
			s.climb(dir, parents, reached)
		}
		inChart := s.chartOf(f) != ""
		if len(own[f]) == 0 && !inChart && s.files[f] && isYAML(f) && !strings.HasPrefix(f, ".") {
			if b, err := os.ReadFile(filepath.Join(s.dir, f)); err == nil && isManifest(b) {
				touched[root{kind: "manifest", path: f}] = true
			}
		}
	}
	for dir := range reached {
		if len(parents[dir]) == 0 {
			touched[root{kind: "kustomize", path: dir}] = true
		}
	}
	s.roots = sortedRoots(touched)
}

// climb marks a kustomization and all that include it.
func (s *side) climb(dir string, parents map[string]map[string]bool, reached map[string]bool) {
	if dir == "" || reached[dir] {
		return
	}
	reached[dir] = true
	for up := range parents[dir] {
		s.climb(up, parents, reached)
	}
}

// kustomizationGraph gives, for each kustomization, those that include it, and for each file those that read it. Any
// text in a kustomization that is a path in the repository is a reference: so every field that takes a path is read,
// also those of the next version. A component is no root.
func (s *side) kustomizationGraph() (parents, own map[string]map[string]bool) {
	parents, own = map[string]map[string]bool{}, map[string]map[string]bool{}
	put := func(m map[string]map[string]bool, key, dir string) {
		if m[key] == nil {
			m[key] = map[string]bool{}
		}
		m[key][dir] = true
	}
	for dir, file := range s.kustomizations {
		put(own, file, dir)
		b, err := os.ReadFile(filepath.Join(s.dir, file))
		var doc any
		if err != nil || yaml3.Unmarshal(b, &doc) != nil {
			continue
		}
		if m, _ := doc.(map[string]any); m["kind"] == "Component" {
			put(parents, dir, "")
		}
		for _, text := range texts(doc, nil) {
			if _, value, ok := strings.Cut(text, "="); ok && !s.files[path.Join(dir, text)] {
				text = value // NAME=FILE of a generator
			}
			at := path.Join(dir, text)
			switch {
			case s.kustomizations[at] != "" && at != dir:
				put(parents, at, dir)
			case s.files[at]:
				put(own, at, dir)
			}
		}
	}
	return parents, own
}

// texts lists the strings of a document.
func texts(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = texts(e, out)
		}
	case map[string]any:
		for _, e := range v {
			out = texts(e, out)
		}
	}
	return out
}

// touchedCharts lists the outermost charts that the files lie in, and the charts that
// have one of them as a dependency beside them; with the values files that were touched,
// where nothing else of the chart was.
func (s *side) touchedCharts(files []string) map[string][]string {
	values, whole := map[string][]string{}, map[string]bool{}
	for _, f := range files {
		c := s.chartOf(f)
		switch {
		case !s.inChart(f):
		case isEnvironment(c, f):
			values[c] = append(values[c], f)
		default:
			whole[c] = true
		}
	}
	for grew := true; grew; {
		grew = false
		for c := range s.charts {
			for _, d := range s.dependencies(c) {
				if on, ok := strings.CutPrefix(d, "file://"); ok && whole[path.Join(c, on)] && !whole[s.chartOf(c+"/x")] {
					whole[s.chartOf(c+"/x")], grew = true, true
				}
			}
		}
	}
	for c := range whole {
		values[c] = nil
	}
	return values
}

// isEnvironment reports whether a file of a chart is a values file of one environment.
func isEnvironment(chart, f string) bool {
	name := path.Base(f)
	return path.Dir(f) == chart && isYAML(f) && (strings.HasPrefix(name, "values-") || strings.HasPrefix(name, "values.")) &&
		name != "values.yaml" && name != "values.schema.json"
}

// chartRoots is a chart as it is rendered: once for each values file of its CI, by
// chart-testing's convention, or of an environment beside it, else as it is.
func (s *side) chartRoots(chart string, only []string) []root {
	var meta struct{ Type string }
	b, _ := os.ReadFile(filepath.Join(s.dir, chart, "Chart.yaml"))
	if _ = yaml3.Unmarshal(b, &meta); meta.Type == "library" {
		return nil
	}
	values := only
	if len(values) == 0 {
		for f := range s.files {
			if ok, _ := path.Match(path.Join(chart, "ci", "*-values.yaml"), f); ok || isEnvironment(chart, f) {
				values = append(values, f)
			}
		}
	}
	if len(values) == 0 {
		return []root{{kind: "helm", path: chart}}
	}
	var out []root
	for _, v := range values {
		out = append(out, root{kind: "helm", path: chart, values: v})
	}
	return out
}
