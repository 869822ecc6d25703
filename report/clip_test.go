package report

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A text that is cut ends after a whole word, and within its bound. A long word, such as an identifier, is cut anywhere.
func TestCutTextEndsAfterAWord(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		words := make([]string, 2+r.IntN(40))
		for i := range words {
			words[i] = strings.Repeat("é", 1+r.IntN(3)) + strings.Repeat("x", r.IntN(6))
		}
		s := strings.Join(words, " ")
		most := 30 + r.IntN(200)
		got := clip(s, most)
		if len(got) > most {
			t.Fatalf("seed %d: %d bytes, at most %d: %q", seed, len(got), most, got)
		}
		kept, cut := strings.CutSuffix(got, " "+ellipsis)
		switch {
		case len(s) <= most && got != s:
			t.Fatalf("seed %d: %q was cut to %q", seed, s, got)
		case len(s) > most && (!cut || !strings.HasPrefix(s, kept+" ")):
			t.Fatalf("seed %d: %q ends within a word of %q", seed, got, s)
		}
	}
	if got := clip(strings.Repeat("x", 50), 20); len(got) != 20 || !strings.HasSuffix(got, ellipsis) {
		t.Errorf("a long word is cut to %q", got)
	}
}
