package helm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRandomCallsAreFoundQuickly holds what is looked for byte by byte, as it is looked for in every file, against the
// expression that says what is meant.
func TestRandomCallsAreFoundQuickly(t *testing.T) {
	words := []string{"a", " ", "\n", "{", ":", "-", "é", "_", "9", ".",
		"rand", "randAlpha", "genCA", "now", "known", "date", "htmlDate", "update", "uuidv4", "htpasswd", "ago", "shuffle", "bcrypt", "encryptAES", "now ", " now"}
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 20000 {
		text := ""
		for range r.IntN(6) {
			text += words[r.IntN(len(words))]
		}
		if !randomCall().MatchString(text) {
			continue
		}
		if found++; !mayBeRandom([]byte(text)) {
			t.Fatalf("%q calls nothing random", text)
		}
	}
	if found < 100 {
		t.Errorf("found %d times: the texts show nothing", found)
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
