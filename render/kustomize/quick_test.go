package kustomize

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestAliasesAreFoundQuickly holds what is looked for byte by byte, as it is looked for in every file, against the
// expression that says what is meant.
func TestAliasesAreFoundQuickly(t *testing.T) {
	alias := regexp.MustCompile(`[\s\[{,:-]\*[^\s*]`)
	words := []string{"*", "a", " ", "\n", "[", "{", ",", ":", "-", "\"", "é", "_", "9", ".", "/", "\t", "**"}
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 20000 {
		text := ""
		for range r.IntN(6) {
			text += words[r.IntN(len(words))]
		}
		if got, want := hasAlias([]byte(text)), alias.MatchString(text); got != want {
			t.Fatalf("alias in %q: %v", text, got)
		} else if got {
			found++
		}
	}
	if found < 100 {
		t.Errorf("found %d times: the texts show nothing", found)
	}
}
