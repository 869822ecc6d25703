package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Findings of one cause lead to each other, whatever their status; others do not.
func TestHTMLLinksFindingsOfOneCause(t *testing.T) {
	one := func(rule, cause string, status finding.Status) finding.Finding {
		return finding.Finding{Rule: rule, Severity: "error", Status: status, Cause: cause, Workload: "apps/Deployment x/<web>", Message: rule}
	}
	r := &finding.Result{Verdict: finding.Fail, Findings: []finding.Finding{
		one("unschedulable", "c1", finding.New), one("rollout-stuck", "c1", finding.New), one("single-domain", "c2", finding.New),
		one("spread-violated", "c1", finding.Existing), one("below-floor", "", finding.New), one("never-settles", "", finding.New),
	}}
	var b bytes.Buffer
	if err := HTML(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	got := strings.Count(b.String(), "<dt>Same cause</dt>")
	links := 0
	for _, rule := range []string{"unschedulable", "rollout-stuck", "spread-violated"} {
		links += strings.Count(b.String(), fmt.Sprintf(`"><code>%s</code> of apps/Deployment x/&lt;web&gt;</a>`, rule))
	}
	if got != 3 || links != 6 {
		t.Errorf("%d findings have a cause in common, with %d links; want 3 with 6", got, links)
	}
}
