package render

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
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
func (l *locator) inHelm(d document, p fieldPath) Location {
	return l.inChart(l.job.Chart, d, p)
}

// inflated is inHelm for a chart that a kustomization inflates; at is the entry there.
func (l *locator) inflated(c *chartJob, d document, q query, at Location) Location {
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
	name, _ := fieldPath{key("metadata"), key("name")}.get(was)
	text, _ := name.(string)
	return gvkOf(was) == gvkOf(now) && sameName(now, text)
}

func (l *locator) inChart(c *chartJob, d document, p fieldPath) Location {
	file := c.templateFile(d.File)
	if file == "" {
		return lineOf(path.Join(c.Dir, "Chart.yaml"), 1, "release")
	}
	text := l.job.Files[file]
	t := newTemplateText(text, path.Ext(file) == ".tgz")
	line, depth := t.find(d, p)
	at := lineOf(file, line, "template")
	if line <= len(t.lines) && line > 0 {
		trimmed := strings.TrimLeft(t.lines[line-1], " ")
		at.StartColumn = len(t.lines[line-1]) - len(trimmed) + 1
		at.EndColumn = at.StartColumn + max(len([]rune(strings.TrimRight(trimmed, " \r"))), 1)
	}
	value, ok := p.get(d.Content)
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
	path     fieldPath
	value    any
	mentions []fieldPath
}

// valuesLine finds the values line of a field and confirms it.
func (l *locator) valuesLine(c *chartJob, d document, w wantedValue) (Location, bool) {
	scope := chartScope(d.File)
	t := l.trialsOf(c)
	defer t.session()()
	if len(stepsOf(w.value)) > 0 {
		return l.valuesBlock(c, d, w)
	}
	var first *valuesLeaf
	tried := 0
	for _, cand := range l.candidates(c, scope, w) {
		if first == nil && cand.mentioned {
			first = &cand
		}
		if tried++; tried > trialsPerField {
			break
		}
		if t.changes(cand, d, w.path) {
			return cand.at, true
		}
	}
	if first != nil && first.exact {
		return first.at, true // the template names it, and it holds the value
	}
	return Location{}, false
}

// valuesBlock finds the key in the values under which a whole map or list of an object
// is written.
func (l *locator) valuesBlock(c *chartJob, d document, w wantedValue) (Location, bool) {
	scope := chartScope(d.File)
	t := l.trialsOf(c)
	for _, leaf := range l.valuesLeaves(c, scope) {
		for _, m := range w.mentions {
			full := append(append(fieldPath(nil), scope...), m...)
			if len(leaf.path) <= len(full) || !hasPrefix(leaf.path, full) {
				continue
			}
			if !t.changes(leaf, d, w.path) {
				break
			}
			return l.valuesPlace(leaf.file, leaf.own[:len(leaf.own)-(len(leaf.path)-len(full))]), true
		}
	}
	return Location{}, false
}

// chartScope is the path of a sub-chart's values in its parent's: "web/charts/db/..."
// is [db].
func chartScope(full string) fieldPath {
	var scope fieldPath
	parts := strings.Split(full, "/")
	for i := 1; i+1 < len(parts); i++ {
		switch parts[i] {
		case "charts":
			scope = append(scope, key(parts[i+1]))
			i++
		case "templates", "crds":
			return scope
		}
	}
	return scope
}

// valuesLeaf is one value of the release's values files.
type valuesLeaf struct {
	path      fieldPath // in the top chart's values
	value     any
	file      string
	own       fieldPath // in file
	at        Location
	mentioned bool // by the template, at the field
	exact     bool // equal to the field's value
}

