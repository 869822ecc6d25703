package verify

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// customRulesDocs is the page with examples of custom intents.
const customRulesDocs = "../testdata/intents/README.md"

var customBlock = regexp.MustCompile("(?ms)^```(?:yaml|text) (\\w+)\n(.*?)^```$")

// TestCustomRulesPage: each example of the page is found as it says, and its repaired manifests
// are clean.
func TestCustomRulesPage(t *testing.T) {
	page, err := os.ReadFile(customRulesDocs)
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "\n## Example: ")[1:]
	if len(examples) != 5 {
		t.Fatalf("%d examples in %v", len(examples), customRulesDocs)
	}
	for _, text := range examples {
		title, text, _ := strings.Cut(text, "\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			blocks := map[string]string{}
			for _, m := range customBlock.FindAllStringSubmatch(text, -1) {
				blocks[m[1]] = m[2]
			}
			p, err := policies.Load(".kubesettle.yaml", []byte(blocks["policy"]))
			if err != nil {
				t.Fatal(err)
			}
			r := exampleResult(t, p, blocks, "violating")
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == p.Custom[0].Name })
			if i < 0 {
				t.Fatalf("violating:\n%s", outline(r))
			}
			if got, want := r.Findings[i].Message, strings.TrimSpace(blocks["finding"]); got != want {
				t.Errorf("violating says\n%s, want\n%s", got, want)
			}
			if files := r.Findings[i].Locations; !slices.ContainsFunc(files, func(l finding.Location) bool { return l.File == ".kubesettle.yaml" && l.StartLine > 1 }) {
				t.Errorf("no location is in the policy: %+v", files)
			}
			if r := exampleResult(t, p, blocks, "repaired"); len(r.Findings) > 0 || r.Coverage.Bound != "complete" || r.Verdict != finding.Pass {
				t.Errorf("repaired (%s):\n%s", r.Verdict, outline(r))
			}
		})
	}
}

// exampleResult verifies one of an example's blocks, as a change of base where it has one.
func exampleResult(t *testing.T, p *policies.Policy, blocks map[string]string, which string) *finding.Result {
	t.Helper()
	revision := func(name string) *object.Revision {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(blocks[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		return caseRevision(t, dir)
	}
	opt := Options{Policy: p, Workers: 2}
	head := revision(which)
	if blocks["base"] == "" {
		return verdict(t)(Verify(context.Background(), head, opt))
	}
	ch, err := render.Diff(revision("base"), head)
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Check(context.Background(), ch, opt))
}
