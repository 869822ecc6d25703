package verify

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts give into their want sections")

// TestScripts acts out testdata/*.txtar: prose, a policy, the manifests of base and head,
// and sometimes of a repaired head (fixed). The section want holds the verdict of base →
// head, the section want-fixed that of base → fixed.
//
// A section want-NAME holds the verdict with the files below NAME/ in place of those of the
// same name: another policy, other nodes, a head by another name. One that reads "as want"
// asks for the same, but for what "X is called Y" lines say. The file options has lines
// "states N", a limit on the states of one search, "without RULE", and "exit N", what the
// gate ends with.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var prints fingerprints
	t.Cleanup(func() { prints.compare(t) })
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			t.Parallel()
			script(t, f, &prints)
		})
	}
}

func script(t *testing.T, file string, prints *fingerprints) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	plain := ""
	for i := range ar.Files {
		section := ar.Files[i].Name
		variant, ok := strings.CutPrefix(section, "want")
		if !ok {
			continue
		}
		wanted++
		variant = strings.TrimPrefix(variant, "-")
		got := ""
		if variant == "" {
			r := scriptAsItIs(t, file, ar).result
			prints.add(filepath.Base(file), r)
			got = "\n" + outline(r)
			plain = got
		} else {
			got = "\n" + outline(runScript(t, variantOf(ar, variant), "head"))
		}
		want := string(ar.Files[i].Data)
		if names, same := strings.CutPrefix(strings.TrimSpace(want), "as want"); same {
			want, got = plain, renamed(got, names)
		} else if *rewrite {
			ar.Files[i].Data = []byte(got)
			continue
		}
		if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", section, d)
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

// variantOf gives a script with the files below a folder in place of those without it; those of
// fixed/ are head's.
func variantOf(ar *txtar.Archive, variant string) *txtar.Archive {
	if variant == "" {
		return ar
	}
	out := &txtar.Archive{}
	own := map[string]bool{}
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, variant+"/")
		if !ok {
			continue
		}
		if variant == "fixed" {
			name = "head/" + name
		}
		own[name] = true
		out.Files = append(out.Files, txtar.File{Name: name, Data: f.Data})
	}
	for _, f := range ar.Files {
		if !own[f.Name] && (variant != "fixed" || !strings.HasPrefix(f.Name, "head/")) {
			out.Files = append(out.Files, f)
		}
	}
	return out
}

// renamed takes names out of an outline: the lines "X is called Y" put X where Y stands.
func renamed(outline, names string) string {
	for _, line := range strings.Split(names, "\n") {
		if x, y, ok := strings.Cut(strings.TrimSpace(line), " is called "); ok {
			outline = strings.ReplaceAll(outline, y, x)
		}
	}
	return outline
}

// runScript checks base against head, or verifies head alone where there is no base.
func runScript(t *testing.T, ar *txtar.Archive, head string) *finding.Result {
	t.Helper()
	return runScriptWith(t, ar, head, func(*Options) {})
}

// runScriptWith is runScript with other options.
func runScriptWith(t *testing.T, ar *txtar.Archive, head string, tune func(*Options)) *finding.Result {
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
	for _, f := range ar.Files {
		if f.Name == pol.Cluster.NodesFile {
			if err := pol.SetNodes(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	opt, exit := scriptOptions(t, ar)
	opt.Policy, opt.Workers = pol, 2
	tune(&opt)
	if !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "base/") }) {
		return ended(t, exit, pol)(Verify(context.Background(), scriptRevision(t, ar, head), opt))
	}
	b, h, err := render.RenderBoth(context.Background(), scriptTree(t, ar, "base"), scriptTree(t, ar, head), render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	return ended(t, exit, pol)(Check(context.Background(), ch, opt))
}

// ended is [verdict], with an exit code; -1: any.
func ended(t *testing.T, exit int, pol *policies.Policy) func(*finding.Result, error) *finding.Result {
	return func(r *finding.Result, err error) *finding.Result {
		t.Helper()
		if r = verdict(t)(r, err); exit >= 0 && r.ExitCode(pol.Gate.Gate) != exit {
			t.Errorf("exit code %d, want %d", r.ExitCode(pol.Gate.Gate), exit)
		}
		return r
	}
}

// scriptOptions are those of the file options; exit is -1 where it says none.
func scriptOptions(t *testing.T, ar *txtar.Archive) (opt Options, exit int) {
	t.Helper()
	exit = -1
	for _, f := range ar.Files {
		if f.Name != "options" {
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
			word, value, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(value)
			if err != nil && word != "without" {
				t.Fatal(err)
			}
			switch word {
			case "exit":
				exit = n
			case "states":
				opt.States = uint64(n)
			case "without":
				for _, r := range rules.All() {
					if r.ID != value {
						opt.Rules = append(opt.Rules, r.ID)
					}
				}
				if len(opt.Rules) == len(rules.All()) {
					t.Fatalf("there is no rule %s", value)
				}
			default:
				t.Fatalf("option %q", line)
			}
		}
	}
	return opt, exit
}

func verdict(t testing.TB) func(*finding.Result, error) *finding.Result {
	return func(r *finding.Result, err error) *finding.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func scriptRevision(t testing.TB, ar *txtar.Archive, side string) *object.Revision {
	t.Helper()
	rev, err := render.Render(context.Background(), scriptTree(t, ar, side), render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// scriptTree is the files of one side of a script.
func scriptTree(t testing.TB, ar *txtar.Archive, side string) tree.Tree {
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
	files, err := tree.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// outline words a result for goldens: everything but times and the sizes of searches,
// which the engine's own tests pin.
func outline(r *finding.Result) string {
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
		if f.Timing != "realistic" {
			fmt.Fprintf(&b, "  timing: %s\n", f.Timing)
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