// candidates lists the values leaves that may have set a field, likeliest first.
func (l *locator) candidates(c *chartJob, scope fieldPath, w wantedValue) []valuesLeaf {
	all := l.valuesLeaves(c, scope)
	last := w.path[len(w.path)-1].key
	type scored struct {
		leaf  valuesLeaf
		score int
	}
	var list []scored
	for _, leaf := range all {
		s := 0
		for _, m := range w.mentions {
			if hasPrefix(leaf.path, append(append(fieldPath(nil), scope...), m...)) {
				s += 4
				leaf.mentioned = true
				break
			}
		}
		leaf.exact = fmt.Sprint(leaf.value) == fmt.Sprint(w.value)
		switch text, isText := w.value.(string); {
		case leaf.exact:
			s += 3
		case isText && len(fmt.Sprint(leaf.value)) > 2 && strings.HasSuffix(text, fmt.Sprint(leaf.value)):
			s += 3 // an image's tag says more than its name
		case isText && len(fmt.Sprint(leaf.value)) > 2 && strings.Contains(text, fmt.Sprint(leaf.value)):
			s += 2
		}
		name := leaf.path[len(leaf.path)-1].key
		if last != "" && (name == last || strings.HasPrefix(strings.ToLower(name), strings.ToLower(strings.TrimSuffix(last, "s")))) {
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

func hasPrefix(p, prefix fieldPath) bool {
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
func (l *locator) valuesLeaves(c *chartJob, scope fieldPath) []valuesLeaf {
	type layer struct {
		file  string
		scope fieldPath
	}
	var layers []layer
	for i := len(c.Values) - 1; i >= 0; i-- {
		layers = append(layers, layer{c.Values[i], nil})
	}
	if own, ok := c.Names["values.yaml"]; ok {
		layers = append(layers, layer{own, nil})
	}
	name := ""
	for i, s := range scope {
		name += "charts/" + s.key + "/"
		if p, ok := c.Names[name+"values.yaml"]; ok {
			layers = append(layers, layer{p, scope[:i+1]})
		}
	}
	seen := map[string]bool{}
	var out []valuesLeaf
	for _, y := range layers {
		v, err := decodeYAML(l.job.Files[y.file])
		if err != nil {
			continue
		}
		leaves(v, nil, func(p fieldPath, value any) {
			full := append(append(fieldPath(nil), y.scope...), p...)
			if len(p) == 0 || seen[full.String()] || len(out) > 20_000 {
				return
			}
			seen[full.String()] = true
			out = append(out, valuesLeaf{path: full, value: value, file: y.file, own: p, at: l.valuesPlace(y.file, p)})
		})
	}
	return out
}

// valuesPlace is where a leaf stands in a values file.
func (l *locator) valuesPlace(file string, p fieldPath) Location {
	root := l.node(file, 0)
	if root == nil {
		return lineOf(file, 1, "value")
	}
	r, _ := descend(root, p)
	loc := nodeRegion(file, r, true)
	loc.Rung = "value"
	return loc
}

// trials runs counterfactual renders of one chart: one values leaf is changed, and the
// fields that change with it are remembered.
type trials struct {
	chart  *chartJob
	files  map[string][]byte
	opt    Options
	users  int
	runner runner // while there are users
	mu     sync.Mutex
	done   bool
	base   []document
	by     map[string]map[string]bool // leaf to "template#doc path"
	runs   int
}

func (l *locator) trialsOf(c *chartJob) *trials {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.trials[c.Dir]
	if !ok {
		t = &trials{chart: c, files: l.job.Files, opt: l.trialOptions(), by: map[string]map[string]bool{}}
		l.trials[c.Dir] = t
	}
	return t
}

// trialOptions are one worker with less time than a first render has.
func (l *locator) trialOptions() Options {
	opt := l.opt
	opt.Workers = 1
	if opt.Sandbox.Time <= 0 || opt.Sandbox.Time > trialTime {
		opt.Sandbox.Time = trialTime
	}
	return opt
}

// trialTime is how long one counterfactual render may take.
const trialTime = 10 * time.Second

// session keeps one runner for the trials of a field; the function it gives ends it.
func (t *trials) session() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users == 0 {
		t.runner = newRunner(context.Background(), t.opt)
	}
	t.users++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.users--; t.users == 0 {
			t.runner.close()
		}
	}
}

func (t *trials) baseline() []document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.baselineLocked()
}

func (t *trials) baselineLocked() []document {
	if !t.done {
		t.done = true
		t.base = t.render(nil, nil)
	}
	return t.base
}

// render renders with one value replaced; nil where it does not render.
func (t *trials) render(p fieldPath, value any) []document {
	c := *t.chart
	c.Once = true
	if p != nil {
		vals, f := c.values(t.files)
		if f != nil {
			return nil
		}
		c.Inline = mergeValues(c.Inline, overlay(p, value, vals))
	}
	out := t.runner.run(&job{Release: Release{Kind: Helm, Path: c.Dir}, Files: t.files, Chart: &c})
	if out.Err != nil {
		return nil
	}
	return out.Docs
}

// overlay is a map that sets one value; a list on the way is copied whole.
func overlay(p fieldPath, value any, vals map[string]any) map[string]any {
	for i, s := range p {
		if s.index < 0 {
			continue
		}
		list, _ := p[:i].get(vals)
		c := map[string]any{"v": deepCopy(list)}
		append(fieldPath{key("v")}, p[i:]...).set(c, value)
		return overlay(p[:i], c["v"], vals)
	}
	var v = value
	for i := len(p) - 1; i >= 0; i-- {
		v = map[string]any{p[i].key: v}
	}
	m, _ := v.(map[string]any)
	return m
}

// changes says whether another value of the leaf changes a field.
func (t *trials) changes(leaf valuesLeaf, d document, p fieldPath) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := leaf.path.String()
	effect, ok := t.by[name]
	if !ok {
		if t.runs >= trialsPerRelease {
			return false
		}
		t.runs++
		effect = map[string]bool{}
		for _, other := range otherValues(leaf.value) {
			if docs := t.render(leaf.path, other); docs != nil {
				effect = t.effect(docs)
				break
			}
		}
		t.by[name] = effect
	}
	for i := len(p); i >= 0; i-- {
		if effect[docName(d)+" "+p[:i].String()] {
			return true
		}
	}
	v, _ := p.get(d.Content)
	if len(stepsOf(v)) == 0 {
		return false
	}
	for e := range effect { // a part of a map or list
		if strings.HasPrefix(e, docName(d)+" "+p.String()) {
			return true
		}
	}
	return false
}

