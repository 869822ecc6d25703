package discover

import (
	"math/rand/v2"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
)

// TestReleasesHaveNamesThatHelmTakes wants a valid name for whatever a chart is called, and a chart's own where it is one.
func TestReleasesHaveNamesThatHelmTakes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	letters := []rune("abzAZ019-._ é/")
	kept := 0
	for range 3000 {
		name := make([]rune, r.IntN(70))
		for i := range name {
			name[i] = letters[r.IntN(len(letters))]
		}
		own := string(name)
		if r.IntN(2) == 0 {
			own = own[:min(len(own), 3)]
		}
		got := installable(own)
		if err := chartutil.ValidateReleaseName(got); err != nil {
			t.Fatalf("%q: %q: %v", own, got, err)
		}
		if chartutil.ValidateReleaseName(own) == nil {
			if kept++; got != own {
				t.Fatalf("%q became %q", own, got)
			}
		}
	}
	if kept < 50 {
		t.Errorf("%d names kept", kept)
	}
	if got := installable("IOMesh"); got != "iomesh" {
		t.Error(got)
	}
}
