package locate

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// TemplateText is the text of a template, searched line by line.
type TemplateText struct{ lines []string }

// NewTemplateText reads a template; a template in an archive has no lines that could be named.
func NewTemplateText(b []byte, archive bool) TemplateText {
	if archive {
		return TemplateText{}
	}
	return TemplateText{strings.Split(string(bytes.TrimSuffix(b, []byte("\n"))), "\n")}
}

var valuesRef = regexp.MustCompile(`\.Values((?:\.[A-Za-z0-9_-]+)+)`)

// mentions lists the values that a template names at a field: on its line, on the following lines without a key, and on
// the with or range around it.
func (t TemplateText) mentions(line, depth int, p fieldpath.Path) []fieldpath.Path {
	var out []fieldpath.Path
	add := func(text string) {
		for _, m := range valuesRef.FindAllStringSubmatch(text, -1) {
			ref := fieldpath.Parse(strings.TrimPrefix(m[1], "."))
			out = append(out, append(append(fieldpath.Path(nil), ref...), p[min(depth, len(p)):]...), ref)
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

// Find gives the line of a template that writes a field, and how many steps of the path
// were found: its keys one after the other, each indented deeper than the one before.
// It is a search in text: a template is no YAML.
func (t TemplateText) Find(d document.Document, p fieldpath.Path) (line, depth int) {
	at := t.start(d)
	line = at + 1
	indent := -1
	for i, s := range p {
		next, in := -1, 0
		if s.Index >= 0 {
			next, in = t.item(at, indent, s.Index)
		} else {
			next, in = t.key(at, indent, s.Key, i > 0 && p[i-1].Index >= 0)
		}
		if next < 0 {
			return line, depth
		}
		at, indent, line, depth = next, in, next+1, i+1
	}
	return line, depth
}

var kindOf = regexp.MustCompile(`^["']?kind["']?\s*:\s*["']?([A-Za-z]+)`)

// start is the index of the line at which a document of the output begins: the place of
// its kind, counted among equal ones, or of its separator.
func (t TemplateText) start(d document.Document) int {
	want := document.GVK(d.Content).Kind
	var kinds []int
	for i, l := range t.lines {
		if m := kindOf.FindStringSubmatch(strings.TrimSpace(l)); m != nil && m[1] == want && !strings.HasPrefix(l, "  ") {
			kinds = append(kinds, i)
		}
	}
	if len(kinds) == 0 {
		return 0
	}
	at := kinds[0]
	if len(kinds) > 1 {
		name, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("name")}.Get(d.Content)
		text, _ := name.(string)
		at = kinds[min(d.Doc, len(kinds)-1)]
		for _, k := range kinds {
			if t.namedNear(k, text) {
				at = k
				break
			}
		}
	}
	for at > 0 { // up to the separator, or the first line that is no part of the object
		l := strings.TrimSpace(t.lines[at-1])
		if strings.HasPrefix(l, "---") || strings.HasPrefix(l, "{{") || l == "" || strings.HasPrefix(l, "#") {
			break
		}
		at--
	}
	return at
}

// namedNear reports whether the name line after a kind ends like a name.
func (t TemplateText) namedNear(from int, name string) bool {
	for i := from; i < len(t.lines) && i < from+8; i++ {
		l := strings.TrimSpace(t.lines[i])
		if rest, ok := strings.CutPrefix(l, "name:"); ok {
			rest = strings.TrimSpace(rest)
			tail := rest[strings.LastIndex(rest, "}")+1:]
			return name != "" && tail != "" && strings.HasSuffix(name, tail)
		}
	}
	return false
}

// key finds the line with a key of the block below a line: in the column of the first key there, or else, since
// templates indent as they like, the next one that is indented deeper than indent. inItem says that the key may stand
// behind the dash of a list item, or beside it.
func (t TemplateText) key(at, indent int, name string, inItem bool) (line, in int) {
	column, deeper, lists := -1, -1, false
	for i := at; i < len(t.lines); i++ {
		l := t.lines[i]
		text := strings.TrimLeft(l, " ")
		own := len(l) - len(text)
		if text == "" || strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "---") && i > at {
			break
		}
		item := strings.HasPrefix(text, "- ")
		if i > at && own <= indent && !(item && own == indent && !inItem) {
			break // the block has ended
		}
		if item {
			lists = lists || inItem && i > at // of lists below the item
			trimmed := strings.TrimLeft(text[2:], " ")
			own += len(text) - len(trimmed)
			text = trimmed
		}
		if text == "-" || own <= indent && (i != at || !inItem) {
			continue
		}
		if column < 0 {
			column = own
		}
		switch {
		case !HasKey(text, name):
		case own == column:
			return i, own
		case deeper < 0 && !lists:
			deeper, in = i, own
		}
	}
	return deeper, in
}

// HasKey reports whether a text has a key of that name.
func HasKey(text, name string) bool {
	for _, quote := range []string{"", `"`, "'"} {
		rest, ok := strings.CutPrefix(text, quote+name+quote)
		if ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":") {
			return true
		}
	}
	return false
}

// item finds the index-th list item below a line, or the last one there is: a range
// writes one item's text for many.
func (t TemplateText) item(at, indent, index int) (line, in int) {
	found, column := -1, -1
	for i := at + 1; i < len(t.lines); i++ {
		l := t.lines[i]
		text := strings.TrimLeft(l, " ")
		own := len(l) - len(text)
		if text == "" || strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "#") {
			continue
		}
		isItem := strings.HasPrefix(text, "- ") || text == "-"
		if own < indent || own == indent && !isItem || strings.HasPrefix(text, "---") {
			break
		}
		if !isItem || column >= 0 && own != column {
			continue
		}
		found, column = i, own
		if index == 0 {
			break
		}
		index--
	}
	return found, column
}
