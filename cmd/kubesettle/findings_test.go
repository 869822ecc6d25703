package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// findingsPage is the page that [TestFindingsPage] writes and holds true.
const findingsPage = "../../docs/findings.md"

// shownFindings are the cases of testdata whose report the page shows.
var shownFindings = []struct{ rule, dir, title string }{
	{"replicas-reset", "kivi/c2", "An apply takes back what an autoscaler had set"},
	{"rollout-stuck", "failures/f02", "A rollout has no room for the pod that it begins with"},
	{"replica-oscillation", "failures/f38", "Git and an autoscaler both own the number of replicas"},
}

// TestFindingsPage runs the cases of docs/findings.md and demands that the page shows what
// kubesettle prints for them.
func TestFindingsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Findings as a user sees them

Three cases of [testdata](../testdata) as text, without coverage. Each, repaired, has no finding.
In a case's folder: ` + "`kubesettle check --base-dir base --head-dir head --policy policy.yaml`" + `. The third
is one state: ` + "`kubesettle verify manifests --policy policy.yaml`" + `.
`)
	for _, s := range shownFindings {
		out := findingOf(t, filepath.Join("../../testdata", s.dir, "violating"), s.rule)
		fmt.Fprintf(&page, "\n## %s\n\n[`%s`](rules.md#%s), [testdata/%s/violating](../testdata/%s/violating)\n\n```\n%s```\n", s.title, s.rule, s.rule, s.dir, s.dir, out)
	}
	page.WriteString(`
## The surfaces

The demo's pull request (` + "`make demo`" + `) in a terminal:

![A terminal: verdict, finding, changed lines, decisive steps and the fix as a diff](images/terminal.png)

As a comment and a job summary:

![A comment: verdict, finding, changed lines, decisive steps, nodes before and after, the fix as a diff](images/comment.png)

![A job summary with the same blocks, and two folded ones](images/summary.png)

The HTML report:

![An HTML report: nodes by zone with their pods, the step that is refused, and the lines that allow each step](images/report.png)
`)
	if *rewrite {
		if err := os.WriteFile(findingsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(findingsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page.String() {
		t.Error("docs/findings.md is not what the cases give; look at what changed, and run this test with -rewrite")
	}
}

// findingOf is a case's block with a rule as a user sees it.
func findingOf(t *testing.T, dir, rule string) string {
	t.Helper()
	for _, block := range strings.Split(reportOf(t, dir), "\n\n") {
		if strings.Contains(block, "["+rule+"]") && !strings.HasPrefix(block, " ") {
			return strings.TrimRight(block, "\n") + "\n"
		}
	}
	t.Fatalf("%s: no %s:\n%s", dir, rule, reportOf(t, dir))
	return ""
}

// reportOf is what kubesettle prints of a case that lies in a folder by itself.
func reportOf(t *testing.T, dir string) string {
	t.Helper()
	return writtenOf(t, dir, "text")
}

func writtenOf(t *testing.T, dir, format string) string {
	t.Helper()
	alone := t.TempDir()
	if err := os.CopyFS(alone, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	args := []string{"verify", filepath.Join(alone, "manifests")}
	if _, err := os.Stat(filepath.Join(dir, "base")); err == nil {
		args = []string{"check", "--base-dir", filepath.Join(alone, "base"), "--head-dir", filepath.Join(alone, "head")}
	}
	args = append(args, "--policy", filepath.Join(alone, "policy.yaml"), "--output", format)
	var out, errs bytes.Buffer
	p := &process{
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		getenv: func(string) string { return "" }, today: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
	}
	if code := execute(context.Background(), p, args); code > 1 {
		t.Fatalf("%s: exit code %d\n%s", dir, code, errs.String())
	}
	return out.String()
}
