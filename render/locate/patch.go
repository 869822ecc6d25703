package locate

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// patchHits searches the patches of a kustomization, the last one first.
func (l *locator) patchHits(k *kustomize.File, root *yaml3.Node, q query) hit {
	best := hit{depth: -1}
	//lint:ignore SA1019 repositories still use the field
	merges, old := k.PatchesStrategicMerge, k.PatchesJson6902
	for i := len(old) - 1; i >= 0; i-- {
		h := l.patchHit(k, document.Child(document.Child(root, fieldpath.Key("patchesJson6902")), fieldpath.At(i)), old[i], q)
		if h.exact {
			return h
		}
		best = deeper(best, h)
	}
	for i := len(k.Patches) - 1; i >= 0; i-- {
		h := l.patchHit(k, document.Child(document.Child(root, fieldpath.Key("patches")), fieldpath.At(i)), k.Patches[i], q)
		if h.exact {
			return h
		}
		best = deeper(best, h)
	}
	for i := len(merges) - 1; i >= 0; i-- {
		node := document.Child(document.Child(root, fieldpath.Key("patchesStrategicMerge")), fieldpath.At(i))
		p := types.Patch{Path: string(merges[i])}
		if kustomize.IsInline(p.Path) {
			p = types.Patch{Patch: p.Path}
		}
		h := l.patchText(k, node, p, q)
		if h.exact {
			return h
		}
		best = deeper(best, h)
	}
	return best
}

func deeper(a, b hit) hit {
	if b.depth > a.depth {
		return b
	}
	return a
}

// patchHit checks the target of a patch first.
func (l *locator) patchHit(k *kustomize.File, node *yaml3.Node, p types.Patch, q query) hit {
	if t := p.Target; t != nil && !targets(t, q.doc.Content) {
		return hit{depth: -1}
	}
	return l.patchText(k, document.Child(node, fieldpath.Key("patch")), p, q)
}

// targets reports whether a patch's selector can mean an object; names and kinds are
// anchored regular expressions.
func targets(t *types.Selector, content map[string]any) bool {
	if t.Kind != "" && !anchored(t.Kind, document.GVK(content).Kind) {
		return false
	}
	if t.Name == "" {
		return true
	}
	name, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("name")}.Get(content)
	return anchored(t.Name, fmt.Sprint(name)) || sameName(content, t.Name)
}

func anchored(pattern, text string) bool {
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && re.MatchString(text)
}

// patchText searches a patch, in a file or inline; node is the inline text's node.
func (l *locator) patchText(k *kustomize.File, node *yaml3.Node, p types.Patch, q query) hit {
	if p.Path != "" {
		file, in := source.Inside(path.Dir(k.Path), p.Path)
		if !in {
			return hit{depth: -1}
		}
		best := hit{depth: -1}
		for _, n := range l.documents(file) {
			h := patchNode(file, n, p.Target != nil, q)
			if h.exact {
				return h
			}
			best = deeper(best, h)
		}
		return best
	}
	if p.Patch == "" || node == nil {
		return hit{depth: -1}
	}
	best := hit{depth: -1}
	for _, n := range l.within(p.Patch) {
		if n == nil {
			continue
		}
		h := patchNode(k.Path, n, p.Target != nil, q)
		if h.depth >= 0 {
			h.at = outerPlace(k.Text, node, h.at)
		}
		if h.exact {
			return h
		}
		best = deeper(best, h)
	}
	return best
}

// outerPlace moves a place in an inline text to the file around it.
func outerPlace(file []byte, scalar *yaml3.Node, in object.Location) object.Location {
	if scalar.Style&(yaml3.LiteralStyle|yaml3.FoldedStyle) == 0 {
		return setRegion(in.File, document.Region{Key: nil, Value: scalar})
	}
	indent := 0
	lines := strings.Split(string(file), "\n")
	for _, l := range lines[min(scalar.Line, len(lines)):] {
		if t := strings.TrimLeft(l, " "); t != "" {
			indent = len(l) - len(t)
			break
		}
	}
	in.StartLine += scalar.Line
	in.EndLine += scalar.Line
	in.StartColumn += indent
	in.EndColumn += indent
	return in
}

// patchNode searches one document of a patch: a list is a JSON patch, a map a strategic
// merge.
func patchNode(file string, n *yaml3.Node, targeted bool, q query) hit {
	if n.Kind == yaml3.SequenceNode {
		return jsonPatchHit(file, n, q)
	}
	if !targeted {
		kind, name := document.Child(n,
			fieldpath.Key("kind")), document.Child(document.Child(n, fieldpath.Key("metadata")), fieldpath.Key("name"))
		if kind == nil || kind.Value != document.GVK(q.doc.Content).Kind || name == nil ||
			!sameName(q.doc.Content, name.Value) {
			return hit{depth: -1}
		}
	}
	m := matchNode(n, q)
	if m.depth == 0 {
		return hit{depth: -1}
	}
	loc := document.NodeRegion(file, m.region, true)
	loc.Rung = "patch"
	return hit{loc, m.depth, m.exact}
}

// nodeMatch is how far a path leads into a node.
type nodeMatch struct {
	region document.Region
	depth  int
	exact  bool
}

