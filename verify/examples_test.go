package verify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestExamplesOfRules: of each pair that docs/rules.md takes an example from, head makes the mistake that the rule names,
// and the repair leaves nothing new. Files of head stand over those of base, and files of the repair over those of head.
func TestExamplesOfRules(t *testing.T) {
	files, err := filepath.Glob("../testdata/rules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		rule := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			over(ar, "base/", "head/")
			over(ar, "head/", "repaired/")
			r := runScript(t, ar, "head")
			if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == rule && f.Status == finding.New }) {
				t.Errorf("head has no new %s:\n%s", rule, outline(r))
			}
			r = runScript(t, ar, "repaired")
			if slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == rule || f.Status != finding.Existing }) {
				t.Errorf("the repair leaves:\n%s", outline(r))
			}
		})
	}
}

// over gives a side of a pair the files of another that it does not have.
func over(ar *txtar.Archive, below, side string) {
	for _, f := range ar.Files {
		rest, ok := strings.CutPrefix(f.Name, below)
		if ok && !slices.ContainsFunc(ar.Files, func(o txtar.File) bool { return o.Name == side+rest }) {
			ar.Files = append(ar.Files, txtar.File{Name: side + rest, Data: f.Data})
		}
	}
}
