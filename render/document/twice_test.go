package document

import (
	"slices"
	"testing"
)

// A key that stands twice is told where the two values differ; what a merge key brings, and the same again, is none.
func TestFieldsThatStandTwice(t *testing.T) {
	for text, want := range map[string][]string{
		"a: 1\nb: 2\n":                                  nil,
		"a: 1\na: 1\n":                                  nil,
		"a: {b: [1, x]}\na: {b: [1, x]}\n":              nil,
		"a: 1\na: 2\n":                                  {"a"},
		"a: 1\na: \"1\"\n":                              {"a"},
		"a: 1\na: 2\na: 3\n":                            {"a"},
		"l:\n- k: 1\n- k: 1\n  k: {x: y}\n":             {"l[1].k"},
		"m: {a/b: 1, a/b: 2}\n":                         {"m[a/b]"},
		"x: &x {a: 1}\ny: {<<: *x, a: 2}\n":             nil,
		"x: &x {a: 1}\ny: {<<: *x, a: 2, b: 1, b: 2}\n": {"y.b"},
	} {
		v, twice, err := decode([]byte(text))
		if err != nil || v == nil || !slices.Equal(twice, want) {
			t.Errorf("%q: %v, %v, want %v", text, twice, err, want)
		}
	}
}

// What is decoded is the same as ever: the last of two values counts.
func TestTheLastOfTwoValuesCounts(t *testing.T) {
	v, err := DecodeYAML([]byte("a: 1\nb: {c: 2}\na: {d: 3}\n"))
	m, _ := v.(map[string]any)
	if a, _ := m["a"].(map[string]any); err != nil || a["d"] != int64(3) {
		t.Errorf("%v, %v", v, err)
	}
	known := &Known{Most: 1 << 10}
	for range 2 {
		if _, twice, ok, err := known.Object("a: 1\na: 2\n"); !ok || err != nil || !slices.Equal(twice, []string{"a"}) {
			t.Errorf("%v, %v, %v", twice, ok, err)
		}
	}
}
