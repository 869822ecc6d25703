package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify"
)

// A verdict says that it was time which ran out, where it did for every release without a result, and not else.
func TestVerdictSaysThatTimeRanOut(t *testing.T) {
	release := func(cut bool) verify.ReleaseResult {
		return verify.ReleaseResult{ID: "a", Status: "skipped", Changed: true, Before: true, Cut: cut}
	}
	for _, c := range []struct {
		cuts []bool
		want string
	}{
		{[]bool{true}, "the time budget ended before 1 release could be rendered"},
		{[]bool{true, true}, "the time budget ended before 2 releases could be rendered"},
		{[]bool{true, false}, "2 releases not analysed on either side"},
		{[]bool{false}, "1 release not analysed on either side"},
	} {
		r := &verify.Result{Verdict: verify.Inconclusive}
		for _, cut := range c.cuts {
			r.Releases = append(r.Releases, release(cut))
		}
		if got := verdictLine(r); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.cuts, got, c.want)
		}
	}
}
