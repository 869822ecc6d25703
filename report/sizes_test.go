package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A page is as long as what it has to say: five lines where all is well, whatever stands
// beside it; one screen, in a comment sixty lines, for a finding, however long its run is.
func TestSizes(t *testing.T) {
	well := emptyResult()
	for range 300 {
		well.Releases = append(well.Releases, finding.ReleaseResult{ID: "other", Status: "skipped", Reason: "dependency x is not vendored", Remedy: "commit it"})
		well.Notices = append(well.Notices, finding.Say(finding.ReleaseNote, object.HooksListed).In("other"))
		well.Assumptions = append(well.Assumptions, finding.Say(finding.MayHide, "scheduler").With(strings.Repeat("something ", 60)))
	}
	long := spreadResult()
	f := &long.Findings[0]
	for range 60 {
		f.Interleaving = append(f.Interleaving, f.Interleaving...)[:min(2*len(f.Interleaving), 600)]
		f.Blame = append(f.Blame, f.Blame[0])
		f.AlsoIn = append(f.AlsoIn, "another-release")
	}
	f.Message = strings.Repeat("a pod of default/web stays pending ", 30)
	f.Fix.Replacement = strings.Repeat("          whenUnsatisfiable: ScheduleAnyway\n", 50)
	for _, tc := range []struct {
		title         string
		result        *finding.Result
		text, comment int // lines at most
	}{
		{"well", well, 5, 25},
		{"nothing changed", &finding.Result{Verdict: finding.Pass, Base: finding.Side{Name: "main"}}, 5, 25},
		{"a finding", spreadResult(), 24, 60},
		{"a loop", rolloutResult(), 24, 60},
		{"a long finding", long, 24, 60},
	} {
		text := written(t, func(b *bytes.Buffer) error { return Text(b, tc.result, Options{Rules: testRules}) })
		if n := strings.Count(text, "\n"); n > tc.text {
			t.Errorf("%s: the text has %d lines, want at most %d:\n%s", tc.title, n, tc.text, text)
		}
		comment := Comment(tc.result, testMarkdown())
		drawn := regexp.MustCompile("(?s)```mermaid\n.*?```\n\n").ReplaceAllString(comment, "") // a diagram is not read as lines
		if n := strings.Count(drawn, "\n"); n > tc.comment {
			t.Errorf("%s: the comment has %d lines, want at most %d:\n%s", tc.title, n, tc.comment, comment)
		}
	}
}

// What is left out of the short text stands in the long one.
func TestVerboseHasEveryStep(t *testing.T) {
	r := spreadResult()
	text := written(t, func(b *bytes.Buffer) error { return Text(b, r, Options{Rules: testRules, Verbose: true}) })
	for _, s := range r.Findings[0].Interleaving {
		if !strings.Contains(text, stepText(&s)) {
			t.Errorf("no %q in\n%s", stepText(&s), text)
		}
	}
	for _, a := range r.Assumptions {
		if !strings.Contains(text, sentence(NoteText(a))) {
			t.Errorf("no %q in\n%s", a, text)
		}
	}
}
