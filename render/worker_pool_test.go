package render

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"
)

// A worker that is idle again within the time in which another one would start is waited for;
// one that has more to do is joined by another, and one that ended is replaced at once.
func TestPoolStartsWorkersAsTheyAreNeeded(t *testing.T) {
	p, ok := newRunner(context.Background(), Options{Workers: 2, Sandbox: Sandbox{Command: []string{"none"}}}).(*pool)
	if !ok {
		t.Fatal("a sandbox with a command has no pool")
	}
	if w := p.take(); w != nil {
		t.Fatal("a worker before any was started")
	}
	first := &process{}
	time.AfterFunc(warmUp/10, func() { p.give(first) })
	if w := p.take(); w != first {
		t.Fatal("a second worker was to be started, though the first was idle soon")
	}
	began := time.Now()
	if w := p.take(); w != nil || time.Since(began) < warmUp {
		t.Fatalf("with the first one busy: %v after %s", w, time.Since(began))
	}
	p.give(nil) // it ended
	began = time.Now()
	if w := p.take(); w != nil || time.Since(began) > warmUp {
		t.Fatalf("in the place of one that ended: %v after %s", w, time.Since(began))
	}
}

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
