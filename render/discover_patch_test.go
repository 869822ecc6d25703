package render

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// TestAPatchIsNoManifest: a file of patches in a folder of manifests is none of them, unless it was an object on base.
func TestAPatchIsNoManifest(t *testing.T) {
	job := "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n"
	for _, c := range []struct {
		base, head string
		objects    int // of head
	}{
		{"", "$patch: delete\n" + job, 0},
		{"$patch: delete\n" + job, "$patch: delete\n" + job + "---\n$patch: delete\n" + job, 0},
		{job, "$patch: delete\n" + job, 1},
		{"", "$patch: delete\n" + job + "---\n" + job, 1},
	} {
		revision := func(text string) tree.Tree {
			files := map[string]string{"x/other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}
			if text != "" {
				files["x/a.yaml"] = text
			}
			of, err := tree.Map("t", files)
			if err != nil {
				t.Fatal(err)
			}
			return of
		}
		_, head, err := RenderBoth(context.Background(), revision(c.base), revision(c.head), Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		objects := 0
		for _, r := range head.Releases {
			for _, o := range r.Objects {
				if o.ID.Kind == "Job" {
					objects++
				}
			}
		}
		if objects != c.objects {
			t.Errorf("base %q, head %q: %d Jobs, want %d", c.base, c.head, objects, c.objects)
		}
	}
}
