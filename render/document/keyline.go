package document

import (
	"bytes"

	yaml3 "go.yaml.in/yaml/v3"
)

// KeyLine is the line of a top-level key, or 1.
func KeyLine(b []byte, name string) int {
	for i, l := range bytes.Split(b, []byte("\n")) {
		if bytes.HasPrefix(l, []byte(name+":")) {
			return i + 1
		}
	}
	return 1
}

// EntryLine is the line of the i-th entry of a list at the top of a document, that of its key where there is none,
// or 1.
func EntryLine(b []byte, key string, i int) int {
	var doc yaml3.Node
	if yaml3.Unmarshal(b, &doc) != nil || len(doc.Content) == 0 {
		return KeyLine(b, key)
	}
	m := doc.Content[0].Content
	for k := 0; k+1 < len(m); k += 2 {
		if m[k].Value != key {
			continue
		}
		if list := m[k+1].Content; i >= 0 && i < len(list) {
			return list[i].Line
		}
		return m[k].Line
	}
	return 1
}
