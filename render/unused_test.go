package render

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A file that a release is made of is not unused under another name: a link to it changes with it.
func TestALinkIsUsedWithItsFile(t *testing.T) {
	side := func(data string) tree.Tree {
		dir := t.TempDir()
		text := []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + data + "}\n")
		err := errors.Join(os.MkdirAll(filepath.Join(dir, "config", "core"), 0o755),
			os.WriteFile(filepath.Join(dir, "config", "core", "a.yaml"), text, 0o644),
			os.Symlink("core/a.yaml", filepath.Join(dir, "config", "a.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := tree.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	base, head, err := RenderBoth(context.Background(), side("one"), side("two"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(base, head)
	if err != nil {
		t.Fatal(err)
	}
	if len(ch.Files) != 2 || len(ch.Changes) != 1 {
		t.Fatalf("%d files and %d changes, want a file, a link to it and one change", len(ch.Files), len(ch.Changes))
	}
	if unused := Unused(ch); len(unused) > 0 {
		t.Errorf("unused: %+v", unused)
	}
}
