package document

import (
	"strings"
)

// Expand replaces List objects by their items, and Templates by what they make.
func Expand(docs []Document) []Document {
	var out []Document
	for _, d := range docs {
		kind, _ := d.Content["kind"].(string)
		items, ok := d.Content["items"].([]any)
		if made, template := templateObjects(d.Content); template {
			items, ok = made, true
		} else if !ok || !strings.HasSuffix(kind, "List") {
			out = append(out, d)
			continue
		}
		var list []Document
		for i, item := range items {
			m, ok := item.(map[string]any)
			if !ok {
				continue
			}
			if kind != "List" && kind != "Template" && m["kind"] == nil { // items of a typed list carry no type
				m["kind"], m["apiVersion"] = strings.TrimSuffix(kind, "List"), d.Content["apiVersion"]
			}
			e := d
			e.Content, e.Items = m, append(append([]int(nil), d.Items...), i)
			list = append(list, e)
		}
		out = append(out, Expand(list)...)
	}
	return out
}
