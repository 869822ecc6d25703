package helm

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	yaml3 "go.yaml.in/yaml/v3"
	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Helm takes any value, and says nothing of one that no template reads: a misspelt one, or one in the wrong place.

// mostUnread bounds the values of a release that are looked for in its templates.
const mostUnread = 30

// mostKey is the longest key that is looked for, in bytes.
const mostKey = 100

// Unread are the values that the change gives a chart, that nothing in the chart reads, and for which it has a value of
// nearly the same name in that place, or one of the same name in another. base is nil for a release that comes.
func Unread(base, head *release.Recipe) []object.Note {
	if head == nil || head.Chart == nil || head.Chart.Lacks != nil || len(head.Chart.Lost) > 0 {
		return nil
	}
	if base != nil && (base.Chart == nil || sameValues(base, head)) {
		return nil
	}
	ch, vals, _, f := loadWithValues(head.Chart, head.Files)
	if f != nil {
		return nil
	}
	u := newUnread(ch)
	for _, p := range head.Chart.Values { // a text of theirs may name others
		if b := head.Files[p]; bytes.Contains(b, []byte("{{")) {
			u.said = append(u.said, b...)
		}
	}
	was := map[string]any{}
	if base != nil {
		old, given, _, f := loadWithValues(base.Chart, base.Files)
		if f != nil {
			return nil
		}
		was = given
		if bytes.Equal(newUnread(old).text(old), u.text(ch)) {
			// Its values alone change, so that those of base are the ones that it reads.
			was, vals, u.known = MergeValues(old.Values, given), MergeValues(ch.Values, vals), old.Values
		}
	}
	u.visit(ch, u.known, vals, was, nil, nil)
	var out []object.Note
	for _, x := range u.found {
		at := placeOf(head, x.path)
		if at.File == "" {
			continue
		}
		out = append(out, object.Say(object.UnreadValue, strings.Join(x.path, "."), x.near).At(at))
	}
	return out
}

// sameValues reports whether two recipes give their charts the same, apart from what fetched charts have themselves.
func sameValues(a, b *release.Recipe) bool {
	files := func(j *release.Recipe) (out [][]byte) {
		for _, p := range append(slices.Clone(j.Chart.Values), j.Chart.OwnValues...) {
			out = append(out, j.Files[p])
		}
		return append(out, j.Files[j.Chart.Names["values.yaml"]])
	}
	x, y := a.Chart, b.Chart
	return slices.EqualFunc(files(a), files(b), bytes.Equal) && reflect.DeepEqual(x.Inline, y.Inline) &&
		maps.Equal(x.Set, y.Set) && maps.Equal(x.SetString, y.SetString)
}

// unread looks for the values of a chart that nothing reads.
type unread struct {
	chart *chart.Chart
	texts map[*chart.Chart][]byte // what may read values, by chart
	whole map[*chart.Chart]bool   // whether it may read any
	said  []byte                  // values in which templates stand
	known map[string]any          // the chart's own values, before the change
	tries int
	found []unreadValue
}

func newUnread(ch *chart.Chart) *unread {
	return &unread{chart: ch, texts: map[*chart.Chart][]byte{}, whole: map[*chart.Chart]bool{}, known: ch.Values}
}

type unreadValue struct {
	path []string
	near string // the value that may be meant
}

