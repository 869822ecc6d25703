package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// An entry of a kustomization that finds nothing is told where it stands, and no other.
func TestInVain(t *testing.T) {
	t.Parallel()
	docs := []document.Document{
		{Content: map[string]any{"kind": "Deployment", "metadata": map[string]any{"name": "web"}, "spec": map[string]any{
			"containers": []any{map[string]any{"image": "host:5000/org/web:2"}, map[string]any{"image": "side@sha256:1"}}}}},
		{Content: map[string]any{"kind": "Service", "metadata": map[string]any{"name": "web"}}},
	}
	recipe := func(text string) *release.Recipe {
		return &release.Recipe{Release: release.Release{Release: object.Release{Kind: object.Kustomize, Path: "k"}},
			Files: map[string][]byte{"k/kustomization.yaml": []byte(text)}}
	}
	patch := "patches:\n- target: "
	for text, want := range map[string]string{
		"images:\n- name: host:5000/org/web\n  newTag: '2'":              "",
		"images:\n- name: old\n  newName: side\n  digest: sha256:1":      "",
		"images:\n- name: side\n- name: host:5000/org/wev\n  newTag: x":  "3 no container has image host:5000/org/wev; host:5000/org/web",
		"images:\n- name: nginx\n  newTag: x":                            "2 no container has image nginx; ",
		"images:\n- {name: a, newName: b}\n- {name: b, newName: side}":   "",
		"images:\n- name: w.*":                                           "",
		"namePrefix: x-\nimages:\n- name: nginx":                         "",
		patch + "{kind: Deployment, name: web}\n  patch: x":              "",
		patch + "{kind: Deployment, name: w.*}\n  patch: x":              "",
		patch + "{kind: Deployment}\n  patch: x":                         "",
		patch + "{name: api}\n  patch: x":                                "",
		patch + "{kind: Deployment, name: webs}\n  patch: x":             "2 there is no Deployment webs; web",
		patch + "{kind: StatefulSet}\n  patch: x":                        "2 there is no StatefulSet; ",
		patch + "{kind: ConfigMap, name: generated}\n  patch: x":         "",
		"patches:\n- path: p.yaml":                                       "",
		"replacements:\n- targets: [{select: {kind: Service, name: w}}]": "2 there is no Service w; ",
	} {
		head := recipe(text)
		var got []string
		for _, n := range InVain(nil, head, nil, docs) {
			got = append(got, fmt.Sprintf("%d %s; %s", n.Line, n.Args[1], n.Args[2]))
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%q: %q, want %q", text, all, want)
		}
		if n := InVain(recipe("# a comment\n"+text), head, docs, docs); len(n) > 0 {
			t.Errorf("%q was there, and is told: %v", text, n)
		}
		if n := InVain(recipe(""), head, docs, nil); len(n) > 0 {
			t.Errorf("%q: nothing is built, and it is told: %v", text, n)
		}
	}
	head := recipe(patch + "{kind: Job, name: old}\n  patch: '{$patch: delete}'")
	gone := []document.Document{{Content: map[string]any{"kind": "Job", "metadata": map[string]any{"name": "old"}}}}
	if n := InVain(recipe(""), head, gone, docs); len(n) > 0 {
		t.Errorf("a patch that deletes what base has: %v", n)
	}
	head.Holes = []object.Hole{{}}
	if n := InVain(nil, head, nil, docs); len(n) > 0 {
		t.Errorf("something is not known: %v", n)
	}
}
