package verify

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/judge"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts give into their want sections")

// TestScripts acts out testdata/*.txtar: prose, a policy, the manifests of base and head,
// and sometimes of a repaired head (fixed). The section want holds the verdict of base →
// head, the section want-fixed that of base → fixed.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			t.Parallel()
			script(t, f)
		})
	}
}

func script(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for _, side := range []struct{ section, head string }{{"want", "head"}, {"want-fixed", "fixed"}} {
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == side.section })
		if i < 0 {
			continue
		}
		wanted++
		got := "\n" + outline(runScript(t, ar, side.head))
		if *rewrite {
			ar.Files[i].Data = []byte(got)
			continue
		}
		if d := cmp.Diff(strings.Split(string(ar.Files[i].Data), "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("base -> %s (-want +got):\n%s", side.head, d)
		}
	}
	if wanted == 0 {
		t.Fatal("the script wants nothing: add a section want")
	}
	if *rewrite {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runScript checks base against head, or verifies head alone where there is no base.
func runScript(t *testing.T, ar *txtar.Archive, head string) *Result {
	t.Helper()
	return runScriptWith(t, ar, head, func(*Options) {})
}

// runScriptWith is runScript with other options.
func runScriptWith(t *testing.T, ar *txtar.Archive, head string, tune func(*Options)) *Result {
	t.Helper()
	pol := policies.Default()
	for _, f := range ar.Files {
		if f.Name == "policy.yaml" {
			p, err := policies.Load(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			pol = p
		}
	}
	for _, f := range ar.Files { // the policy stands before it
		if f.Name == pol.Controllers.DeschedulerPolicy {
			d, err := policies.LoadDescheduler(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			pol.Controllers.Descheduler, pol.Controllers.DeschedulerLines = d, policies.FieldLines(f.Data)
		}
	}
	opt := Options{Policy: pol, Workers: 2}
	tune(&opt)
	h := scriptRevision(t, ar, head)
	if !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "base/") }) {
		return verdict(t)(Verify(context.Background(), h, opt))
	}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), h)
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Check(context.Background(), ch, opt))
}

func verdict(t testing.TB) func(*Result, error) *Result {
	return func(r *Result, err error) *Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func scriptRevision(t testing.TB, ar *txtar.Archive, side string) *render.Revision {
	t.Helper()
	dir := t.TempDir()
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, side+"/")
		if !ok {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := render.DirTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tree, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// outline words a result for goldens: everything but times and the sizes of searches,
// which the engine's own tests pin.
func outline(r *Result) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d topologies up to %d nodes, %s\n", r.Verdict, r.Coverage.Topologies, r.Coverage.MaxNodes, r.Coverage.Bound)
	for _, rel := range r.Releases {
		if rel.Status != "ok" {
			fmt.Fprintf(&b, "release %s %s: %s\n", rel.ID, rel.Status, rel.Reason)
		}
	}
	for _, w := range r.Workloads {
		fmt.Fprintf(&b, "%s %s: %s", w.Change, w.ID, w.Verdict)
		if w.Reason != "" {
			fmt.Fprintf(&b, " (%s)", w.Reason)
		}
		fmt.Fprintln(&b)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s %s %s, %s, scenario %s, at %d nodes, declared scale %v\n", f.Status, f.Severity, f.Rule, f.Certainty, f.Scenario, f.Scale.Nodes, f.AtDeclaredScale)
		fmt.Fprintf(&b, "  %s\n", f.Message)
		if f.Recovers != nil {
			fmt.Fprintf(&b, "  recovers: %v\n", *f.Recovers)
		}
		for i, s := range f.Interleaving {
			mark := ""
			if f.CycleStart != nil && *f.CycleStart == i {
				mark = " [loop]"
			}
			fmt.Fprintf(&b, "  %d.%s %s: %s\n", i+1, mark, s.Actor, s.Text)
		}
		for _, l := range f.Locations[:min(len(f.Locations), 2)] {
			fmt.Fprintf(&b, "  at %s:%d in diff %v\n", l.File, l.StartLine, l.InDiff)
		}
		for _, x := range f.Blame {
			fmt.Fprintf(&b, "  blame %s %s\n", x.Object, x.Path)
		}
		if x := f.Fix; x != nil && x.Mechanical {
			fmt.Fprintf(&b, "  fix %s:%d-%d: %s\n", x.Location.File, x.Location.StartLine, x.Location.EndLine, x.Text)
			for _, l := range judge.SplitLines(x.Replacement) {
				fmt.Fprintf(&b, "    |%s", l)
			}
		}
	}
	return b.String()
}
