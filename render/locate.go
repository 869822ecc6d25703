package render

import (
	"sync"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// newLocator gives the function that finds the source of each document's fields.
func newLocator(s *source, j *job, opt Options) func(d document) func(string) Location {
	l := &locator{src: s, job: j, opt: opt, nodes: map[string][]*yaml3.Node{}, kusts: map[string]*kustomization{}, trials: map[string]*trials{},
		leaves: map[leavesKey][]valuesLeaf{}, overlays: map[*Overlay]*overlayText{}}
	return func(d document) func(string) Location {
		var mu sync.Mutex
		cache := map[string]Location{}
		return func(path string) Location {
			mu.Lock()
			defer mu.Unlock()
			if at, ok := cache[path]; ok {
				return at
			}
			at := j.placed(l.locate(d, fieldpath.Parse(path)))
			at.File = s.real(at.File)
			cache[path] = at
			return at
		}
	}
}

// locator finds where fields of one release's objects were set.
type locator struct {
	src   *source
	job   *job
	opt   Options // for counterfactual renders, which run where the first one ran
	mu    sync.Mutex
	nodes map[string][]*yaml3.Node // documents of a file
	kusts map[string]*kustomization
	// trials are the counterfactual renders of each chart, by its folder.
	trials   map[string]*trials
	leaves   map[leavesKey][]valuesLeaf
	overlays map[*Overlay]*overlayText
}

func (l *locator) locate(d document, p fieldpath.Path) Location {
	switch l.job.Release.Kind {
	case Helm:
		return l.inHelm(d, p)
	case Kustomize:
		return l.inKustomize(d, p)
	default:
		return l.inPlain(d, p)
	}
}

// inPlain is the node of a plain manifest.
func (l *locator) inPlain(d document, p fieldpath.Path) Location {
	root := l.node(d.File, d.Doc)
	for _, i := range d.Items {
		root = child(child(root, fieldpath.Key("items")), fieldpath.At(i))
	}
	if root == nil {
		return lineOf(d.File, d.Line, "node")
	}
	n, depth := descend(root, p)
	return nodeRegion(d.File, n, depth > 0)
}

// node is the root node of a document, or nil.
func (l *locator) node(file string, doc int) *yaml3.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.nodes[file]
	if !ok {
		list = parseNodes(l.job.Files[file])
		l.nodes[file] = list
	}
	if doc < 0 || doc >= len(list) {
		return nil
	}
	return list[doc]
}

// parseNodes gives the root node of each document of a stream, nil for one that is
// empty or broken, with lines counted in the stream.
func parseNodes(b []byte) []*yaml3.Node {
	var list []*yaml3.Node
	for _, raw := range splitDocuments(asUTF8(b)) {
		var doc yaml3.Node
		if err := yaml3.Unmarshal(raw.text, &doc); err != nil || len(doc.Content) == 0 {
			list = append(list, nil)
			continue
		}
		walkNodes(&doc, func(n *yaml3.Node) { n.Line += raw.line - 1 })
		list = append(list, doc.Content[0])
	}
	return list
}

// child is the value node one step down, or nil.
func child(n *yaml3.Node, s fieldpath.Step) *yaml3.Node {
	n = resolveAlias(n)
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
				if c := child(n.Content[i+1], s); c != nil {
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

func resolveAlias(n *yaml3.Node) *yaml3.Node {
	for hops := 0; n != nil && n.Kind == yaml3.AliasNode && hops < 10; hops++ {
		n = n.Alias
	}
	return n
}

// region is a node with the key it stands under.
type region struct{ key, value *yaml3.Node }

// descend follows a path as far as there are nodes, and says how far it came.
func descend(root *yaml3.Node, p fieldpath.Path) (region, int) {
	at := region{value: root}
	for i, s := range p {
		next := child(at.value, s)
		if next == nil {
			return at, i
		}
		at = region{key: keyNode(at.value, s), value: next}
	}
	return at, len(p)
}

// keyNode is the key's own node.
func keyNode(n *yaml3.Node, s fieldpath.Step) *yaml3.Node {
	n = resolveAlias(n)
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

// nodeRegion is the region of a field: from its key to the end of its value, on one line
// for a scalar, else the line of its key.
func nodeRegion(file string, r region, found bool) Location {
	start := r.value
	if r.key != nil {
		start = r.key
	}
	loc := Location{File: file, StartLine: max(start.Line, 1), StartColumn: max(start.Column, 1), Rung: "node"}
	loc.EndLine, loc.EndColumn = loc.StartLine, loc.StartColumn+max(len([]rune(start.Value)), 1)
	if v := r.value; found && v.Kind == yaml3.ScalarNode && v.Line == loc.StartLine && v.Style&(yaml3.LiteralStyle|yaml3.FoldedStyle) == 0 {
		width := len([]rune(v.Value))
		if v.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle) != 0 {
			width += 2
		}
		loc.EndColumn = max(v.Column+width, loc.EndColumn)
	}
	return loc
}
