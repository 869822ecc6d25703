package document

import (
	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

func Walk(n *yaml3.Node, f func(*yaml3.Node)) {
	f(n)
	for _, c := range n.Content {
		Walk(c, f)
	}
}

// Nodes gives the root node of each document of a stream, nil for one that is
// empty or broken, or where there are too many, with lines counted in the stream.
func Nodes(b []byte) []*yaml3.Node {
	raws := Split(UTF8(b))
	list := make([]*yaml3.Node, len(raws))
	if TooMany(len(raws), func(i int) []byte { return raws[i].Text }) != nil {
		return list
	}
	for i, raw := range raws {
		var doc yaml3.Node
		if Blank(raw.Text) || yaml3.Unmarshal(raw.Text, &doc) != nil || len(doc.Content) == 0 {
			continue
		}
		Walk(&doc, func(n *yaml3.Node) { n.Line += raw.line - 1 })
		list[i] = doc.Content[0]
	}
	return list
}

// Only gives the root node of a file that holds one document, such as a chart's values or a kustomization; nil where
// there is none. Three dashes may stand before the document.
func Only(list []*yaml3.Node) *yaml3.Node {
	for _, n := range list {
		if n != nil {
			return n
		}
	}
	return nil
}

// Child is the value node one step down, or nil.
func Child(n *yaml3.Node, s fieldpath.Step) *yaml3.Node {
	n = ResolveAlias(n)
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s.Name() {
				return n.Content[i+1]
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" {
				if c := Child(n.Content[i+1], s); c != nil {
					return c
				}
			}
		}
	case yaml3.SequenceNode:
		if s.Index >= 0 && s.Index < len(n.Content) {
			return n.Content[s.Index]
		}
	}
	return nil
}

func ResolveAlias(n *yaml3.Node) *yaml3.Node {
	for hops := 0; n != nil && n.Kind == yaml3.AliasNode && hops < 10; hops++ {
		n = n.Alias
	}
	return n
}

// Region is a node with the key it stands under.
type Region struct{ Key, Value *yaml3.Node }

// Descend follows a path as far as there are nodes, and says how far it came.
func Descend(root *yaml3.Node, p fieldpath.Path) (Region, int) {
	at := Region{Value: root}
	for i, s := range p {
		next := Child(at.Value, s)
		if next == nil {
			return at, i
		}
		at = Region{Key: KeyNode(at.Value, s), Value: next}
	}
	return at, len(p)
}

// KeyNode is the key's own node.
func KeyNode(n *yaml3.Node, s fieldpath.Step) *yaml3.Node {
	n = ResolveAlias(n)
	if n == nil || n.Kind != yaml3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == s.Name() {
			return n.Content[i]
		}
	}
	return nil
}

// NodeRegion is the region of a field: from its key to the end of its value, on one line
// for a scalar, else the line of its key.
func NodeRegion(file string, r Region, found bool) object.Location {
	start := r.Value
	if r.Key != nil {
		start = r.Key
	}
	loc := object.Location{File: file, StartLine: max(start.Line, 1), StartColumn: max(start.Column, 1), Rung: "node"}
	loc.EndLine, loc.EndColumn = loc.StartLine, loc.StartColumn+max(len([]rune(start.Value)), 1)
	if v := r.Value; found && v.Kind == yaml3.ScalarNode && v.Line == loc.StartLine &&
		v.Style&(yaml3.LiteralStyle|yaml3.FoldedStyle) == 0 {
		width := len([]rune(v.Value))
		if v.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle) != 0 {
			width += 2
		}
		loc.EndColumn = max(v.Column+width, loc.EndColumn)
	}
	return loc
}
