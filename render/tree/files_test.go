package tree

import (
	"errors"
	"io/fs"
	"testing"
)

// Whether a path is a file or a folder is told without its content.
func TestStatReadsNoFile(t *testing.T) {
	tree := newFileTree("t", "", map[string]entry{"a/b.yaml": {}, "a/link": {kind: symlink}, "a/out": {kind: submodule}})
	tree.load = func(p string, e entry) ([]byte, error) {
		if e.kind != symlink {
			t.Errorf("%s was read", p)
		}
		return []byte("b.yaml"), nil
	}
	for name, dir := range map[string]bool{"a": true, "a/b.yaml": false, "a/link": false, ".": true} {
		if info, err := fs.Stat(tree, name); err != nil || info.IsDir() != dir {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	for name, want := range map[string]error{"a/none": fs.ErrNotExist, "a/out": ErrNotInTree} {
		if _, err := fs.Stat(tree, name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