// visit looks at the values below a path that change. known are the chart's own there; local is the path in the chart
// ch, which is that of the part that the values are for.
func (u *unread) visit(ch *chart.Chart, known, now, was map[string]any, at, local []string) {
	for _, key := range slices.Sorted(maps.Keys(now)) {
		before, there := was[key]
		if there && reflect.DeepEqual(before, now[key]) || key == "global" && len(local) == 0 {
			continue
		}
		p, here := append(slices.Clone(at), key), append(slices.Clone(local), key)
		below, isMap := now[key].(map[string]any)
		wasBelow, _ := before.(map[string]any)
		if part := partOf(ch, key); part != nil && len(local) == 0 {
			if isMap {
				own := maps.Clone(part.Values)
				if above, is := known[key].(map[string]any); is {
					own = MergeValues(own, above)
				}
				u.visit(part, own, below, wasBelow, p, nil)
			}
			continue
		}
		own, declared := known[key]
		ownBelow, declaredMap := own.(map[string]any)
		switch {
		case declared && isMap && declaredMap && len(ownBelow) > 0:
			u.visit(ch, ownBelow, below, wasBelow, p, here)
		case declared || u.tries >= mostUnread || len(key) > mostKey:
		default:
			if u.tries++; !u.reads(ch, here) && (ch == u.chart || !u.reads(u.chart, p)) {
				if near := u.near(ch, known, at, here); near != "" {
					u.found = append(u.found, unreadValue{p, near})
				}
			}
		}
	}
}

// partOf is the chart that a key of a chart's values is for; nil: it is the chart itself.
func partOf(ch *chart.Chart, key string) *chart.Chart {
	for _, d := range ch.Metadata.Dependencies {
		if d.Alias == key || d.Alias == "" && d.Name == key {
			for _, part := range ch.Dependencies() {
				if part.Name() == d.Name {
					return part
				}
			}
		}
	}
	for _, part := range ch.Dependencies() {
		if part.Name() == key {
			return part
		}
	}
	return nil
}

