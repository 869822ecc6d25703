package locate

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Bounds on counterfactual rendering: one trial is one render of the chart.
const (
	trialsPerField   = 6
	trialsPerRelease = 120
)

// inHelm finds the values line that set a field of a rendered object: candidates are the
// values that the template mentions where it writes the field and those whose value is
// the field's; one is believed when changing it changes the field. Else it is the
// template's line.
func (l *locator) inHelm(d document.Document, p fieldpath.Path) object.Location {
	if list := l.recipe.Release.PostRender; len(list) > 0 && !d.Hook {
		q := query{doc: d, path: p}
		q.value, q.exists = p.Get(d.Content)
		for i := len(list) - 1; i >= 0; i-- {
			if h := l.overlayHit(&list[i], i, q); h.exact {
				return h.at
			}
		}
	}
	return l.inChart(l.recipe.Chart, d, p)
}

// inflated is inHelm for a chart that a kustomization inflates; at is the entry there.
func (l *locator) inflated(c *release.Chart, d document.Document, q query, at object.Location) object.Location {
	t := l.trialsOf(c)
	defer t.session()()
	for _, e := range t.baseline() {
		if likelyContent(e.Content, d.Content) {
			return l.inChart(c, e, q.path)
		}
	}
	return at
}

func likelyContent(was, now map[string]any) bool {
	name, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("name")}.Get(was)
	text, _ := name.(string)
	return document.GVK(was) == document.GVK(now) && sameName(now, text)
}

func (l *locator) inChart(c *release.Chart, d document.Document, p fieldpath.Path) object.Location {
	file := helm.TemplateFile(c, d.File)
	if file == "" {
		return object.LineOf(path.Join(c.Dir, "Chart.yaml"), 1, "release")
	}
	text := l.recipe.Files[file]
	t := NewTemplateText(text, path.Ext(file) == ".tgz")
	line, depth := t.Find(d, p)
	at := object.LineOf(file, line, "template")
	if line <= len(t.lines) && line > 0 {
		trimmed := strings.TrimLeft(t.lines[line-1], " ")
		at.StartColumn = len(t.lines[line-1]) - len(trimmed) + 1
		at.EndColumn = at.StartColumn + max(len([]rune(strings.TrimRight(trimmed, " \r"))), 1)
	}
	value, ok := p.Get(d.Content)
	if !ok || len(p) == 0 {
		return at
	}
	if loc, ok := l.valuesLine(c, d, wantedValue{p, value, t.mentions(line, depth, p)}); ok {
		return loc
	}
	return at
}

// wantedValue is a field, its value, and the values paths that the template mentions
// where it writes it.
type wantedValue struct {
	path     fieldpath.Path
	value    any
	mentions []fieldpath.Path
}

// valuesLine finds the values line of a field and confirms it.
func (l *locator) valuesLine(c *release.Chart, d document.Document, w wantedValue) (object.Location, bool) {
	scope := chartScope(d.File)
	t := l.trialsOf(c)
	defer t.session()()
	if len(fieldpath.Steps(w.value)) > 0 {
		return l.valuesBlock(c, d, w)
	}
	candidates := l.candidates(c, scope, w)
	for _, cand := range candidates {
		if t.marked(cand, scope, func() []valuesLeaf { return l.valuesLeaves(c, scope) }, docName(d)+" "+w.path.String()) {
			return cand.place(), true
		}
	}
	var first *valuesLeaf
	tried := 0
	for _, cand := range candidates {
		if first == nil && cand.mentioned {
			first = &cand
		}
		if tried++; tried > trialsPerField {
			break
		}
		if t.changes(cand, d, w.path) {
			return cand.place(), true
		}
	}
	if first != nil && first.exact {
		return first.place(), true // the template names it, and it holds the value
	}
	return object.Location{}, false
}

