package document

import (
	"errors"
	"slices"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// strictly decodes a document and lists the fields in it that stand twice with two values. It takes no longer than
// another decoding where there are none.
func strictly(b []byte) (raw any, twice []string, err error) {
	err = yamlv2.UnmarshalStrict(b, &raw)
	var strict *yamlv2.TypeError
	if !errors.As(err, &strict) || !slices.ContainsFunc(strict.Errors, alreadySet) {
		return raw, nil, err
	}
	raw = nil
	if err = yamlv2.Unmarshal(b, &raw); err != nil {
		return nil, nil, err
	}
	return raw, twiceIn(b), nil
}

func alreadySet(text string) bool { return strings.HasSuffix(text, "already set in map") }

// twiceIn lists the fields of a document that stand twice in one map, with two values. A field from a merge key is no
// second one.
func twiceIn(b []byte) []string {
	var doc yaml3.Node
	if yaml3.Unmarshal(b, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	var out []string
	var visit func(n *yaml3.Node, p fieldpath.Path)
	visit = func(n *yaml3.Node, p fieldpath.Path) {
		switch n.Kind {
		case yaml3.SequenceNode:
			for i, c := range n.Content {
				visit(c, append(slices.Clone(p), fieldpath.At(i)))
			}
		case yaml3.MappingNode:
			last := map[string]*yaml3.Node{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				k, v := n.Content[i], n.Content[i+1]
				at := append(slices.Clone(p), fieldpath.Key(k.Value))
				if was := last[k.Value]; was != nil && !alike(was, v) {
					out = append(out, at.String())
				}
				last[k.Value] = v
				visit(v, at)
			}
		}
	}
	visit(doc.Content[0], nil)
	slices.Sort(out)
	return slices.Compact(out)
}

// alike reports whether two nodes say the same.
func alike(a, b *yaml3.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value && a.Alias == b.Alias &&
		slices.EqualFunc(a.Content, b.Content, alike)
}
