package verify

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// headRevision is a case's head with other texts of some of its files.
func headRevision(t testing.TB, dir string, edited map[string]string) *object.Revision {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(root, name)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range edited {
		files[name] = text
	}
	tree, err := tree.Map("head", files)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tree, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// Every edit that is offered for a documented failure is applied as text, and the run made
// again: the finding is gone, and there is none that was not there before.
func TestOfferedEditsHold(t *testing.T) {
	notUnderRace(t)
	offered, least := 0, 35
	for i, c := range documentedCases {
		if testing.Short() && i%4 != 0 {
			least = 5
			continue // all of them in the long tests
		}
		dir := filepath.Join("../testdata", c.dir, "violating")
		before := caseResult(t, dir)
		for _, f := range before.Findings {
			for _, x := range []*finding.Fix{f.Fix, f.OtherFix} {
				if x == nil || !x.Mechanical || f.Status == finding.Existing || f.Status == finding.Fixed {
					continue
				}
				offered++
				for _, g := range caseWith(t, dir, x).Findings {
					known := slices.ContainsFunc(before.Findings, func(o finding.Finding) bool { return o.Rule == g.Rule && o.Workload == g.Workload })
					if g.Status != finding.Fixed && (!known || g.Rule == f.Rule && g.Workload == f.Workload) {
						t.Errorf("%s: %s of %s: %q leaves %s %s: %s", c.dir, f.Rule, f.Workload, x.Text, g.Status, g.Rule, g.Message)
					}
				}
			}
		}
	}
	if offered < least {
		t.Errorf("%d edits were offered", offered)
	}
	t.Logf("%d edits", offered)
}

// caseWith is the result of a case with an edit.
func caseWith(t testing.TB, dir string, x *finding.Fix) *finding.Result {
	t.Helper()
	side := filepath.Join(dir, "head")
	if _, err := os.Stat(side); err != nil {
		side = filepath.Join(dir, "manifests")
	}
	head := headRevision(t, side, map[string]string{x.Location.File: applied(t, side, x)})
	if filepath.Base(side) != "head" {
		return verdict(t)(Verify(context.Background(), head, caseOptions(t, dir)))
	}
	ch, err := render.Diff(caseRevision(t, filepath.Join(dir, "base")), head)
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Check(context.Background(), ch, caseOptions(t, dir)))
}

// applied is a file of a folder with an edit.
func applied(t testing.TB, dir string, x *finding.Fix) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, x.Location.File))
	if err != nil {
		t.Fatal(err)
	}
	return editedBy(t, string(b), x)
}

// editedBy is a text with an edit, which has to apply.
func editedBy(t testing.TB, text string, x *finding.Fix) string {
	t.Helper()
	e := judge.Edit{First: x.Location.StartLine, Last: x.Location.EndLine}
	for _, l := range judge.SplitLines(x.Replacement) {
		e.Lines = append(e.Lines, strings.TrimSuffix(l, "\n"))
	}
	out, ok := e.Apply(text)
	if !ok {
		t.Fatalf("%+v does not apply", x)
	}
	return out
}
