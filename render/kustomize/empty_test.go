package kustomize

import (
	"math/rand/v2"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// TestEmptyAsUpstream: a kustomization is refused where upstream refuses it as empty, and only there.
func TestEmptyAsUpstream(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	lines := []string{"apiVersion: kustomize.config.k8s.io/v1beta1\n", "kind: Kustomization\n", "# a comment\n", "resources:\n",
		"images: []\n", "bases:\n", "configMapGenerator: []\n", "labels:\n", "generatorOptions: {}\n", "patches: null\n"}
	refused := 0
	for range 200 {
		text := ""
		for _, l := range lines {
			if rnd.IntN(4) == 0 {
				text += l
			}
		}
		files := map[string]string{"app/kustomization.yaml": text}
		m, err := tree.Map("head", files)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source.New(m)
		if err != nil {
			t.Fatal(err)
		}
		_, want := build(map[string][]byte{"app/kustomization.yaml": []byte(text)}, "/app", krusty.MakeDefaultOptions())
		_, got := Gather(s, release.Release{Release: object.Release{ID: "app", Kind: object.Kustomize, Path: "app"}})
		if (got != nil) != (want != nil) {
			t.Fatalf("%q: %v, upstream %v", text, got, want)
		}
		if want != nil {
			refused++
		}
	}
	if refused == 0 || refused == 200 {
		t.Errorf("%d of 200 refused: the texts show nothing", refused)
	}
}
