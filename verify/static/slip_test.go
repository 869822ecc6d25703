package static

import (
	"math/rand/v2"
	"testing"
)

// TestSlipsAreFewTypos holds the short way, by length, against the count of typos.
func TestSlipsAreFewTypos(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	letters := []rune("ab-é")
	word := func() string {
		w := make([]rune, r.IntN(14))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	slips := 0
	for range 5000 {
		a, b := word(), word()
		if r.IntN(2) == 0 { // one letter away
			c := []rune(a)
			at := r.IntN(len(c) + 1)
			b = string(c[:at]) + string(letters[r.IntN(3)]) + string(c[at:])
		}
		want := typos(a, b) <= min(max(len(a), len(b))/4, 2)
		if got := slip(a, b); got != want {
			t.Fatalf("%q, %q: slip %v, %d typos", a, b, got, typos(a, b))
		} else if got {
			slips++
		}
	}
	if slips < 500 {
		t.Errorf("%d slips", slips)
	}
}
