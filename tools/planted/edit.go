package planted

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A document is one YAML document of a file, with the lines that it stands on.
type document struct {
	lines []string // of the whole file
	first int      // line before the document, counting from 0: node lines are relative to it
	root  *yaml.Node
}

// documentAt parses the document of a file that a line, counting from 1, belongs to.
func documentAt(file string, line int) (*document, error) {
	lines := strings.Split(file, "\n")
	start, end := 0, len(lines)
	for i, l := range lines {
		if !strings.HasPrefix(l, "---") {
			continue
		}
		if i < line {
			start = i + 1
		} else {
			end = i
			break
		}
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines[start:end], "\n")), &node); err != nil {
		return nil, err
	}
	if node.Kind != yaml.DocumentNode || node.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d is in no mapping", line)
	}
	return &document{lines: lines, first: start, root: node.Content[0]}, nil
}

// child gives the value of a key of a mapping, and the key.
func child(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func (d *document) scalar(path ...string) string {
	n := d.root
	for _, p := range path {
		_, n = child(n, p)
	}
	if n == nil {
		return ""
	}
	return n.Value
}

// set gives the file with a value at a path of keys, in the place of the old value, and the new lines, counting from 1.
// It edits text, as a person does: everything else stays as it is.
func (d *document) set(value any, path ...string) (string, []int, error) {
	n := d.root
	for i, p := range path {
		k, v := child(n, p)
		switch {
		case k == nil:
			return d.insert(n, path[i:], value)
		case i == len(path)-1:
			return d.replace(k, v, value)
		case v.Kind != yaml.MappingNode || v.Style&yaml.FlowStyle != 0 || len(v.Content) == 0:
			inner := map[string]any{}
			if v.Kind == yaml.MappingNode {
				if err := v.Decode(&inner); err != nil {
					return "", nil, err
				}
			}
			put(inner, path[i+1:], value)
			return d.replace(k, v, inner)
		}
		n = v
	}
	return "", nil, fmt.Errorf("no path")
}

// insert writes path and value as the first entry of a mapping.
func (d *document) insert(n *yaml.Node, path []string, value any) (string, []int, error) {
	if n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return "", nil, fmt.Errorf("line %d: an empty document", n.Line)
	}
	text, err := block(path, value, n.Content[0].Column-1)
	if err != nil {
		return "", nil, err
	}
	at := d.first + n.Content[0].Line - 1
	return d.splice(at, at, text)
}

// replace writes a value over a key's.
func (d *document) replace(key, v *yaml.Node, value any) (string, []int, error) {
	if v.Anchor != "" || v.Kind == yaml.AliasNode {
		return "", nil, fmt.Errorf("line %d: an anchor", key.Line)
	}
	text, err := block([]string{key.Value}, value, key.Column-1)
	if err != nil {
		return "", nil, err
	}
	from := d.first + key.Line - 1
	return d.splice(from, d.first+last(v), text)
}

// last is the last line of a node, counting from 1.
func last(n *yaml.Node) int {
	line := n.Line
	if n.Kind == yaml.ScalarNode && (n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0) {
		line += strings.Count(n.Value, "\n")
	}
	for _, c := range n.Content {
		line = max(line, last(c))
	}
	return line
}

// block is a value below a path of keys, indented.
func block(path []string, value any, indent int) ([]string, error) {
	for _, p := range slices.Backward(path) {
		value = map[string]any{p: value}
	}
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	var out []string
	for l := range strings.Lines(b.String()) {
		out = append(out, strings.Repeat(" ", indent)+strings.TrimRight(l, "\n"))
	}
	return out, nil
}

func (d *document) splice(from, to int, text []string) (string, []int, error) {
	var planted []int
	for i := range text {
		planted = append(planted, from+i+1)
	}
	return strings.Join(slices.Concat(d.lines[:from], text, d.lines[to:]), "\n"), planted, nil
}
