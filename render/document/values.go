package document

import (
	"fmt"
)

// Text reads a string at a path of keys.
func Text(v any, keys ...string) string {
	s, _ := Value(v, keys...).(string)
	return s
}

// Value reads the value at a path of keys; nil if there is none.
func Value(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// Items reads a list at a path of keys.
func Items(v any, keys ...string) []any {
	list, _ := Value(v, keys...).([]any)
	return list
}

// Texts are those of a list that are strings.
func Texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// TextMap reads a map of scalars; nil where there is none.
func TextMap(v any) map[string]string {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return nil
	}
	out := map[string]string{}
	for k, e := range m {
		out[k] = fmt.Sprint(e)
	}
	return out
}
