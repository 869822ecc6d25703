package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var workflowBlock = regexp.MustCompile("(?s)```yaml\n(name: .*?)```")

// The manual's workflows, with the action of this repository in the place of the
// released one, and action.yml with them: actionlint knows the inputs then. `make lint`
// names its command.
func TestDocumentedWorkflowsAreWellFormed(t *testing.T) {
	lint := strings.Fields(os.Getenv("ACTIONLINT"))
	if len(lint) == 0 {
		t.Skip("ACTIONLINT is not set: see make lint")
	}
	pages, err := filepath.Glob("../../docs/workflows/*.yml")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no workflow in docs/workflows: %v", err)
	}
	var list []string
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(page) == ".yml" {
			list = append(list, string(text))
			continue
		}
		found := workflowBlock.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Fatalf("%s has no workflow", page)
		}
		for _, m := range found {
			list = append(list, m[1])
		}
	}
	for _, text := range list {
		here := regexp.MustCompile(`uses: kubesettle/kubesettle@\S+`).ReplaceAllString(text, "uses: ./")
		if here == text && !strings.Contains(here, "ghcr.io/kubesettle/kubesettle:") {
			t.Errorf("a workflow without the action and its image:\n%s", text)
		}
		if out, ok := actionlint(t, lint, here); !ok {
			t.Errorf("%s\n%s", out, here)
		}
		wrong := strings.Replace(here, "time-budget:", "time-bugdet:", 1)
		if out, ok := actionlint(t, lint, wrong); wrong != here && (ok || !strings.Contains(out, "time-bugdet")) {
			t.Errorf("an input that is not there was taken: %s", out)
		}
	}
}

// actionlint checks a workflow in a repository of its own.
func actionlint(t *testing.T, command []string, workflow string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"action.yml", "Dockerfile"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, ".github", "workflows", "w.yml")
	for _, sub := range []string{".git", filepath.Dir(".github/workflows/w.yml")} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(workflow), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(command[0], append(command[1:], "-no-color", file)...).CombinedOutput()
	if _, ran := err.(*exec.ExitError); err != nil && !ran {
		t.Fatal(err)
	}
	return string(out), err == nil
}
