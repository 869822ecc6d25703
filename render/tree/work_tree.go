package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// WorkTree is what git add --all and a commit would make of the work tree that dir lies in: its files as they lie on
// disk, except for those that git ignores and has not added. A submodule's are none of the repository's.
// Errors: [ErrNoRepository], also of a bare one, and that the files cannot be listed.
func WorkTree(dir string) (Tree, error) {
	repo, err := openRepository(dir)
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
			break
		}
		above := filepath.Dir(root)
		if above == root {
			return nil, fmt.Errorf("%s: %w: a bare repository has no work tree", dir, ErrNoRepository)
		}
		root = above
	}
	added := map[string]entry{}
	if data, err := readIndex(repo, ""); err == nil {
		if added, err = indexEntries(data); err != nil && !errors.Is(err, ErrNoIndex) {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	leads := map[string]bool{} // folders with something that was added
	for p := range added {
		for at := filepath.ToSlash(filepath.Dir(p)); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
			leads[at] = true
		}
	}
	patterns, err := gitignore.ReadPatterns(osfs.New(root), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: .gitignore: %w", dir, err)
	}
	ignore := gitignore.NewMatcher(patterns)
	var modules []string
	t, err := dirOf(root, func(p string, folder bool) bool {
		switch e, known := added[p]; {
		case known && e.kind == submodule:
			modules = append(modules, p)
			return true
		case known, folder && leads[p]:
			return false
		}
		return ignore.Match(strings.Split(p, "/"), folder)
	})
	if err != nil {
		return nil, err
	}
	entries := t.entries
	for _, p := range modules {
		entries[p] = added[p]
	}
	whole := newFileTree("work tree", "", entries)
	whole.load = t.load
	return whole, nil
}
