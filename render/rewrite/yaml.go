package rewrite

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// sourceText is a file of YAML with its nodes and the offsets of its lines.
type sourceText struct {
	text  string
	lines []int // offset of each line
	roots []*yaml3.Node
}

// readSource reads a file of the recipe; false where it is no YAML, such as a template.
func readSource(j *release.Recipe, file string) (sourceText, bool) {
	b, ok := j.Files[file]
	if !ok {
		return sourceText{}, false
	}
	return sourceOf(string(b))
}

// sourceOf reads a text; false where it is no YAML.
func sourceOf(b string) (sourceText, bool) {
	t := sourceText{text: b, lines: []int{0}, roots: document.Nodes([]byte(b))}
	for i := range b {
		if b[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t, len(t.roots) > 0
}

// yamlEntry is a value with the key it stands under, or a list item or root without one.
type yamlEntry struct {
	key, value *yaml3.Node
	parent     *yaml3.Node // nil for a root
	flow       bool        // the parent is written in braces or brackets
}

func (e yamlEntry) start() *yaml3.Node {
	if e.key != nil {
		return e.key
	}
	return e.value
}

// entryAt is the outermost entry that begins at a line and column and is as it is asked for.
func (t sourceText) entryAt(line, column int, is func(yamlEntry) bool) (yamlEntry, bool) {
	var found yamlEntry
	var walk func(e yamlEntry, flow bool)
	walk = func(e yamlEntry, flow bool) {
		if s := e.start(); s.Line == line && s.Column == column && found.value == nil && is(e) {
			found = e
		}
		flow = flow || e.value.Style&yaml3.FlowStyle != 0
		switch e.value.Kind {
		case yaml3.MappingNode:
			for i := 0; i+1 < len(e.value.Content); i += 2 {
				walk(yamlEntry{e.value.Content[i], e.value.Content[i+1], e.value, flow}, flow)
			}
		case yaml3.SequenceNode:
			for _, item := range e.value.Content {
				walk(yamlEntry{nil, item, e.value, flow}, flow)
			}
		}
	}
	for _, root := range t.roots {
		if root != nil {
			walk(yamlEntry{value: root}, false)
		}
	}
	return found, found.value != nil && found.value.Kind != yaml3.AliasNode && found.value.Anchor == ""
}

func hasName(e yamlEntry) bool   { return e.key != nil }
func isMapping(e yamlEntry) bool { return e.value.Kind == yaml3.MappingNode }

// offset of a line and column, which counts characters.
func (t sourceText) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.text)
	}
	at := t.lines[line-1]
	for ; column > 1 && at < len(t.text); column-- {
		_, n := utf8.DecodeRuneInString(t.text[at:])
		at += n
	}
	return at
}

// lineEnd is the offset behind a line, with its end.
func (t sourceText) lineEnd(line int) int {
	if line >= len(t.lines) {
		return len(t.text)
	}
	return t.lines[line]
}

// replace writes another value under a key, or another key, or takes the key out.
func (t sourceText) replace(e yamlEntry, a atom) (splice, bool) {
	if e.key == nil || e.key.Value != a.path[len(a.path)-1].Name() && a.name != "" {
		return splice{}, false
	}
	from, to, ok := t.extent(e)
	switch {
	case !ok:
		return splice{}, false
	case a.value == nil:
		return t.remove(e, to)
	case e.flow && a.name != "":
		text := inFlow(map[string]any{a.name: a.value})
		return splice{t.offset(e.key.Line, e.key.Column), to, text[1 : len(text)-1]}, true
	case e.flow, a.name == "" && (!composite(a.value) || e.value.Style&yaml3.FlowStyle != 0):
		return splice{from, to, inFlow(a.value)}, true
	}
	text := inBlock(map[string]any{cmp.Or(a.name, e.key.Value): a.value}, e.key.Column-1)
	return splice{t.offset(e.key.Line, e.key.Column), to, strings.TrimSpace(text)}, true
}

func composite(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) > 0
	case []any:
		return len(x) > 0
	}
	return false
}

// remove takes a key with its value out: whole lines of a block, or the part of a flow
// mapping. The only key of a mapping stays, and one on the line of a list item's dash.
func (t sourceText) remove(e yamlEntry, to int) (splice, bool) {
	if len(e.parent.Content) <= 2 {
		return splice{}, false
	}
	at := t.offset(e.key.Line, e.key.Column)
	if !e.flow {
		if strings.TrimSpace(t.text[t.lines[e.key.Line-1]:at]) != "" {
			return splice{}, false
		}
		end := to
		if i := strings.IndexByte(t.text[to:], '\n'); i >= 0 {
			end = to + i + 1
		}
		return splice{t.lines[e.key.Line-1], end, ""}, true
	}
	rest := strings.TrimLeft(t.text[to:], " ")
	if strings.HasPrefix(rest, ",") {
		rest = strings.TrimLeft(rest[1:], " ")
		return splice{at, len(t.text) - len(rest), ""}, true
	}
	head := strings.TrimRight(t.text[:at], " ")
	return splice{len(strings.TrimSuffix(head, ",")), to, ""}, strings.HasSuffix(head, ",")
}

