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
	var list [][]string
	for _, page := range []string{"README.md", filepath.Join("docs", "ci.md")} {
		docs, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		found := workflowBlock.FindAllStringSubmatch(string(docs), -1)
		if len(found) == 0 {
			t.Fatalf("%s has no workflow", page)
		}
		list = append(list, found...)
	}
	for _, m := range list {
		here := regexp.MustCompile(`uses: kubesettle/kubesettle@\S+`).ReplaceAllString(m[1], "uses: ./")
		if here == m[1] && !strings.Contains(here, "ghcr.io/kubesettle/kubesettle:") {
			t.Errorf("a workflow without the action and its image:\n%s", m[1])
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
