package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// TestQuickLooksAgree holds what is looked for byte by byte, as it is looked for in every file, against the
// expression that says what is meant.
func TestQuickLooksAgree(t *testing.T) {
	alias := regexp.MustCompile(`[\s\[{,:-]\*[^\s*]`)
	plain := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	words := []string{"*", "a", " ", "\n", "[", "{", ",", ":", "-", "\"", "é", "_", "9", ".", "/", "\t", "**",
		"rand", "randAlpha", "genCA", "now", "known", "date", "update", "uuidv4", "htpasswd", "ago", "shuffle", "bcrypt", "encryptAES", "now ", " now"}
	r := rand.New(rand.NewPCG(1, 1))
	found := [3]int{}
	for range 20000 {
		text := ""
		for range r.IntN(6) {
			text += words[r.IntN(len(words))]
		}
		if got, want := hasAlias([]byte(text)), alias.MatchString(text); got != want {
			t.Fatalf("alias in %q: %v", text, got)
		} else if got {
			found[0]++
		}
		if got, want := fieldpath.PlainKey(text), plain.MatchString(text); got != want {
			t.Fatalf("%q is plain: %v", text, got)
		} else if got {
			found[1]++
		}
		if randomCall.MatchString(text) {
			found[2]++
			if !mayBeRandom([]byte(text)) {
				t.Fatalf("%q calls nothing random", text)
			}
		}
	}
	if min(found[0], found[1], found[2]) < 100 {
		t.Errorf("found %v times: the texts show nothing", found)
	}
}

// TestSchemasAreCompiledOnce wants of a schema the same answer each time, also of a broken one, and one
// compilation of many.
func TestSchemasAreCompiledOnce(t *testing.T) {
	c := &compiledSchemas{}
	text := func(i int) []byte { return fmt.Appendf(nil, `{"type": "object", "required": ["a%d"]}`, i) }
	for i := range 3 * maxSchemas {
		first, err := c.compile(text(i))
		again, errAgain := c.compile(text(i))
		if err != nil || errAgain != nil || first != again {
			t.Fatalf("schema %d: %v, %v, the same: %v", i, err, errAgain, first == again)
		}
		if first.Validate(map[string]any{fmt.Sprintf("a%d", i): 1}) != nil || first.Validate(map[string]any{}) == nil {
			t.Errorf("schema %d is another one's", i)
		}
		if len(c.kept) > maxSchemas {
			t.Errorf("%d are kept", len(c.kept))
		}
	}
	for range 2 {
		if _, err := c.compile([]byte(`{"type": 1}`)); err == nil {
			t.Error("a broken schema compiles")
		}
		if _, err := c.compile([]byte(`{"$ref": "https://example.com/other.json"}`)); err == nil {
			t.Error("a schema that refers to another host's compiles")
		}
	}
}
