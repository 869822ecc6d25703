package render

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// A release that is equal on both sides is rendered once. A definition that another
// release adds gives its kind's scope to both sides.
func TestRenderBothReuses(t *testing.T) {
	files := map[string]string{
		"a/pod.yaml":   "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
		"b/pod.yaml":   "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n",
		"c/thing.yaml": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: c}\n",
	}
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Cluster, names: {kind: Thing}}\n"
	both := func(change map[string]string) (*object.Revision, *object.Revision, *object.Changes) {
		t.Helper()
		base, err := tree.Map("base", files)
		if err != nil {
			t.Fatal(err)
		}
		next := map[string]string{}
		for p, text := range files {
			next[p] = text
		}
		for p, text := range change {
			next[p] = text
		}
		head, err := tree.Map("head", next)
		if err != nil {
			t.Fatal(err)
		}
		b, h, err := RenderBoth(context.Background(), base, head, Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		ch, err := Diff(b, h)
		if err != nil {
			t.Fatal(err)
		}
		return b, h, ch
	}
	b, h, ch := both(map[string]string{"b/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: b, labels: {x: z}}\n"})
	if b.Releases[0].Objects[0] != h.Releases[0].Objects[0] || h.Releases[0].Changed {
		t.Error("an equal release was rendered twice")
	}
	if b.Releases[1].Objects[0] == h.Releases[1].Objects[0] || !h.Releases[1].Changed || len(ch.Changes) != 1 {
		t.Errorf("a changed release was taken over: %v", ch.Changes)
	}
	_, h, ch = both(map[string]string{"crd/crd.yaml": crd})
	thing := h.Releases[2].Objects[0]
	if thing.ID.Kind != "Thing" || thing.ID.Namespace != "" {
		t.Errorf("the scope of %s is not that of its definition", thing.ID)
	}
	for _, c := range ch.Changes {
		if c.ID().Kind == "Thing" {
			t.Errorf("%s %s", c.Kind, c.ID())
		}
	}
}
