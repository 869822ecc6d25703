package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Findings of one cause are one card: its first finding, and in it the others, whatever their status.
func TestHTMLHasOneCardForACause(t *testing.T) {
	one := func(rule, cause string, status finding.Status) finding.Finding {
		return finding.Finding{Rule: rule, Severity: "error", Status: status, Cause: cause,
			Workload: "apps/Deployment x/<web>", Message: rule}
	}
	r := &finding.Result{Verdict: finding.Fail, Findings: []finding.Finding{
		one("unschedulable", "c1", finding.New), one("rollout-stuck", "c1", finding.New),
		one("single-domain", "c2", finding.New), one("spread-violated", "c1", finding.Existing),
		one("below-floor", "", finding.Existing), one("never-settles", "", finding.Fixed),
	}}
	p := newPage(r, Options{})
	var got []string
	for _, g := range p.Groups {
		for _, f := range g.Findings {
			card := g.ID + ": " + f.Rule
			for _, part := range f.Parts {
				card += " + " + part.Rule
			}
			got = append(got, card)
		}
	}
	want := []string{
		"new: rollout-stuck + unschedulable + spread-violated", "new: single-domain",
		"existing: below-floor", "fixed: never-settles",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the cards are\n%s\nwant\n%s", g, w)
	}
}

// However many findings there are, and however they share causes, each is in the page once, with an ID of its own.
func TestHTMLShowsEachFindingOnce(t *testing.T) {
	for _, of := range []int{1, 2, 7, 500, 3000} { // findings of one cause
		r := manyFindings(3000, of)
		var b bytes.Buffer
		if err := HTML(&b, r, Options{Rules: testRules}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for i := range r.Findings {
			if n := strings.Count(page, fmt.Sprintf("Finding number %d.", i)); n != 1 {
				t.Fatalf("%d of a cause: finding %d is there %d times", of, i, n)
			}
		}
		if strings.Contains(page, "left out;") {
			t.Errorf("%d of a cause: some of 3,000 findings are left out", of)
		}
		if mib := b.Len() >> 20; mib > 12 {
			t.Errorf("%d of a cause: the page has %d MiB", of, mib)
		}
	}
}

// BenchmarkHTML writes the page of 3,000 findings, each with its run.
func BenchmarkHTML(b *testing.B) {
	r := manyFindings(3000, 3)
	for b.Loop() {
		var page bytes.Buffer
		if err := HTML(&page, r, Options{Rules: testRules}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(page.Len())/1e6, "MB")
	}
}

// manyFindings is n findings of n workloads, so many of one cause.
func manyFindings(n, of int) *finding.Result {
	r := spreadResult()
	f := r.Findings[0]
	r.Findings, f.Blame, f.Changed = nil, nil, nil
	for i := range n {
		f.Cause = fmt.Sprintf("cause %d", i/of)
		f.Locations = []finding.Location{{File: "web.yaml", StartLine: i/of + 1, Side: "head"}}
		f.Fingerprint = fmt.Sprintf("f%d", i)
		f.Workload = fmt.Sprintf("apps/Deployment default/web-%d", i)
		f.Message = fmt.Sprintf("finding number %d", i)
		r.Findings = append(r.Findings, f)
	}
	return r
}
