package helm

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// moreDraws is how often a chart is rendered again whose random values decide between few others: two renders may well
// draw the same.
const moreDraws = 6

var (
	// deciding matches functions whose result is one of few, whatever is drawn; picking those that pick one also by what
	// is never empty or zero, such as a time or a text in another order.
	deciding = regexp.MustCompile(`\b(if|with|range|ternary|not|` + picks + `)\b`)
	picking  = regexp.MustCompile(`\b(` + picks + `)\b`)
	// maybeZero matches functions that may give zero.
	maybeZero = regexp.MustCompile(`\b(randInt|atoi|int|int64|float64|toDecimal)\b`)
	assigned  = regexp.MustCompile(`\$(\w+)\s*:?=`)
)

const picks = `index|first|last|slice|eq|ne|lt|le|gt|ge|has|contains|hasPrefix|hasSuffix|regexMatch|mod|min|max|` +
	`until|untilStep`

// drawsDecide reports whether something drawn at random, or a variable that holds it, decides in a template of a chart.
func drawsDecide(ch *chart.Chart) bool {
	for _, t := range ch.Templates {
		if !mayBeRandom(t.Data) {
			continue
		}
		if decideBy(t.Data, func(action, _ []byte) bool { return isRandom(action) }) {
			return true
		}
	}
	for _, d := range ch.Dependencies() {
		if drawsDecide(d) {
			return true
		}
	}
	return false
}

// narrow matches functions of which a chart may come to hold few results, or others tomorrow: values that depend on one
// are not known. Everything that is no call is removed first: texts, comments, fields and variables.
var (
	narrow = regexp.MustCompile(`\b(randInt|now|ago|shuffle|date|dateInZone|date_in_zone|htmlDate|htmlDateInZone)\b`)
	// comparing matches functions that ask of any draw, however many results it has, whether it is one of few.
	comparing = regexp.MustCompile(`\b(eq|ne|lt|le|gt|ge|has|contains|hasPrefix|hasSuffix|regexMatch|mod)\b`)
	handing   = regexp.MustCompile(`\btpl\b`)
	noCalls   = regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|/\\*.*?\\*/|[.$][\\w.]*")
)

// decidesByDraw reports whether a draw or the time decides in a template: by itself, or by a variable that holds it.
func decidesByDraw(text []byte) bool {
	return mayBeRandom(text) && (slices.ContainsFunc(actions.FindAll(text, -1), func(a []byte) bool {
		return comparing.Match(callsOf(a)) && isRandom(a)
	}) || decideBy(text, func(_, calls []byte) bool { return narrow.Match(calls) }))
}

// decideBy reports whether what some actions of a template draw decides in it, or a variable that holds it.
func decideBy(text []byte, draws func(action, calls []byte) bool) bool {
	all := actions.FindAll(text, -1)
	held := map[string]*regexp.Regexp{}
	for _, a := range all {
		calls := callsOf(a)
		if !draws(a, calls) {
			continue
		}
		by := picking
		if maybeZero.Match(calls) {
			by = deciding
		}
		if by.Match(calls) {
			return true
		}
		if m := assigned.FindSubmatch(a); m != nil {
			held[string(m[1])] = by
		}
	}
	return slices.ContainsFunc(all, func(a []byte) bool {
		for name, by := range held {
			if by.Match(callsOf(a)) && regexp.MustCompile(`\$`+name+`\b`).Match(assigned.ReplaceAll(a, nil)) {
				return true
			}
		}
		return false
	})
}

// callsOf is an action without anything that is no call.
func callsOf(action []byte) []byte { return noCalls.ReplaceAll(action, nil) }

// comparesTexts reports whether a template of a chart compares texts that tpl gives.
func comparesTexts(ch *chart.Chart) bool {
	return slices.ContainsFunc(ch.Templates, func(t *chart.File) bool {
		return slices.ContainsFunc(actions.FindAll(t.Data, -1), func(a []byte) bool {
			calls := callsOf(a)
			return handing.Match(calls) && comparing.Match(calls)
		})
	}) || slices.ContainsFunc(ch.Dependencies(), comparesTexts)
}

// drawn are the templates of a chart, by their full names, in which a draw decides; any says that one does in what any
// template may call: a definition. Texts are seen when they are rendered, see [handed].
func drawn(ch *chart.Chart) (names map[string]bool, any bool) {
	names = map[string]bool{}
	var visit func(*chart.Chart)
	visit = func(ch *chart.Chart) {
		for _, t := range ch.Templates {
			if decidesByDraw(t.Data) {
				names[path.Join(ch.ChartFullPath(), t.Name)] = true
				any = any || strings.HasPrefix(path.Base(t.Name), "_") || bytes.Contains(t.Data, []byte("define"))
			}
		}
		for _, d := range ch.Dependencies() {
			visit(d)
		}
	}
	visit(ch)
	return names, any
}

// decidesByText reports whether a text that tpl may be given draws what its result decides, or decides by a draw.
func decidesByText(text []byte) bool {
	return decidesByDraw(text) || slices.ContainsFunc(actions.FindAll(text, -1), func(a []byte) bool {
		return narrow.Match(callsOf(a))
	})
}

// withoutDrawn leaves the documents out that a draw decides about, and names their templates as unknown parts: those in
// which one is written, and those of which two renders give other objects or other fields.
func withoutDrawn(c *release.Chart, out release.Output, names map[string]bool, any bool, renders [][]document.Document,
	own string) release.Output {
	for _, again := range renders {
		for name := range shapesOf(out.Docs, again) {
			names[name] = true
		}
	}
	files := map[string]bool{}
	for name := range names {
		files[TemplateFile(c, name)] = true
	}
	if any {
		files = map[string]bool{path.Join(c.Dir, "Chart.yaml"): true}
	}
	out.Docs = slices.DeleteFunc(slices.Clone(out.Docs), func(d document.Document) bool { return any || names[d.File] })
	for _, file := range slices.Sorted(maps.Keys(files)) {
		out.Holes = append(out.Holes, object.Hole{Kind: object.Random, What: file + ", which draws what it gives",
			Where: object.FileStart(file), Reason: file + ": a draw or the time decides what it gives",
			Remedy: "let a value decide it", Own: own})
	}
	return out
}

// shapesOf are the templates that give other objects, other fields of one, or other numbers in a second render.
func shapesOf(first, second []document.Document) map[string]bool {
	shape := func(docs []document.Document) map[string]string {
		out := map[string]string{}
		for _, d := range docs {
			kind := document.GVK(d.Content)
			out[d.File] += fmt.Sprint(kind, " ")
			if kind.Kind == "Secret" || kind.Kind == "ConfigMap" {
				continue // their keys do not matter
			}
			var paths []string
			fieldpath.Leaves(d.Content, nil, func(p fieldpath.Path, v any) {
				if _, text := v.(string); text { // which is masked where it differs
					v = nil
				}
				paths = append(paths, fmt.Sprint(p, v))
			})
			slices.Sort(paths)
			out[d.File] += strings.Join(paths, " ") + "\n"
		}
		return out
	}
	a, b := shape(first), shape(second)
	out := map[string]bool{}
	for name, text := range a {
		if b[name] != text {
			out[name] = true
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out[name] = true
		}
	}
	return out
}