func docName(d document) string { return fmt.Sprintf("%s#%d", d.File, d.Doc) }

// effect lists the fields that differ from the baseline.
func (t *trials) effect(docs []document) map[string]bool {
	was := map[string]document{}
	for _, d := range t.baselineLocked() {
		was[docName(d)] = d
	}
	out := map[string]bool{}
	for _, d := range docs {
		b, ok := was[docName(d)]
		if !ok || gvkOf(b.Content) != gvkOf(d.Content) {
			continue
		}
		for _, p := range differing(b.Content, d.Content) {
			if p != "" {
				out[docName(d)+" "+p] = true
			}
		}
	}
	return out
}

// otherValues are values to try in the place of one, of its own type.
func otherValues(v any) []any {
	switch x := v.(type) {
	case bool:
		return []any{!x}
	case int64:
		return []any{float64(x + 1), float64(1)}
	case float64:
		return []any{x + 1}
	case string:
		return []any{x + "9", "z" + x, "1"}
	}
	return nil
}

// templateText is the text of a template, searched line by line.
type templateText struct{ lines []string }

func newTemplateText(b []byte, archive bool) templateText {
	if archive {
		return templateText{}
	}
	return templateText{strings.Split(string(bytes.TrimSuffix(b, []byte("\n"))), "\n")}
}

var valuesRef = regexp.MustCompile(`\.Values((?:\.[A-Za-z0-9_-]+)+)`)

// mentions lists the values that a template names at a field: on its line, on the lines
// that follow without a key of their own, and on the with or range around it.
func (t templateText) mentions(line, depth int, p fieldPath) []fieldPath {
	var out []fieldPath
	add := func(text string) {
		for _, m := range valuesRef.FindAllStringSubmatch(text, -1) {
			ref := parsePath(strings.TrimPrefix(m[1], "."))
			out = append(out, append(append(fieldPath(nil), ref...), p[min(depth, len(p)):]...), ref)
		}
	}
	if line < 1 || line > len(t.lines) {
		return nil
	}
	add(t.lines[line-1])
	for i := line; i < len(t.lines) && i < line+3 && strings.HasPrefix(strings.TrimSpace(t.lines[i]), "{{"); i++ {
		add(t.lines[i])
	}
	for i := line - 2; i >= 0 && i >= line-6; i-- {
		if text := t.lines[i]; strings.Contains(text, "with ") || strings.Contains(text, "range ") {
			add(text)
		}
	}
	return out
}
