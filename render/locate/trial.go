package locate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/worker"
)

// trials runs counterfactual renders of one chart: one values leaf is changed, and the
// fields that change with it are remembered.
type trials struct {
	chart   *release.Chart
	files   map[string][]byte
	running worker.Options
	keeper  *Keeper
	mu      sync.Mutex
	done    bool
	base    []document.Document
	by      map[string]map[string]bool            // leaf to "template#doc path"
	marks   map[string]map[string]map[string]bool // the same of numbers, by scope; see marked
	runs    int
}

func (l *locator) trialsOf(c *release.Chart) *trials {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.trials[c.Dir]
	if !ok {
		k := l.opt.Keeper
		if k == nil {
			k = &Keeper{}
		}
		run := l.opt.Run
		run.Sandbox = ForTrials(run.Sandbox)
		t = &trials{chart: c, files: l.recipe.Files, running: run, keeper: k, by: map[string]map[string]bool{},
			marks: map[string]map[string]map[string]bool{}}
		l.trials[c.Dir] = t
	}
	return t
}

// ForTrials is one with less time than a first rendering has.
func ForTrials(s worker.Sandbox) worker.Sandbox {
	if s.Time <= 0 || s.Time > trialTime {
		s.Time = trialTime
	}
	return s
}

// trialTime is how long one counterfactual render may take, and trialRest how long a worker
// waits for the next.
const (
	trialTime = 10 * time.Second
	trialRest = 2 * time.Second
)

// Keeper keeps the runner of counterfactual renders from field to field, of all charts: a
// worker takes as long to start as many of them take.
type Keeper struct {
	mu     sync.Mutex
	runner worker.Runner // nil: it was closed, or never wanted
	users  int
	since  int // counts the users that ever were
}

// session holds the runner for the trials of a field; the function it gives lets go of it.
func (t *trials) session() func() {
	k := t.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.runner == nil {
		k.runner = worker.New(context.Background(), t.running)
	}
	k.users++
	k.since++
	return k.release
}

func (k *Keeper) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return
	}
	since := k.since
	time.AfterFunc(trialRest, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.since == since && k.runner != nil {
			k.runner.Close()
			k.runner = nil
		}
	})
}

func (t *trials) baseline() []document.Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.baselineLocked()
}

func (t *trials) baselineLocked() []document.Document {
	if !t.done {
		t.done = true
		t.base = t.render(nil, nil)
	}
	return t.base
}

// render renders with one value replaced; nil where it does not render.
func (t *trials) render(p fieldpath.Path, value any) []document.Document {
	c := *t.chart
	c.Once, c.AnyValues = true, true // a schema may know no other value
	if p != nil {
		vals, f := helm.Values(&c, t.files)
		if f != nil {
			return nil
		}
		for _, set := range []*map[string]string{&c.Set, &c.SetString} { // settings would win over it
			kept := map[string]string{}
			for k, v := range *set {
				if own := fieldpath.Parse(k); !hasPrefix(own, p) {
					kept[k] = v
				}
			}
			*set = kept
		}
		c.Inline = helm.MergeValues(c.Inline, helm.Nested(p, value, t.withList(p, vals)))
	}
	return t.run(&c)
}

// withList adds to values the list that a path leads into where a chart's own values alone have it, so that its other
// elements stay.
func (t *trials) withList(p fieldpath.Path, vals map[string]any) map[string]any {
	at := slices.IndexFunc(p, func(s fieldpath.Step) bool { return s.Index >= 0 })
	if at < 0 {
		return vals
	}
	if _, ok := p[:at].Get(vals); ok {
		return vals
	}
	files := append(slices.Clone(t.chart.OwnValues), t.chart.Names["values.yaml"])
	scopes, name := make([]int, len(files)), ""
	for i, s := range p[:at] {
		name += "charts/" + s.Key + "/"
		files, scopes = append(files, t.chart.Names[name+"values.yaml"]), append(scopes, i+1)
	}
	for i, file := range files {
		own, err := document.DecodeYAML(t.files[file])
		if list, ok := p[scopes[i]:at].Get(own); err == nil && ok {
			return helm.MergeValues(helm.Nested(p[:at], list, nil), vals)
		}
	}
	return vals
}

// renderWith renders with some values over the chart's own.
func (t *trials) renderWith(values map[string]any) []document.Document {
	c := *t.chart
	c.Once, c.AnyValues = true, true
	c.Inline = helm.MergeValues(c.Inline, values)
	return t.run(&c)
}

func (t *trials) run(c *release.Chart) []document.Document {
	out := t.keeper.runner.Run(&release.Recipe{
		Release: release.Release{Release: object.Release{Kind: object.Helm, Path: c.Dir}},
		Files:   t.files, Chart: c})
	if out.Err != nil {
		return nil
	}
	return out.Docs
}

// changes reports whether another value of the leaf changes a field.
func (t *trials) changes(leaf valuesLeaf, d document.Document, p fieldpath.Path) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := leaf.path.String()
	effect, ok := t.by[name]
	if !ok {
		if t.runs >= t.allowance() || t.running.Clock.Over() {
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
	v, _ := p.Get(d.Content)
	if len(fieldpath.Steps(v)) == 0 {
		return false
	}
	for e := range effect { // a part of a map or list
		if strings.HasPrefix(e, docName(d)+" "+p.String()) {
			return true
		}
	}
	return false
}

func docName(d document.Document) string { return fmt.Sprintf("%s#%d", d.File, d.Doc) }

// allowance is how many trials a chart gets: large ones render slowly. It goes by size
// and not by time, so that it is the same everywhere.
func (t *trials) allowance() int {
	size := 1
	for _, p := range t.chart.Names {
		size += len(t.files[p])
	}
	return min(trialsPerRelease, max(trialsPerRelease*(100<<10)/size, 12))
}

// effect lists the fields that differ from the baseline.
func (t *trials) effect(docs []document.Document) map[string]bool {
	was := map[string]document.Document{}
	for _, d := range t.baselineLocked() {
		was[docName(d)] = d
	}
	out := map[string]bool{}
	for _, d := range docs {
		b, ok := was[docName(d)]
		if !ok || document.GVK(b.Content) != document.GVK(d.Content) {
			continue
		}
		for _, p := range document.Differing(b.Content, d.Content) {
			if p != "" {
				out[docName(d)+" "+p] = true
			}
		}
	}
	return out
}

// otherValues are values to try in the place of one, of the same type.
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