// valuesBlock finds the key in the values under which a whole map or list of an object
// is written.
func (l *locator) valuesBlock(c *release.Chart, d document.Document, w wantedValue) (object.Location, bool) {
	scope := chartScope(d.File)
	t := l.trialsOf(c)
	for _, leaf := range l.valuesLeaves(c, scope) {
		for _, m := range w.mentions {
			full := append(append(fieldpath.Path(nil), scope...), m...)
			if len(leaf.path) <= len(full) || !hasPrefix(leaf.path, full) {
				continue
			}
			if !t.changes(leaf, d, w.path) {
				break
			}
			if leaf.find != nil {
				return leaf.find(full), true
			}
			if leaf.file == "" {
				return leaf.at, true
			}
			return l.valuesPlace(leaf.file, leaf.own[:len(leaf.own)-(len(leaf.path)-len(full))]), true
		}
	}
	return object.Location{}, false
}

// chartScope is the path of a sub-chart's values in its parent's: "web/charts/db/..."
// is [db].
func chartScope(full string) fieldpath.Path {
	var scope fieldpath.Path
	parts := strings.Split(full, "/")
	for i := 1; i+1 < len(parts); i++ {
		switch parts[i] {
		case "charts":
			scope = append(scope, fieldpath.Key(parts[i+1]))
			i++
		case "templates", "crds":
			return scope
		}
	}
	return scope
}

// valuesLeaf is one value of the release's values files.
type valuesLeaf struct {
	path      fieldpath.Path // in the top chart's values
	value     any
	file      string
	own       fieldpath.Path                       // in file
	in        *locator                             // of the file
	at        object.Location                      // of one that is in no file
	find      func(fieldpath.Path) object.Location // its place, where that is not in at
	set       string                               // the setting that it is
	mentioned bool                                 // by the template, at the field
	exact     bool                                 // equal to the field's value
}

// place is where the leaf was set.
func (v *valuesLeaf) place() object.Location {
	switch {
	case v.find != nil:
		return v.find(v.path)
	case v.file != "":
		return v.in.valuesPlace(v.file, v.own)
	}
	return v.at
}

