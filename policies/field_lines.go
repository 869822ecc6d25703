package policies

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// FieldLines gives the line on which each field of a YAML document stands, by its path
// ("profiles[0].plugins"), for findings that rest on a controller's own configuration.
// A document that cannot be parsed has none.
func FieldLines(data []byte) map[string]int {
	out := map[string]int{}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) == nil && len(doc.Content) == 1 {
		fieldLines(doc.Content[0], "", out)
	}
	return out
}

func fieldLines(n *yaml.Node, at string, out map[string]int) {
	if at != "" {
		out[at] = n.Line
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			next := key.Value
			if at != "" {
				next = at + "." + key.Value
			}
			fieldLines(n.Content[i+1], next, out)
			out[next] = key.Line
		}
	case yaml.SequenceNode:
		for i, e := range n.Content {
			fieldLines(e, fmt.Sprintf("%s[%d]", at, i), out)
		}
	}
}
