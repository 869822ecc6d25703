package verify

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// The manifests of Kivi's authors, as they lie, each give the finding that they were written for. Some need 20 s.
func TestKiviAuthorsManifests(t *testing.T) {
	comparison(t)
	ar, err := txtar.ParseFile("../testdata/kivi/authors.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]map[string]string{} // by case
	for _, f := range ar.Files {
		if of, name, ok := strings.Cut(f.Name, "/"); ok {
			if files[of] == nil {
				files[of] = map[string]string{}
			}
			files[of][name] = string(f.Data)
		}
	}
	if len(files) != 16 {
		t.Fatalf("%d cases", len(files))
	}
	for name, of := range files {
		t.Run(name, func(t *testing.T) {
			p, err := policies.Load("policy.yaml", []byte(of["policy.yaml"]))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.SetNodes("nodes.yaml", []byte(of["nodes.yaml"])); err != nil {
				t.Fatal(err)
			}
			ch, err := render.Diff(sideIn(t, of, "base"), sideIn(t, of, "head"))
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{Policy: p, Workers: 1}
			opt.Plain = true
			r := verdict(t)(Check(context.Background(), ch, opt))
			rule := strings.TrimSpace(of["WANT"])
			if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
				return f.Rule == rule && (f.Status == finding.New || f.Status == finding.Worsened) && f.Severity != "note"
			}) {
				t.Errorf("no %s:\n%s", rule, outline(r))
			}
		})
	}
}

// sideIn renders one side of the files of a case.
func sideIn(t *testing.T, files map[string]string, side string) *object.Revision {
	t.Helper()
	own := map[string]string{}
	for name, text := range files {
		if name, ok := strings.CutPrefix(name, side+"/"); ok {
			own[name] = text
		}
	}
	tr, err := tree.Map(side, own)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tr, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}
