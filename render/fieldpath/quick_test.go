package fieldpath

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestPlainKeysAreFoundQuickly holds what is looked for byte by byte, as it is looked for in every file, against the
// expression that says what is meant.
func TestPlainKeysAreFoundQuickly(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	words := []string{"*", "a", " ", "\n", "[", "{", ",", ":", "-", "\"", "é", "_", "9", ".", "/", "\t", "**"}
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 20000 {
		text := ""
		for range r.IntN(6) {
			text += words[r.IntN(len(words))]
		}
		if got, want := PlainKey(text), plain.MatchString(text); got != want {
			t.Fatalf("%q is plain: %v", text, got)
		} else if got {
			found++
		}
	}
	if found < 100 {
		t.Errorf("found %d times: the texts show nothing", found)
	}
}
