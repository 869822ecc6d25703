package render

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
)

// The examples of testdata/render/provenance.md are what the repository in testdata gives; -rewrite
// writes them there.
func TestProvenanceExamples(t *testing.T) {
	archive, err := txtar.ParseFile("../testdata/render/provenance.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	tree, err := tree.Map("head", files)
	if err != nil {
		t.Fatal(err)
	}
	declared := release.Release{
		Release: object.Release{ID: "declared", Kind: object.Helm, Path: "charts/shop", Name: "shop"},
		Set:     map[string]string{"replicas": "9"}, SetAt: map[string]object.Location{"replicas": {File: ".kubesettle.yaml", StartLine: 6}},
	}
	rev, err := Render(t.Context(), tree, Options{Releases: []release.Release{declared}})
	if err != nil {
		t.Fatal(err)
	}
	table := "| release | object | field | value | set at | rung |\n|---|---|---|---|---|---|\n"
	for _, e := range []struct{ release, object, path string }{
		{"argocd:gitops:argocd/shop", "Deployment/shop", "spec.replicas"},
		{"argocd:gitops:argocd/shop", "Deployment/shop", "spec.strategy.rollingUpdate.maxUnavailable"},
		{"argocd:gitops:argocd/shop", "Deployment/shop", "spec.template.spec.containers[0].image"},
		{"argocd:gitops:argocd/shop", "Deployment/shop", "spec.template.spec.nodeSelector[disk]"},
		{"argocd:gitops:argocd/shop", "Deployment/shop", "spec.minReadySeconds"},
		{"argocd:gitops:argocd/shop", "StatefulSet/db", "spec.replicas"},
		{"argocd:gitops:argocd/shop", "PodDisruptionBudget/db", "spec.maxUnavailable"},
		{"helmrelease:gitops:flux/shop", "Deployment/shop", "spec.replicas"},
		{"declared", "Deployment/shop", "spec.replicas"},
		{"prod", "Deployment/web", "spec.replicas"},
		{"prod", "Deployment/web", "spec.template.spec.containers[0].image"},
		{"prod", "Deployment/web", "spec.template.spec.containers[0].resources.requests[cpu]"},
		{"prod", "Deployment/web", "spec.template.spec.topologySpreadConstraints[0].maxSkew"},
		{"prod", "Deployment/web", "spec.minReadySeconds"},
		{"prod", "HorizontalPodAutoscaler/web", "spec.maxReplicas"},
		{"prod", "HorizontalPodAutoscaler/web", "spec.minReplicas"},
	} {
		o := find(t, only(rev, e.release), e.object)
		v, _ := fieldpath.Parse(e.path).Get(o.Content)
		at := o.Locate(e.path)
		table += fmt.Sprintf("| `%s` | `%s` | `%s` | `%v` | `%s:%d` | %s |\n", e.release, e.object, e.path, v, at.File, at.StartLine, at.Rung)
	}
	keepTable(t, "../testdata/render/provenance.md", "provenance", table)
}

// Three dashes before a file's document move what it sets by one line, whatever way it takes into an object.
func TestLeadingDashesMoveLines(t *testing.T) {
	archive, err := txtar.ParseFile("../testdata/render/provenance.txtar")
	if err != nil {
		t.Fatal(err)
	}
	plain, dashed := map[string]string{}, map[string]string{}
	for _, f := range archive.Files {
		plain[f.Name], dashed[f.Name] = string(f.Data), string(f.Data)
		if !strings.Contains(f.Name, "/templates/") && !strings.HasSuffix(f.Name, "Chart.yaml") {
			dashed[f.Name] = "---\n" + dashed[f.Name]
		}
	}
	was, now := places(t, plain), places(t, dashed)
	if len(was) < 80 || len(now) != len(was) {
		t.Fatalf("%d and %d fields", len(was), len(now))
	}
	for field, at := range was {
		if at.StartLine > 0 && dashed[at.File] != plain[at.File] && at.Rung != "file" && at.Rung != "release" {
			at.StartLine++
		}
		if have := now[field]; have.File != at.File || have.StartLine != at.StartLine || have.Rung != at.Rung {
			t.Errorf("%s: at %s:%d (%s), want %s:%d (%s)", field, have.File, have.StartLine, have.Rung, at.File, at.StartLine, at.Rung)
		}
	}
}

// A chart's schema that knows no other values than those that there are hides no place.
func TestSchemasHideNoPlaces(t *testing.T) {
	archive, err := txtar.ParseFile("../testdata/render/provenance.txtar")
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]string{}
	for _, f := range archive.Files {
		plain[f.Name] = string(f.Data)
	}
	strict := maps.Clone(plain)
	strict["charts/shop/values.schema.json"] = `{"properties": {
		"replicas": {"enum": [2, 5, 7]},
		"image": {"properties": {"repository": {"const": "registry.example.com/shop"}, "tag": {"enum": ["v1", "v2"]}}},
		"strategy": {"properties": {"maxUnavailable": {"enum": [0, 1]}}},
		"nodeSelector": {"const": {"disk": "ssd"}},
		"db": {"properties": {"replicas": {"const": 3}, "policy": {"const": {"maxUnavailable": 1}}}}}}`
	was, now := places(t, plain), places(t, strict)
	if len(now) != len(was) {
		t.Fatalf("%d and %d fields", len(was), len(now))
	}
	for field, at := range was {
		if have := now[field]; have != at {
			t.Errorf("%s: at %s:%d (%s), want %s:%d (%s)", field, have.File, have.StartLine, have.Rung, at.File, at.StartLine, at.Rung)
		}
	}
}

// places are where the fields of what a repository renders are set.
func places(t *testing.T, files map[string]string) map[string]object.Location {
	t.Helper()
	tree, err := tree.Map("head", files)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(t.Context(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]object.Location{}
	for _, r := range rev.Releases {
		for _, o := range r.Objects {
			fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, _ any) {
				out[r.ID+" "+o.ID.String()+" "+p.String()] = o.Locate(p.String())
			})
		}
	}
	return out
}

func only(rev *object.Revision, id string) *object.Revision {
	one := &object.Revision{Name: rev.Name}
	for _, r := range rev.Releases {
		if r.ID == id {
			one.Releases = append(one.Releases, r)
		}
	}
	return one
}

// keepTable compares a table of a page with what it should be.
func keepTable(t *testing.T, page, name, table string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(string(b), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no %q and %q", page, begin, end)
	}
	if have == table {
		return
	}
	if f := flag.Lookup("rewrite"); f == nil || f.Value.String() != "true" {
		t.Fatalf("%s: the table is\n%swant\n%sgo test ./render -run Provenance -rewrite", page, have, table)
	}
	if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
