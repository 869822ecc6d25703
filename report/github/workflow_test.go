package github

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/report"
)

// runner is the environment of a step, with the files that it writes to.
func runner(t *testing.T) (w *Workflow, log *bytes.Buffer, file func(name string) string) {
	dir := t.TempDir()
	env := map[string]string{
		"GITHUB_OUTPUT": filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"),
		"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "testdata/events/push.json", "GITHUB_REPOSITORY": "shop/gitops",
		"INPUT_FAIL-ON": "  new-error ",
	}
	log = &bytes.Buffer{}
	file = func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return NewWorkflow(log, func(k string) string { return env[k] }), log, file
}

func TestWorkflowReadsItsEnvironment(t *testing.T) {
	w, _, _ := runner(t)
	if got := w.Input("fail-on"); got != "new-error" {
		t.Errorf("input: %q", got)
	}
	e, err := w.Event()
	if err != nil || e.BaseSHA != baseSHA {
		t.Errorf("event: %+v, %v", e, err)
	}
	bare := NewWorkflow(&bytes.Buffer{}, func(string) string { return "" })
	if _, err := bare.Event(); !errors.Is(err, ErrEvent) {
		t.Errorf("outside of a workflow: %v", err)
	}
	missing := NewWorkflow(&bytes.Buffer{}, func(k string) string {
		return map[string]string{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "nosuch.json"}[k]
	})
	if _, err := missing.Event(); !errors.Is(err, ErrEvent) {
		t.Errorf("a payload that is not there: %v", err)
	}
}

// An output is one line; what could forge a second one is refused.
func TestWorkflowOutput(t *testing.T) {
	w, _, file := runner(t)
	for _, bad := range []string{"pass\nverdict=fail", "a\r", "a\x00b", "\u202eabc"} {
		if err := w.Output("verdict", bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, v := range []string{"fail", "", "_GitHubActionsFileCommandDelimeter_"} {
		if err := w.Output("verdict", v); err != nil {
			t.Errorf("%q: %v", v, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(file("output")), "\n")
	if len(lines) != 9 || lines[1] != "fail" || lines[4] != "" {
		t.Fatalf("got %q", lines)
	}
	if lines[0] == lines[3] || !strings.HasPrefix(lines[0], "verdict<<") || strings.TrimPrefix(lines[0], "verdict<<") != lines[2] {
		t.Errorf("delimiters: %q, %q", lines[0], lines[3])
	}
	bare := NewWorkflow(&bytes.Buffer{}, func(string) string { return "" })
	if err := bare.Output("verdict", "fail"); err != nil {
		t.Errorf("without GITHUB_OUTPUT: %v", err)
	}
	lost := NewWorkflow(&bytes.Buffer{}, func(string) string { return filepath.Join(t.TempDir(), "no", "such", "folder") })
	if lost.Output("verdict", "fail") == nil {
		t.Error("a file that cannot be written was not said")
	}
}

// go-githubactions panics where it cannot write; here it is an error.
func TestWorkflowSummary(t *testing.T) {
	w, _, file := runner(t)
	if err := w.Summary("## One"); err != nil {
		t.Fatal(err)
	}
	if err := w.Summary(strings.Repeat("x", maxSummaryBytes)); err == nil {
		t.Error("more than GitHub takes was written")
	}
	if got := file("summary"); got != "## One\n" {
		t.Errorf("got %q", got)
	}
	bare := NewWorkflow(&bytes.Buffer{}, func(string) string { return "" })
	if err := bare.Summary("x"); err != nil {
		t.Errorf("without GITHUB_STEP_SUMMARY: %v", err)
	}
	lost := NewWorkflow(&bytes.Buffer{}, func(string) string { return filepath.Join(t.TempDir(), "no", "such", "folder") })
	if lost.Summary("x") == nil {
		t.Error("a file that cannot be written was not said")
	}
}

// Whatever is printed, only our own commands are commands.
func TestWorkflowLogHoldsNoCommands(t *testing.T) {
	hostile := "::error::x\n  ::set-output name=verdict::pass\n##[error]y\n\x1b[31m::add-mask::z\r::stop-commands::w"
	w, log, _ := runner(t)
	w.Log(hostile)
	w.Group("title\n::error::t", hostile)
	w.Notice(hostile)
	w.Warning(hostile)
	w.Error(hostile)
	w.Annotate(report.Annotation{Level: "error", File: "a,b::c.yaml", Line: 3, Message: hostile})
	w.Mask("secret\n::error::x")
	var commands []string
	for _, l := range strings.FieldsFunc(log.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if trimmed := strings.TrimLeft(l, " \t\x1b[0123456789m"); strings.HasPrefix(trimmed, "::") {
			commands = append(commands, strings.SplitN(trimmed[2:], "::", 2)[0])
		} else if strings.Contains(l, "##[") {
			t.Errorf("an old command: %q", l)
		}
	}
	want := []string{"group", "endgroup", "notice", "warning", "error", "error file=a%2Cb%3A%3Ac.yaml,line=3"}
	if strings.Join(commands, "|") != strings.Join(want, "|") {
		t.Errorf("commands %q\nwant %q", commands, want)
	}
}

// A clone of depth 1 lacks base; it is fetched alone, without its history.
func TestFetchCommit(t *testing.T) {
	origin := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = origin
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	git("config", "uploadpack.allowReachableSHA1InWant", "true")
	git("commit", "--quiet", "--allow-empty", "-m", "one")
	git("commit", "--quiet", "--allow-empty", "-m", "two")
	sha := git("rev-parse", "HEAD")
	git("commit", "--quiet", "--allow-empty", "-m", "three")
	dir := t.TempDir()
	if err := FetchCommit(t.Context(), dir, "file://"+origin, sha, ""); err != nil {
		t.Fatal(err)
	}
	count, err := exec.Command("git", "-C", dir, "rev-list", "--count", sha).CombinedOutput()
	if err != nil || strings.TrimSpace(string(count)) != "1" {
		t.Errorf("history of %s commits, %v; want 1", count, err)
	}
	if err := FetchCommit(t.Context(), t.TempDir(), "file://"+origin, forkSHA, ""); err == nil {
		t.Error("a commit that is not there was fetched")
	}
	if err := FetchCommit(t.Context(), t.TempDir(), "file://"+origin, "main", ""); err == nil {
		t.Error("a branch was fetched")
	}
}