// extent is where a value begins and ends.
func (t sourceText) extent(e yamlEntry) (from, to int, ok bool) {
	from = t.offset(e.value.Line, e.value.Column)
	switch {
	case e.value.Kind == yaml3.ScalarNode && e.value.Style&(yaml3.LiteralStyle|yaml3.FoldedStyle) != 0:
		return 0, 0, false
	case e.value.Style&yaml3.FlowStyle != 0, e.value.Kind == yaml3.ScalarNode &&
		e.value.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle) != 0:
		n := closing(t.text[from:])
		return from, from + n, n > 0
	case e.value.Kind == yaml3.ScalarNode && e.value.Tag == "!!null" && e.value.Value == "":
		return 0, 0, false
	case e.value.Kind == yaml3.ScalarNode:
		line := t.text[from:t.lineEnd(e.value.Line)]
		stop := "\r\n"
		if e.flow {
			stop += ",}]"
		}
		if i := strings.IndexAny(line, stop); i >= 0 {
			line = line[:i]
		}
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		line = strings.TrimRight(line, " \t")
		return from, from + len(line), line == e.value.Value
	}
	last := t.lastLine(e)
	end := t.lineEnd(last)
	return from, len(strings.TrimRight(t.text[:end], " \t\r\n")), true
}

// lastLine is the last line of a block value: those that follow and are indented deeper
// than its key, or are the items of its list.
func (t sourceText) lastLine(e yamlEntry) int {
	indent := e.start().Column - 1
	last := max(e.value.Line, e.start().Line)
	for n := e.start().Line + 1; n <= len(t.lines); n++ {
		line := strings.TrimRight(t.text[t.lines[n-1]:t.lineEnd(n)], "\r\n")
		body := strings.TrimLeft(line, " ")
		own := len(line) - len(body)
		item := e.key != nil && e.value.Kind == yaml3.SequenceNode && own == indent && strings.HasPrefix(body, "-") &&
			!strings.HasPrefix(body, "---")
		switch {
		case body == "" || strings.HasPrefix(body, "#"):
		case own > indent || item:
			last = n
		default:
			return last
		}
	}
	return last
}

// closing is the length of a text in brackets or quotes at the beginning of a string; 0
// where it does not end.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(s))
			}
		case '\'':
			for i++; i < len(s); i++ {
				if s[i] == '\'' {
					if i+1 < len(s) && s[i+1] == '\'' {
						i++
						continue
					}
					break
				}
			}
			if depth == 0 {
				return min(i+1, len(s))
			}
		}
	}
	return 0
}

// insert adds a key to a mapping, before its first one; to that of a list item, after the
// first one.
func (t sourceText) insert(e yamlEntry, name string, value any) (splice, bool) {
	m := e.value
	if m.Kind != yaml3.MappingNode {
		return splice{}, false
	}
	if m.Style&yaml3.FlowStyle != 0 || e.flow {
		at := t.offset(m.Line, m.Column)
		if at >= len(t.text) || t.text[at] != '{' {
			return splice{}, false
		}
		text := inFlow(map[string]any{name: value})
		text = text[1 : len(text)-1]
		n := closing(t.text[at:])
		if n == 0 {
			return splice{}, false
		}
		head := strings.TrimRight(t.text[:at+n-1], " \t\r\n")
		if len(m.Content) > 0 {
			text = ", " + text
			if strings.HasSuffix(head, ",") {
				text = text[1:]
			}
		}
		return splice{len(head), len(head), text}, true
	}
	if len(m.Content) == 0 {
		return splice{}, false
	}
	first := m.Content[0]
	at := t.lines[first.Line-1]
	if i := keyOf(m, "metadata"); e.parent == nil && i >= 0 && keyOf(m, "apiVersion") >= 0 { // below its head
		k := m.Content[i]
		at = t.lineEnd(t.lastLine(yamlEntry{key: k, value: m.Content[i+1], parent: m}))
		text := inBlock(map[string]any{name: value}, k.Column-1)
		if at > 0 && t.text[at-1] != '\n' {
			text = "\n" + strings.TrimSuffix(text, "\n")
		}
		return splice{at, at, text}, true
	}
	if strings.TrimSpace(t.text[at:t.offset(first.Line, first.Column)]) != "" { // behind a dash
		at = t.lineEnd(t.lastLine(yamlEntry{key: first, value: m.Content[1], parent: m}))
	}
	text := inBlock(map[string]any{name: value}, first.Column-1)
	if at > 0 && t.text[at-1] != '\n' {
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	return splice{at, at, text}, true
}

// keyOf is the place of a key among the contents of a mapping; -1: it does not have it.
func keyOf(m *yaml3.Node, name string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// inFlow writes a value on one line.
func inFlow(v any) string {
	var n yaml3.Node
	if err := n.Encode(v); err != nil {
		return "null"
	}
	document.Walk(&n, func(x *yaml3.Node) {
		if x.Kind == yaml3.MappingNode || x.Kind == yaml3.SequenceNode {
			x.Style |= yaml3.FlowStyle
		}
	})
	b, err := yaml3.Marshal(&n)
	if err != nil {
		return "null"
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

// inBlock writes a value as lines that are indented by so many spaces.
func inBlock(v any, indent int) string {
	var b bytes.Buffer
	var n yaml3.Node
	enc := yaml3.NewEncoder(&b)
	enc.SetIndent(2)
	if err := n.Encode(v); err != nil {
		return ""
	}
	document.Walk(&n, func(x *yaml3.Node) { // a list of words stands on one line
		if x.Kind == yaml3.SequenceNode &&
			!slices.ContainsFunc(x.Content, func(e *yaml3.Node) bool { return e.Kind != yaml3.ScalarNode }) {
			x.Style |= yaml3.FlowStyle
		}
	})
	if err := enc.Encode(&n); err != nil {
		return ""
	}
	pad := strings.Repeat(" ", indent)
	var out strings.Builder
	for _, l := range strings.SplitAfter(b.String(), "\n") {
		if l != "" {
			out.WriteString(pad + l)
		}
	}
	return out.String()
}
