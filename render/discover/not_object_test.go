package discover

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlainObjectsAreObjects wants what is told without decoding to be what decoding tells,
// of texts that are put together at random.
func TestPlainObjectsAreObjects(t *testing.T) {
	lines := []string{
		"apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: a", "apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: a",
		"apiVersion: kustomize.config.k8s.io/v1", "kind: Kustomization", "kind: Component", "kind:", "kind: null", "kind: ~", "kind: \"\"",
		"  name: null", "  name:", "metadata: {}", "metadata: {name: a}", "metadata: null", "\"kind\": Foo", "? kind", "<<: *a", "spec: &a",
		"---", "--- # next", "# kind: Foo", "text: |", "  kind: Foo", "    name: b", "data: {", "}", "key: \"", "\"", "- item", "  labels:", "...", "\tname: a", "\xef\xbb\xbfkind: Foo", "apiVersion: 1", "%YAML 1.1", "",
	}
	plain := 0
	for seed := range uint64(60000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var text []string
		for range r.IntN(3) {
			text = append(text, lines[r.IntN(len(lines))])
		}
		text = append(text, lines[:4]...)
		for range r.IntN(4) {
			text[r.IntN(len(text))] = lines[r.IntN(len(lines))]
		}
		for range r.IntN(3) {
			text = append(text, lines[r.IntN(len(lines))])
		}
		b := []byte(strings.Join(text, []string{"\n", "\r\n"}[r.IntN(2)]) + "\n")
		if !plainlyObject(b) {
			continue
		}
		if plain++; NotAnObject(b) != "" {
			t.Fatalf("seed %d: %s, and it is plainly an object:\n%s", seed, NotAnObject(b), b)
		}
	}
	if plain < 1000 {
		t.Errorf("%d texts are plain: they show nothing", plain)
	}
}
