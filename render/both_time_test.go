package render

import (
	"context"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
)

// A repository that there is no time to look through on either side is one release that was cut,
// on both: the change has no part in it.
func TestNoTimeToLookIsNotTheChange(t *testing.T) {
	tree, err := tree.Map("t", map[string]string{"web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"})
	if err != nil {
		t.Fatal(err)
	}
	c := &release.Clock{}
	c.Set(time.Now().Add(-time.Second))
	b, h, err := RenderBoth(context.Background(), tree, tree, Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []*Revision{b, h} {
		if len(rev.Releases) != 1 || rev.Releases[0].Err == nil || !rev.Releases[0].Err.Cut || rev.Releases[0].Err.Slow {
			t.Fatalf("%+v", rev.Releases)
		}
	}
	if ch.Broke(b.Releases[0], h.Releases[0]) || len(ch.Changes) != 0 {
		t.Errorf("taken for the change's: %+v", ch.Changes)
	}
}
