package verify

import (
	"maps"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A kustomization of everything that is broken on both sides alike hides nothing: the verdict is that of what it lists,
// as a release of its own or as it stands. It counts where it alone reads what changes, and lists it as no resource.
// Where only another host's file is missing the rest is built, and the content of a ConfigMap cannot reach that file.
func TestBrokenKustomizationsStandAside(t *testing.T) {
	config := func(v string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: " + v + "}\n"
	}
	const app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\n" +
		"spec: {source: {repoURL: https://git.example.com/org/repo, path: all/part}, destination: {namespace: shop}}\n"
	files := map[string]string{
		"apps/app.yaml": app, "all/kustomization.yaml": "resources: [part, own.yaml, lost]\n",
		"all/part/kustomization.yaml": "resources: [c.yaml]\n", "all/part/c.yaml": config("one"),
		"all/own.yaml": config("one"),
	}
	for _, x := range []struct {
		name, file, list string
		want             finding.Verdict
	}{
		{"a part", "all/part/c.yaml", "", finding.Pass},
		{"what it alone lists", "all/own.yaml", "", finding.Pass},
		{"what it alone reads", "all/own.yaml",
			"resources: [part, lost]\nconfigMapGenerator: [{name: g, files: [own.yaml]}]\n", finding.Inconclusive},
		{"a part, and another host's file", "all/part/c.yaml",
			"resources: [part, 'https://example.com/a.yaml']\n", finding.Pass},
	} {
		var sides []tree.Tree
		for _, v := range []string{"one", "two"} {
			own := maps.Clone(files)
			if own[x.file] = config(v); x.list != "" {
				own["all/kustomization.yaml"] = x.list
			}
			side, err := tree.Map("side", own)
			if err != nil {
				t.Fatal(err)
			}
			sides = append(sides, side)
		}
		if r := checkSides(t, sides[0], sides[1]); r.Verdict != x.want {
			t.Errorf("%s: %s, want %s: %+v", x.name, r.Verdict, x.want, r.Releases)
		}
	}
}
