package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Whoever reads a fix reads beside it which other releases it changes, on every surface that words one.
func TestSpreads(t *testing.T) {
	f := &finding.Fix{Text: "run one more replica", Verified: true, Mechanical: true}
	if got := spreads(f); got != "" {
		t.Errorf("a fix of one release: %q", got)
	}
	f.AlsoChanges, f.MayChange = []string{"prod", "sta\nging"}, strings.Split("a b c d e f g", " ")
	const want = "also changes prod and sta ging and may also change a, b, c, d, e and 2 more"
	brief, _ := fixLines(&finding.Finding{Fix: f}, 1)
	other := otherFix(&finding.Finding{Fix: &finding.Fix{Text: "x"}, OtherFix: f})
	for _, got := range []string{fixText(f), brief, other} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// The place of a fix stands behind it, before what else may be done.
func TestPlaceOfTheFirstFix(t *testing.T) {
	f := &finding.Finding{
		Fix:      &finding.Fix{Text: "surge by nothing", Cost: "one replica less", Location: &finding.Location{File: "a/web.yaml", StartLine: 7}},
		OtherFix: &finding.Fix{Text: "add a node", Cost: "one more node"},
	}
	got := newMarkdown(&finding.Result{}, Options{}).remedy(f, false)
	const want = "**Fix:** surge by nothing; cost: one replica less (not verified) at `a/web.yaml:7`; or: add a node; cost: one more node\n\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
