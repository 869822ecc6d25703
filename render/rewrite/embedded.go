package rewrite

import (
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// embedded is YAML in a block scalar of a file, such as a kustomization's patch or an Application's values.
type embedded struct {
	sourceText
	within sourceText
	first  int // line of the file on which it begins
	indent int // spaces before each of its lines
}

// embeddedAt is what a line of a file stands in; false where that is no block scalar, or one that is no YAML.
func (t sourceText) embeddedAt(line int) (embedded, bool) {
	var block *yaml3.Node
	for _, root := range t.roots {
		if root == nil {
			continue
		}
		document.Walk(root, func(n *yaml3.Node) {
			literal := n.Kind == yaml3.ScalarNode && n.Style&yaml3.LiteralStyle != 0
			if literal && n.Line < line && line <= n.Line+strings.Count(n.Value, "\n")+1 {
				block = n
			}
		})
	}
	if block == nil {
		return embedded{}, false
	}
	first := t.text[t.offset(block.Line+1, 1):t.lineEnd(block.Line+1)]
	e := embedded{within: t, first: block.Line + 1, indent: len(first) - len(strings.TrimLeft(first, " "))}
	inner, ok := sourceOf(block.Value)
	e.sourceText = inner
	return e, ok && e.indent > 0 && e.stands()
}

// stands reports whether the embedded text consists of the file's lines without their indent, so that places
// correspond.
func (e embedded) stands() bool {
	pad := strings.Repeat(" ", e.indent)
	for i, line := range strings.Split(strings.TrimSuffix(e.text, "\n"), "\n") {
		n := e.first + i
		if n > len(e.within.lines) {
			return false
		}
		is := strings.TrimSuffix(e.within.text[e.within.lines[n-1]:e.within.lineEnd(n)], "\n")
		if is != pad+line && (line != "" || strings.TrimLeft(is, " ") != "") {
			return false
		}
	}
	return true
}

// outside is a splice of the embedded text as one of the file.
func (e embedded) outside(s splice) splice {
	pad := strings.Repeat(" ", e.indent)
	at := func(offset int) int {
		line := strings.Count(e.text[:offset], "\n")
		column := offset - e.lines[line]
		start := e.within.offset(e.first+line, 1)
		if column == 0 {
			return start
		}
		return start + e.indent + column
	}
	text := s.text
	lines := strings.Split(text, "\n")
	for i := range lines {
		if lines[i] != "" && (i > 0 || s.from == e.lines[strings.Count(e.text[:s.from], "\n")]) {
			lines[i] = pad + lines[i]
		}
	}
	return splice{at(s.from), at(s.to), strings.Join(lines, "\n")}
}
