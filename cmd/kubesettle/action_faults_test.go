package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An output names no file that could not be written: the step after would look for it.
func TestActionNamesNoFileThatIsNotThere(t *testing.T) {
	s := newStep(t, 1500)
	s.write("workspace/taken/file", "x") // a folder that is not empty is no place for a file
	s.env["INPUT_SARIF-FILE"], s.env["INPUT_REPORT-FILE"], s.env["INPUT_HTML-FILE"] = "taken", "../outside.json", "ok.html"
	s.want(exitFinding)
	for name, want := range map[string]string{"sarif-file": "", "report-file": "", "html-file": "ok.html", "verdict": "fail"} {
		if got, ok := s.outputs()[name]; !ok || got != want {
			t.Errorf("output %s: %q, want %q", name, got, want)
		}
	}
	if n := strings.Count(s.log.String(), "::warning::"); n != 2 {
		t.Errorf("%d warnings, want one a file:\n%s", n, s.log.String())
	}
}

// A disk that is full in the middle of a report leaves no half of it behind.
func TestActionLeavesNoHalfReport(t *testing.T) {
	s := newStep(t, 200)
	err := (&actionRun{}).file(s.dir, "r.json", func(w io.Writer) error {
		_, _ = io.WriteString(w, "{")
		return syscall.ENOSPC
	})
	if err == nil || !strings.Contains(err.Error(), "r.json was not written") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "r.json")); err == nil {
		t.Error("half a report was left")
	}
}

// A policy that is named and not there is an error: the default in its place would be
// another gate. One that the change brings is used after the merge.
func TestActionRefusesAPolicyThatIsNotThere(t *testing.T) {
	s := newStep(t, 200)
	for _, outside := range []string{"/etc/policy.yaml", "../policy.yaml"} {
		s.env["INPUT_CONFIG"] = outside
		s.want(exitUsage)
		if !strings.Contains(s.log.String(), "config: "+outside+" is outside the repository") {
			t.Errorf("not said:\n%s", s.log.String())
		}
	}
	s.env["INPUT_CONFIG"] = "ci/polcy.yaml"
	s.want(exitUsage)
	if !strings.Contains(s.log.String(), "ci/polcy.yaml is neither on base nor on head") {
		t.Errorf("not said:\n%s", s.log.String())
	}
	s.git("checkout", "--quiet", "topic")
	s.write("workspace/ci/polcy.yaml", actionPolicy)
	s.git("add", "--all")
	s.git("commit", "--quiet", "-m", "policy")
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
	s.event("pull_request", s.pull("shop/gitops"))
	s.want(exitPass)
	if !strings.Contains(s.log.String(), "this change adds ci/polcy.yaml") {
		t.Errorf("not said:\n%s", s.log.String())
	}
}

// A signal is named, and its run decided nothing.
func TestSignalIsNamed(t *testing.T) {
	s := newStep(t, 1500)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&stopped{syscall.SIGTERM})
	var out strings.Builder
	p := &process{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(k string) string { return s.env[k] }}
	if code := execute(ctx, p, []string{"action"}); code != exitAnalysis {
		t.Errorf("exit code %d", code)
	}
	if text := out.String(); !strings.Contains(text, "stopped by SIGTERM") || strings.Contains(text, "context canceled") {
		t.Errorf("it said:\n%s", text)
	}
	if s.outputs()["verdict"] != "error" {
		t.Errorf("verdict %q", s.outputs()["verdict"])
	}
}

// The manual says that a run for a fork opens no connection: a shallow clone of it is no
// reason to, even where a token is there.
func TestActionFetchesNoBaseForAFork(t *testing.T) {
	s := newStep(t, 1500)
	payload := s.pull("shop/gitops")
	shallow(s)
	s.env["INPUT_GITHUB-TOKEN"], s.env["INPUT_COMMENT"] = "t0ken", "never"
	s.env["GITHUB_SERVER_URL"] = "file://" + s.dir
	s.event("pull_request", payload)
	s.want(exitFinding) // the repository's own is fetched
	payload["pull_request"].(map[string]any)["head"].(map[string]any)["repo"] = map[string]string{"full_name": "stranger/gitops"}
	s.event("pull_request", payload)
	s.want(exitAnalysis)
	if log := s.log.String(); !strings.Contains(log, "fetch-depth: 2") || strings.Contains(log, "could not be fetched") {
		t.Errorf("it said:\n%s", log)
	}
}
