package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// asked is what a command prints.
func asked(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	p := &process{stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if code := execute(t.Context(), p, args); code != exitPass {
		t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
	}
	return out.String()
}

// A shell that asks for the values of a flag gets every one that the flag takes.
func TestCompletionHasTheValues(t *testing.T) {
	for _, tc := range []struct {
		command, flag string
		want, not     []string
	}{
		{"check", "--output", []string{"text", "codequality", "junit", "diff"}, nil},
		{"verify", "--output", []string{"junit"}, []string{"diff"}},
		{"render", "--output", []string{"yaml"}, []string{"sarif"}},
		{"check", "--rule", []string{"unschedulable\t", "rollout-stuck\t"}, nil},
		{"merge", "--fail-on", []string{"off", "error", "new-warning\t", "any-note\t"}, nil},
		{"check", "--on-inconclusive", []string{"warn", "fail"}, nil},
	} {
		got := "\n" + asked(t, cobra.ShellCompRequestCmd, tc.command, tc.flag, "")
		for _, w := range tc.want {
			if !strings.Contains(got, "\n"+w) {
				t.Errorf("%s %s: no %q in %q", tc.command, tc.flag, w, got)
			}
		}
		for _, w := range tc.not {
			if strings.Contains(got, "\n"+w) {
				t.Errorf("%s %s: %q in %q", tc.command, tc.flag, w, got)
			}
		}
	}
	for flag, list := range values() {
		if flag != "fail-on" {
			continue
		}
		for _, v := range list { // what is offered is taken
			v, _, _ = strings.Cut(v, "\t")
			g := gating{failOn: v}
			if _, err := g.gate(nil); err != nil {
				t.Errorf("--fail-on %s is offered and refused: %v", v, err)
			}
		}
	}
}

// Each command that --help lists has a page, and pages say nothing of when they were made.
func TestManualPages(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	asked(t, "man", one)
	asked(t, "man", two)
	pages, err := filepath.Glob(filepath.Join(one, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		a, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(two, filepath.Base(page)))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", filepath.Base(page), err)
		}
	}
	listed := 0
	for _, c := range newRoot(&process{}).Commands() {
		page := filepath.Join(one, "kubesettle-"+c.Name()+".1")
		text, err := os.ReadFile(page)
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		listed++
		if err != nil || !bytes.Contains(text, []byte(".SH")) {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
	if listed < 8 {
		t.Errorf("%d commands", listed)
	}
}
