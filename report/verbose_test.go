package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestVerboseGrowsWithReasons: --verbose says once what it says of many workloads, so that a repository of hundreds is
// read on one screen.
func TestVerboseGrowsWithReasons(t *testing.T) {
	lines := func(workloads int) int {
		r := &finding.Result{Verdict: finding.Inconclusive}
		for i := range workloads {
			id := fmt.Sprintf("apps/Deployment default/w%d", i)
			r.Workloads = append(r.Workloads, finding.Workload{ID: id, Verdict: finding.Inconclusive, Reason: "out of time"})
			r.Notices = append(r.Notices, finding.Say(finding.SearchedInPart, "the next rollout").On(id))
			r.Assumptions = append(r.Assumptions, finding.Say(finding.RandomRuns, 6, 1+i%4, 1000+i, 0).On(id))
		}
		var b bytes.Buffer
		if err := Text(&b, r, Options{Verbose: true}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(b.String(), "\n")
	}
	if few, many := lines(3), lines(400); few != many {
		t.Errorf("3 workloads take %d lines, 400 take %d", few, many)
	}
}

// TestOneTitle: a finding has one title, whichever surface shows it.
func TestOneTitle(t *testing.T) {
	r := &finding.Result{Verdict: finding.Fail, Findings: []finding.Finding{{
		Rule: "unschedulable", Severity: "error", Status: finding.New, Workload: "apps/Deployment default/web",
		Certainty: finding.Inevitable, Message: "pod of default/web can stay pending forever",
	}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":    func(b *bytes.Buffer) error { return Text(b, r, Options{}) },
		"verbose": func(b *bytes.Buffer) error { return Text(b, r, Options{Verbose: true}) },
		"html":    func(b *bytes.Buffer) error { return HTML(b, r, Options{}) },
		"comment": func(b *bytes.Buffer) error { b.WriteString(Comment(r, Options{})); return nil },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "default/web stays pending forever") {
			t.Errorf("%s has another title:\n%s", name, b.String())
		}
	}
}
