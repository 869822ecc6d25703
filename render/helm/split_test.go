package helm

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"helm.sh/helm/v3/pkg/releaseutil"
)

// TestManifestsAreSplitAsHelmDoes compares with Helm's own on random texts of what it looks at.
func TestManifestsAreSplitAsHelmDoes(t *testing.T) {
	words := []string{"---", "---", "\n---", "\n---\n", "\n", "\n", " ", "-", "a: b", "\t", "\r\n", "\f", "\v", "\u00a0", "# x", "----", "é"}
	r := rand.New(rand.NewPCG(1, 1))
	several := 0
	for range 50000 {
		text := ""
		for range r.IntN(12) {
			text += words[r.IntN(len(words))]
		}
		split := releaseutil.SplitManifests(text)
		var keys, want []string
		for k := range split {
			keys = append(keys, k)
		}
		sort.Sort(releaseutil.BySplitManifestsOrder(keys))
		for _, k := range keys {
			want = append(want, split[k])
		}
		if got := splitManifests(text); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, Helm gives %q", text, got, want)
		}
		if len(want) > 2 {
			several++
		}
	}
	if several < 1000 {
		t.Errorf("%d texts with more than two documents", several)
	}
}
