package render

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
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
		ID: "declared", Kind: release.Helm, Path: "charts/shop", Name: "shop", Set: map[string]string{"replicas": "9"},
		SetAt: map[string]document.Location{"replicas": {File: ".kubesettle.yaml", StartLine: 6}},
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

func only(rev *Revision, id string) *Revision {
	one := &Revision{Name: rev.Name}
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
