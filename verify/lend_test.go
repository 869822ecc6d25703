package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// actingKind is a document of a kind that acts on workloads of other releases.
var actingKind = regexp.MustCompile(`(?m)^kind: (` + strings.Join(slice.ActingKinds(), "|") + `)$`)

// TestTwoReleasesOfOneCluster holds that splitting a release into two of one cluster changes no finding: the scripts
// that have objects which act on workloads find the same where some of these are in a release of their own.
func TestTwoReleasesOfOneCluster(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for n, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		manifests := slices.ContainsFunc(ar.Files, func(f txtar.File) bool {
			return strings.HasPrefix(f.Name, "head/") && actingKind.Match(f.Data)
		})
		charts := slices.ContainsFunc(ar.Files, func(f txtar.File) bool {
			name := path.Base(f.Name)
			return name == "Chart.yaml" || name == "kustomization.yaml" || strings.Contains(string(f.Data), "kind: Application") ||
				strings.Contains(string(f.Data), "toolkit.fluxcd.io")
		})
		based := slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "base/") })
		if !manifests || charts || !based || testing.Short() && n%8 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(n), 38))
			away := map[string]bool{}
			want := splitRun(t, ar, func(string) bool { return false })
			got := splitRun(t, ar, func(id string) bool {
				if _, known := away[id]; !known {
					away[id] = len(away) == 0 || r.IntN(3) > 0
				}
				return away[id]
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("in two releases (-one +two):\n%s", d)
			}
		})
	}
}

// splitRun checks a script with some of its acting objects, by kind and name, in another release of the same cluster.
func splitRun(t *testing.T, ar *txtar.Archive, away func(id string) bool) []string {
	t.Helper()
	sides := map[string]map[string]string{"base": {}, "head": {}}
	for _, f := range ar.Files {
		side, name, ok := strings.Cut(f.Name, "/")
		if !ok || sides[side] == nil {
			continue
		}
		of := map[string][]string{}
		for _, doc := range strings.Split("\n"+string(f.Data), "\n---") {
			dir := "app"
			if m := actingKind.FindString(doc); m != "" && away(m+" "+objectName(doc)) {
				dir = "platform"
			}
			of[dir] = append(of[dir], strings.TrimPrefix(doc, "\n"))
		}
		for dir, docs := range of {
			sides[side][dir+"/"+name] = strings.Join(docs, "\n---\n")
		}
	}
	opt, _ := scriptOptions(t, ar)
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
	for _, f := range ar.Files {
		if f.Name == pol.Controllers.DeschedulerPolicy {
			d, err := policies.LoadDescheduler(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			pol.Controllers.Descheduler, pol.Controllers.DeschedulerLines = d, policies.FieldLines(f.Data)
		}
		if f.Name == pol.Cluster.NodesFile {
			if err := pol.SetNodes(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	pol.Cluster.Releases = []string{"**"}
	opt.Policy, opt.Workers = pol, 2
	return verdictLines(verdict(t)(Check(context.Background(), clusterChanges(t, sides["base"], sides["head"]), opt)))
}

var nameOf = regexp.MustCompile(`(?m)^metadata: *(?:\n  name:|\{.*?name:) *([^\s,}]+)`)

func objectName(doc string) string {
	if m := nameOf.FindStringSubmatch(doc); m != nil {
		return m[1]
	}
	return doc
}

// clusterChanges renders two sides as the command line does.
func clusterChanges(t *testing.T, was, is map[string]string) *object.Changes {
	t.Helper()
	base, err := tree.Map("base", was)
	if err != nil {
		t.Fatal(err)
	}
	head, err := tree.Map("head", is)
	if err != nil {
		t.Fatal(err)
	}
	b, h, err := render.RenderBoth(context.Background(), base, head,
		render.Options{Concerns: slice.Concerns(), Leftovers: Leftovers(), Acting: slice.ActingKinds()})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// verdictLines are the findings of a result, one a line: what is found of whom, how surely and gravely, and who is to blame.
func verdictLines(r *Result) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Status == finding.Fixed && f.Workload == "" {
			continue
		}
		var blame []string
		for _, b := range f.Blame {
			blame = append(blame, b.Object+" "+b.Path)
		}
		slices.Sort(blame)
		fix := ""
		if f.Fix != nil {
			fix = f.Fix.Text
		}
		out = append(out, fmt.Sprintf("%s %s %s %s %s: %s; blame %v; fix %s", f.Status, f.Severity, f.Certainty, f.Rule,
			f.Workload, f.Message, blame, fix))
	}
	slices.Sort(out)
	return append(out, string(r.Verdict))
}