// matchNode follows a query's path into a node of the same shape. List elements are
// distinguished by upstream's merge keys where they have them, as a patch lists only some.
func matchNode(root *yaml3.Node, q query) nodeMatch {
	m := nodeMatch{region: document.Region{Value: root}}
	for i, s := range q.path {
		var next document.Region
		if s.Index >= 0 {
			next = document.Region{Value: element(m.region.Value, q, i)}
		} else {
			next = document.Region{Key: document.KeyNode(m.region.Value, s), Value: document.Child(m.region.Value, s)}
		}
		if next.Value == nil {
			return m
		}
		m.region, m.depth = next, i+1
	}
	v := document.ResolveAlias(m.region.Value)
	m.exact = !q.exists || v.Kind != yaml3.ScalarNode || sameScalar(v, q.value)
	return m
}

// sameScalar reports whether a node is a value as it was decoded.
func sameScalar(n *yaml3.Node, v any) bool {
	text, ok := v.(string)
	if !ok {
		text = fmt.Sprint(v)
	}
	if n.Value == text {
		return true
	}
	if n.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle|yaml3.LiteralStyle|yaml3.FoldedStyle) != 0 ||
		plainText.MatchString(n.Value) {
		return false
	}
	got, err := document.DecodeYAML([]byte(n.Value))
	return err == nil && fmt.Sprint(got) == text
}

// plainText matches texts that YAML reads as the string that they spell: words with another meaning are of five letters
// at most, and all numbers begin otherwise.
var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]{5,}$`)

// element finds the node of the list element that step i of the path means.
func element(list *yaml3.Node, q query, i int) *yaml3.Node {
	list = document.ResolveAlias(list)
	if list == nil || list.Kind != yaml3.SequenceNode || i == 0 {
		return nil
	}
	name := q.path[i-1].Key
	want, _ := q.path[:i+1].Get(q.doc.Content)
	w, ok := want.(map[string]any)
	if !ok { // scalars: by value, then by place
		for _, e := range list.Content {
			if e.Kind == yaml3.ScalarNode && sameScalar(e, want) {
				return e
			}
		}
		return document.Child(list, q.path[i])
	}
	fields := fieldpath.MergeKeys[name]
	if name == "ports" {
		fields = []string{"containerPort", "port"}
	}
	if len(fields) == 0 {
		fields = []string{"name"}
	}
	for _, f := range fields[:min(len(fields), 2)] {
		v, has := w[f]
		if !has {
			continue
		}
		var same []*yaml3.Node
		for _, e := range list.Content {
			if n := document.Child(e, fieldpath.Key(f)); n != nil && sameScalar(n, v) {
				same = append(same, e)
			}
		}
		if len(same) == 1 {
			return same[0]
		}
		if len(same) > 1 {
			return likest(same, w)
		}
		return nil
	}
	return document.Child(list, q.path[i])
}

// likest is the node with the most scalars in common with a value.
func likest(nodes []*yaml3.Node, want map[string]any) *yaml3.Node {
	best, score := nodes[0], -1
	for _, n := range nodes {
		s := 0
		for k, v := range want {
			if c := document.Child(n, fieldpath.Key(k)); c != nil && (c.Kind != yaml3.ScalarNode || sameScalar(c, v)) {
				s++
			}
		}
		if s > score {
			best, score = n, s
		}
	}
	return best
}

// jsonPatchHit searches the operations of a JSON patch, the last one first.
func jsonPatchHit(file string, ops *yaml3.Node, q query) hit {
	best := hit{depth: -1}
	for i := len(ops.Content) - 1; i >= 0; i-- {
		op := ops.Content[i]
		pointer, value := document.Child(op, fieldpath.Key("path")), document.Child(op, fieldpath.Key("value"))
		if pointer == nil || value == nil {
			continue
		}
		n := pointerPrefix(pointer.Value, q)
		if n < 0 {
			continue
		}
		rest := query{doc: document.Document{Content: map[string]any{"v": valueAt(q, n)}},
			path: append(fieldpath.Path{fieldpath.Key("v")}, q.path[n:]...), value: q.value, exists: q.exists}
		wrapped := &yaml3.Node{Kind: yaml3.MappingNode,
			Content: []*yaml3.Node{{Kind: yaml3.ScalarNode, Value: "v", Line: value.Line, Column: value.Column}, value}}
		m := matchNode(wrapped, rest)
		r := m.region
		if m.depth == 1 {
			r = document.Region{Key: document.KeyNode(op, fieldpath.Key("value")), Value: value}
		}
		loc := document.NodeRegion(file, r, true)
		loc.Rung = "patch"
		h := hit{loc, n + m.depth - 1, m.exact && m.depth == len(rest.path)}
		if h.exact {
			return h
		}
		best = deeper(best, h)
	}
	return best
}

func valueAt(q query, n int) any {
	v, _ := q.path[:n].Get(q.doc.Content)
	return v
}

// pointerPrefix says how many steps of the query's path a JSON pointer spells, or -1
// where it leads elsewhere.
func pointerPrefix(pointer string, q query) int {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if len(parts) > len(q.path) {
		return -1
	}
	for i, part := range parts {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		s := q.path[i]
		if s.Index < 0 {
			if part != s.Key {
				return -1
			}
			continue
		}
		if part == "-" {
			list, _ := q.path[:i].Get(q.doc.Content)
			if l, ok := list.([]any); !ok || s.Index != len(l)-1 {
				return -1
			}
			continue
		}
		if n, err := strconv.Atoi(part); err != nil || n != s.Index {
			return -1
		}
	}
	return len(parts)
}
