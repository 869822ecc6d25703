package tree

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The work tree is what git add --all would add: also what is new or changed, without what is ignored and not added.
func TestWorkTreeIsWhatGitWouldAdd(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "init", "-q")
	put(".gitignore", "out/\n*.log\n!keep.log\n")
	put("a/b.yaml", "one")
	put("out/added.yaml", "forced")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "add", "--force", "out/added.yaml")
	runGit(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	put("module/x.yaml", "of the submodule")
	put("a/b.yaml", "two")
	put("a/.gitignore", "c.yaml\n")
	put("a/c.yaml", "ignored")
	put("d.yaml", "new")
	put("out/e.yaml", "ignored")
	put("x.log", "ignored")
	put("keep.log", "new")
	tr, err := WorkTree(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := fs.WalkDir(tr, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		got = append(got, p)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "a/.gitignore", "a/b.yaml", "d.yaml", "keep.log", "module", "out/added.yaml"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if b, err := fs.ReadFile(tr, "a/b.yaml"); err != nil || string(b) != "two" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := WorkTree(t.TempDir()); err == nil {
		t.Error("a folder of no repository has a work tree")
	}
}