// candidates lists the values leaves that may have set a field, likeliest first.
func (l *locator) candidates(c *release.Chart, scope fieldpath.Path, w wantedValue) []valuesLeaf {
	all := l.valuesLeaves(c, scope)
	last := w.path[len(w.path)-1].Key
	type scored struct {
		leaf  valuesLeaf
		score int
	}
	var list []scored
	for _, leaf := range all {
		s := 0
		for _, m := range w.mentions {
			if hasPrefix(leaf.path, append(append(fieldpath.Path(nil), scope...), m...)) {
				s += 4
				leaf.mentioned = true
				break
			}
		}
		leaf.exact = fmt.Sprint(leaf.value) == fmt.Sprint(w.value)
		switch text, isText := w.value.(string); {
		case leaf.exact:
			s += 3
		case isText && fmt.Sprint(leaf.value) != "" && strings.HasSuffix(text, ":"+fmt.Sprint(leaf.value)),
			isText && len(fmt.Sprint(leaf.value)) > 2 && strings.HasSuffix(text, fmt.Sprint(leaf.value)):
			s += 3 // an image's tag says more than its name
		case isText && len(fmt.Sprint(leaf.value)) > 2 && strings.Contains(text, fmt.Sprint(leaf.value)):
			s += 2
		}
		name := leaf.path[len(leaf.path)-1].Key
		if last != "" && (name == last ||
			strings.HasPrefix(strings.ToLower(name), strings.ToLower(strings.TrimSuffix(last, "s")))) {
			s += 2
		}
		if s >= 3 {
			list = append(list, scored{leaf, s})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	out := make([]valuesLeaf, len(list))
	for i := range list {
		out[i] = list[i].leaf
	}
	return out
}

func hasPrefix(p, prefix fieldpath.Path) bool {
	if len(prefix) > len(p) {
		return false
	}
	for i := range prefix {
		if p[i] != prefix[i] {
			return false
		}
	}
	return true
}

// valuesLeaves lists the leaves of the values files that can reach a chart, the file
// that wins for each.
func (l *locator) valuesLeaves(c *release.Chart, scope fieldpath.Path) []valuesLeaf {
	of := leavesKey{c, scope.String()}
	l.mu.Lock()
	list, ok := l.leaves[of]
	l.mu.Unlock()
	if !ok {
		list = l.readLeaves(c, scope)
		l.mu.Lock()
		l.leaves[of] = list
		l.mu.Unlock()
	}
	return list
}

// leavesKey is one chart, or a sub-chart of it.
type leavesKey struct {
	chart *release.Chart
	scope string
}

func (l *locator) readLeaves(c *release.Chart, scope fieldpath.Path) []valuesLeaf {
	type layer struct {
		file  string
		scope fieldpath.Path
	}
	var layers []layer
	for i := len(c.Values) - 1; i >= 0; i-- {
		layers = append(layers, layer{c.Values[i], nil})
	}
	for i := len(c.OwnValues) - 1; i >= 0; i-- {
		layers = append(layers, layer{c.OwnValues[i], nil})
	}
	if own, ok := c.Names["values.yaml"]; ok && len(c.OwnValues) == 0 {
		layers = append(layers, layer{own, nil})
	}
	name := ""
	for i, s := range scope {
		name += "charts/" + s.Key + "/"
		if p, ok := c.Names[name+"values.yaml"]; ok {
			layers = append(layers, layer{p, scope[:i+1]})
		}
	}
	seen := map[string]bool{}
	out := l.inlineLeaves(c, seen)
	for _, y := range layers {
		v, err := document.DecodeYAML(l.recipe.Files[y.file])
		if err != nil {
			continue
		}
		fieldpath.Leaves(v, nil, func(p fieldpath.Path, value any) {
			full := append(append(fieldpath.Path(nil), y.scope...), p...)
			if len(p) == 0 || seen[full.String()] || len(out) > 20_000 {
				return
			}
			seen[full.String()] = true
			out = append(out, valuesLeaf{path: full, value: value, file: y.file, own: p, in: l})
		})
	}
	return out
}

// inlineLeaves are values that stand in the object or entry that declares the release;
// they win over those of files.
func (l *locator) inlineLeaves(c *release.Chart, seen map[string]bool) []valuesLeaf {
	by := l.recipe.Release.By
	if by.File == "" {
		by = object.LineOf(l.recipe.EntryFile(), 1, "release")
	}
	by.Rung = "release"
	var out []valuesLeaf
	for _, set := range []map[string]string{c.Set, c.SetString} { // they win over everything else
		for _, k := range slices.Sorted(maps.Keys(set)) {
			p := fieldpath.Parse(k)
			seen[p.String()] = true
			if l.recipe.Release.Switched != "" {
				continue // it stands nowhere: the template that copies it does
			}
			leaf := valuesLeaf{path: p, value: set[k], at: by, set: k}
			if at := l.recipe.Release.SettingAt; at != nil {
				leaf.find = func(fieldpath.Path) object.Location {
					at := at(k)
					at.Rung = "value"
					return at
				}
			}
			if at, ok := l.recipe.Release.SetAt[k]; ok {
				leaf.at = at
				leaf.at.Rung = "value"
			}
			out = append(out, leaf)
		}
	}
	fieldpath.Leaves(c.Inline, nil, func(p fieldpath.Path, value any) {
		if len(p) == 0 || seen[p.String()] {
			return
		}
		seen[p.String()] = true
		leaf := valuesLeaf{path: p, value: value, at: by}
		if l.recipe.Release.InlineAt != nil {
			leaf.find = l.recipe.Release.InlineAt
		}
		out = append(out, leaf)
	})
	return out
}

// valuesPlace is where a leaf stands in a values file.
func (l *locator) valuesPlace(file string, p fieldpath.Path) object.Location {
	root := document.Only(l.roots(file))
	if root == nil {
		return object.LineOf(file, 1, "value")
	}
	r, _ := document.Descend(root, p)
	loc := document.NodeRegion(file, r, true)
	loc.Rung = "value"
	return loc
}