// partKeys are the keys of a chart's values that are for its parts.
func partKeys(ch *chart.Chart) []string {
	var out []string
	for _, d := range ch.Metadata.Dependencies {
		out = append(out, cmp.Or(d.Alias, d.Name))
	}
	for _, part := range ch.Dependencies() {
		out = append(out, part.Name())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// text is all that may read a value of a chart: its own templates, and those of its parts that it may include.
func (u *unread) text(ch *chart.Chart) []byte {
	if b, ok := u.texts[ch]; ok {
		return b
	}
	var out bytes.Buffer
	for _, list := range [][]*chart.File{ch.Templates, ch.Files} {
		for _, f := range list {
			out.Write(f.Data)
			out.WriteByte('\n')
		}
	}
	out.Write(ch.Schema)
	for _, d := range ch.Metadata.Dependencies {
		out.WriteString("\n.Values." + strings.ReplaceAll(d.Condition, ",", "\n.Values.") + "\n")
		if len(d.Tags) > 0 {
			out.WriteString(".Values.tags\n")
		}
	}
	for _, f := range ch.Raw {
		if f.Name == "values.yaml" && bytes.Contains(f.Data, []byte("{{")) {
			out.Write(f.Data)
		}
	}
	includes := bytes.Contains(out.Bytes(), []byte("include")) || bytes.Contains(out.Bytes(), []byte("template"))
	for _, part := range ch.Dependencies() {
		for _, f := range part.Templates {
			if includes && (part.Metadata.Type == "library" || strings.HasPrefix(path.Base(f.Name), "_")) {
				out.Write(f.Data)
			}
		}
	}
	u.texts[ch] = append(out.Bytes(), u.said...)
	u.whole[ch] = wholeValues.Match(u.texts[ch])
	return u.texts[ch]
}

var (
	// wholeValues takes the values as a whole in a way that may read any: under a name that is not written out.
	wholeValues = regexp.MustCompile(`(?:toYaml|toJson|toRawJson|range|merge|Merge|overwrite|Overwrite|deepCopy|values|set|pick|omit|tpl|get|index|dig|dict)` +
		`[^\n{}]*Values(?:[^.\w]|$)`)
	bareValues = regexp.MustCompile(`Values(?:[^.\w]|$)`)
)

// reads reports whether anything of a chart may read a value.
func (u *unread) reads(ch *chart.Chart, p []string) bool {
	text, key := u.text(ch), p[len(p)-1]
	word := regexp.QuoteMeta(key)
	if u.whole[ch] {
		return true
	}
	for i := 1; i < len(p); i++ { // what is taken as a whole
		if regexp.MustCompile(`Values\.` + regexp.QuoteMeta(strings.Join(p[:i], ".")) + `(?:[^.\w]|$)`).Match(text) {
			return true
		}
	}
	if !bytes.Contains(text, []byte(key)) {
		return false
	}
	if regexp.MustCompile("[\"'`]"+word+"[\"'`.]").Match(text) ||
		bareValues.Match(text) && regexp.MustCompile(`\.`+word+`\b`).Match(text) {
		return true
	}
	return regexp.MustCompile(`Values\.` + regexp.QuoteMeta(strings.Join(p, ".")) + `\b`).Match(text)
}

// near is the value that may be meant by one that nothing reads, as it is written from the top; "": there is none.
func (u *unread) near(ch *chart.Chart, known map[string]any, at, local []string) string {
	key := local[len(local)-1]
	best, least := "", max(1, min(2, len(key)/4))
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if d := levenshtein.Distance(strings.ToLower(key), strings.ToLower(name), nil); len(key) > 3 && d <= least {
			best, least = strings.Join(append(slices.Clone(at), name), "."), d-1
		}
	}
	if best != "" {
		return best
	}
	var elsewhere []string
	var visit func(ch *chart.Chart, values map[string]any, at, local []string)
	visit = func(ch *chart.Chart, values map[string]any, at, local []string) {
		for name, v := range values {
			p, here := append(slices.Clone(at), name), append(slices.Clone(local), name)
			if len(local) == 0 && partOf(ch, name) != nil {
				continue
			}
			if name == key && u.reads(ch, here) {
				elsewhere = append(elsewhere, strings.Join(p, "."))
			}
			if m, is := v.(map[string]any); is {
				visit(ch, m, p, here)
			}
		}
		for _, name := range partKeys(ch) {
			if part := partOf(ch, name); len(local) == 0 && part != nil {
				visit(part, part.Values, append(slices.Clone(at), name), nil)
			}
		}
	}
	visit(u.chart, u.known, nil, nil)
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	return ""
}

// placeOf is where a release is given a value: the last of its files that has it, or its declaration.
func placeOf(j *release.Recipe, p []string) object.Location {
	files := slices.Clone(j.Chart.Values)
	slices.Reverse(files)
	for _, f := range append(files, append(slices.Clone(j.Chart.OwnValues), path.Join(j.Chart.Dir, "values.yaml"))...) {
		for _, n := range document.Nodes(j.Files[f]) {
			if line := lineOf(n, p); line > 0 {
				return object.LineOf(f, line, strings.Join(p, "."))
			}
		}
	}
	if by := j.Release.By.File; by != "" {
		for _, n := range document.Nodes(j.Files[by]) {
			if line := lineBelow(n, p); line > 0 {
				return object.LineOf(by, line, strings.Join(p, "."))
			}
		}
	}
	return object.Location{}
}

// lineOf is the line of the key at the end of a path; 0: it is not there.
func lineOf(n *yaml3.Node, keys []string) int {
	var p fieldpath.Path
	for _, k := range keys {
		p = append(p, fieldpath.Key(k))
	}
	at, depth := document.Descend(n, p)
	switch {
	case depth < len(p):
		return 0
	case at.Key == nil: // merged into the map
		return at.Value.Line
	}
	return at.Key.Line
}

// lineBelow is that of a path in values which stand somewhere in a declaration.
func lineBelow(n *yaml3.Node, keys []string) (line int) {
	document.Walk(n, func(m *yaml3.Node) {
		for _, name := range []string{"values", "valuesObject"} {
			if v := document.Child(m, fieldpath.Key(name)); line == 0 && m.Kind == yaml3.MappingNode && v != nil {
				line = lineOf(v, keys)
			}
		}
	})
	return line
}
