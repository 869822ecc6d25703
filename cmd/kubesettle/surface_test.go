package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// action.yml, docs/ci.md and the binary name the same inputs and outputs, with the same
// defaults.
func TestActionSurface(t *testing.T) {
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct {
			Description, Default string
			Required             bool
		}
		Outputs map[string]struct{ Description string }
		Runs    struct {
			Using, Image string
			Args         []string
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join(root, "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (?:`([^`]*)`)? ?\\|").FindAllStringSubmatch(section(string(docs), "### Inputs"), -1) {
		documented[m[1]] = m[2]
	}
	var names []string
	for _, in := range actionInputs {
		names = append(names, in.name)
		if got, ok := action.Inputs[in.name]; !ok || got.Default != in.value || got.Description == "" {
			t.Errorf("action.yml, input %s: default %q, want %q, and a description", in.name, got.Default, in.value)
		}
		if got, ok := documented[in.name]; !ok || got != in.value {
			t.Errorf("docs/ci.md, input %s: default %q, want %q", in.name, got, in.value)
		}
	}
	sameNames(t, "inputs of action.yml", slices.Collect(maps.Keys(action.Inputs)), names)
	sameNames(t, "inputs of docs/ci.md", slices.Collect(maps.Keys(documented)), names)

	var outputs []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(section(string(docs), "### Outputs"), -1) {
		outputs = append(outputs, m[1])
	}
	sameNames(t, "outputs of action.yml", slices.Collect(maps.Keys(action.Outputs)), actionOutputs)
	sameNames(t, "outputs of docs/ci.md", outputs, actionOutputs)
	if action.Runs.Using != "docker" || action.Runs.Image != "Dockerfile" || fmt.Sprint(action.Runs.Args) != "[action]" {
		t.Errorf("action.yml runs %+v: inputs must reach the binary as environment only", action.Runs)
	}
}

// Every input is read: a run asks the environment for each of them.
func TestActionReadsEveryInput(t *testing.T) {
	s := newStep(t, 200)
	asked := map[string]bool{}
	getenv := func(k string) string { asked[k] = true; return s.env[k] }
	if _, err := readInputs(workflowOf(s, getenv)); err != nil {
		t.Fatal(err)
	}
	for _, in := range actionInputs {
		if !asked["INPUT_"+strings.ToUpper(in.name)] {
			t.Errorf("input %s is never read", in.name)
		}
	}
}

// Every exit code of the manual is one of the program, and the other way round.
func TestExitCodesAreDocumented(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{section(string(docs), "## Exit codes"), about} {
		for code := exitPass; code <= exitInconclusive; code++ {
			if !regexp.MustCompile(fmt.Sprintf(`(?m)(^- |^  |\|)%d[ |]`, code)).MatchString(text) {
				t.Errorf("exit code %d is not in %.60q", code, text)
			}
		}
	}
}

// section is the part of a Markdown text under a heading.
func section(text, heading string) string {
	_, after, _ := strings.Cut(text, "\n"+heading+"\n")
	level := strings.Repeat("#", strings.Count(heading, "#"))
	if i := regexp.MustCompile(`(?m)^#{1,` + fmt.Sprint(len(level)) + `} `).FindStringIndex(after); i != nil {
		after = after[:i[0]]
	}
	return after
}

func sameNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v\nwant %v", what, got, want)
	}
}

// What the pre-commit framework runs is a command line that the program takes; it hands over no
// files, of which an index has more than a command line holds.
func TestHooksAreCommands(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Language, Entry string
		PassFilenames             *bool `json:"pass_filenames"`
	}
	if err := yaml.Unmarshal(data, &hooks); err != nil || len(hooks) == 0 {
		t.Fatalf("%d hooks: %v", len(hooks), err)
	}
	for _, h := range hooks {
		words := strings.Fields(h.Entry)
		cmd, rest, err := newRoot(&process{}).Find(words[1:])
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil || cmd.Name() != "check" || !cmd.Flags().Changed("staged") {
			t.Errorf("%s: %q is no check of what is staged: %v", h.ID, h.Entry, err)
		}
		program := words[0] == "kubesettle" || h.Language == "docker_image" && strings.HasPrefix(words[0], "ghcr.io/kubesettle/")
		if !program || h.PassFilenames == nil || *h.PassFilenames {
			t.Errorf("%s: runs %q, with files: %v", h.ID, words[0], h.PassFilenames)
		}
	}
}
