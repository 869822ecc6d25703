package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Nothing is said of a side that has no such release, or that renders it.
func TestNewReleasesAreNotSaidOfBase(t *testing.T) {
	for _, c := range []struct {
		onBase []string
		want   string
	}{
		{[]string{"absent"}, "1 new release not analysed: "},
		{[]string{"absent", "absent"}, "2 new releases not analysed: "},
		{[]string{"absent", ""}, "2 releases not analysed, 1 of them new: "},
		{[]string{"renders", ""}, "2 releases not analysed: "},
		{[]string{"", ""}, "2 releases not analysed on either side: "},
	} {
		r := &finding.Result{Base: finding.Side{Name: "base"}, Verdict: finding.Inconclusive}
		for i, base := range c.onBase {
			r.Releases = append(r.Releases, finding.ReleaseResult{ID: string(rune('a' + i)), Status: "skipped", Changed: true,
				Before: true, OnBase: base})
		}
		if got := brokenBeforeIn(r).who(5); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q, want %q", c.onBase, got, c.want)
		}
		bare := strings.TrimSuffix(c.want, ": ")
		if got := verdictLine(r); !strings.HasPrefix(got, bare) {
			t.Errorf("%v: %q, want %q", c.onBase, got, bare)
		}
		if got := verdictSentence(r); strings.Contains(got, "on base") != (strings.Join(c.onBase, "") == "") {
			t.Errorf("%v: %q", c.onBase, got)
		}
	}
}

// A verdict says that it was time which ran out, where it did for every release without a result, and not else.
func TestVerdictSaysThatTimeRanOut(t *testing.T) {
	release := func(cut bool) finding.ReleaseResult {
		return finding.ReleaseResult{ID: "a", Status: "skipped", Changed: true, Before: true, Cut: cut}
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
		r := &finding.Result{Base: finding.Side{Name: "base"}, Verdict: finding.Inconclusive}
		for _, cut := range c.cuts {
			r.Releases = append(r.Releases, release(cut))
		}
		if got := verdictLine(r); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.cuts, got, c.want)
		}
	}
}
