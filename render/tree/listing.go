package tree

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// listed is a revision's list of files; it is not changed any more.
type listed struct {
	repo    *git.Repository
	root    *object.Tree
	entries map[string]entry
	dirs    map[string][]string // see [fileTree]
}

// errTwice says that a tree object has two entries of one name, which git does not write.
var errTwice = errors.New("two entries of one name")

// listing lists a tree object. Parts that equal those of the previous listing, by git's own hashes, are not read again:
// base and head have most of it in common. nil: none was.
func listing(repo *git.Repository, root *object.Tree, before *listed) (*listed, error) {
	if before != nil {
		l := &listed{repo: repo, root: root, entries: maps.Clone(before.entries), dirs: maps.Clone(before.dirs)}
		if err := l.change(before.root, root, "."); !errors.Is(err, errTwice) {
			return l, err
		}
	}
	l := &listed{repo: repo, root: root, entries: map[string]entry{}}
	err := l.add(root, ".")
	l.dirs = folders(l.entries)
	return l, err
}

// add lists all that is below a folder.
func (l *listed) add(t *object.Tree, dir string) error {
	for i := range t.Entries {
		if err := l.enter(&t.Entries[i], dir); err != nil {
			return err
		}
	}
	return l.name(t, dir)
}

// name notes the names in a folder, unless that is left to [folders].
func (l *listed) name(t *object.Tree, dir string) error {
	if l.dirs == nil {
		return nil
	}
	names := make([]string, 0, len(t.Entries))
	for i := range t.Entries {
		p := below(dir, t.Entries[i].Name)
		_, leaf := l.entries[p]
		if _, folder := l.dirs[p]; leaf || folder { // git writes no folder of nothing, and here it is none
			names = append(names, t.Entries[i].Name)
		}
	}
	sort.Strings(names) // git orders folders as if they ended with a slash
	if len(slices.Compact(slices.Clone(names))) < len(names) {
		return fmt.Errorf("%s: %w", dir, errTwice)
	}
	if len(names) > 0 || dir == "." {
		l.dirs[dir] = names
	}
	return nil
}

// enter lists one entry of a folder, and all that is below it.
func (l *listed) enter(e *object.TreeEntry, dir string) error {
	if strings.ContainsRune(e.Name, '/') || e.Name == ".." || e.Name == "." || e.Name == "" {
		return fmt.Errorf("tree entry %q in %s: not a file name", e.Name, dir)
	}
	p := below(dir, e.Name)
	switch e.Mode {
	case filemode.Dir:
		sub, err := l.repo.TreeObject(e.Hash)
		if err != nil {
			return err
		}
		return l.add(sub, p)
	case filemode.Submodule:
		l.entries[p] = entry{kind: submodule, hash: e.Hash.String(), size: -1}
	case filemode.Symlink:
		l.entries[p] = entry{kind: symlink, hash: e.Hash.String(), size: -1}
	default:
		l.entries[p] = entry{hash: e.Hash.String(), size: -1}
	}
	return nil
}

// change makes of the list of a folder that of another tree object.
func (l *listed) change(was, is *object.Tree, dir string) error {
	if was.Hash == is.Hash {
		return nil
	}
	old := make(map[string]*object.TreeEntry, len(was.Entries))
	for i := range was.Entries {
		old[was.Entries[i].Name] = &was.Entries[i]
	}
	if len(old) < len(was.Entries) {
		return fmt.Errorf("%s: %w", dir, errTwice)
	}
	for i := range is.Entries {
		e := &is.Entries[i]
		o := old[e.Name]
		if o != nil && o.Mode == e.Mode && o.Hash == e.Hash {
			delete(old, e.Name)
			continue
		}
		if o != nil && o.Mode == filemode.Dir && e.Mode == filemode.Dir {
			delete(old, e.Name)
			if err := l.changeFolder(o, e, below(dir, e.Name)); err != nil {
				return err
			}
			continue
		}
		if o != nil {
			l.remove(below(dir, e.Name))
			delete(old, e.Name)
		}
		if err := l.enter(e, dir); err != nil {
			return err
		}
	}
	for name := range old {
		l.remove(below(dir, name))
	}
	delete(l.dirs, dir)
	return l.name(is, dir)
}

func (l *listed) changeFolder(was, is *object.TreeEntry, dir string) error {
	from, err := l.repo.TreeObject(was.Hash)
	if err != nil {
		return err
	}
	to, err := l.repo.TreeObject(is.Hash)
	if err != nil {
		return err
	}
	return l.change(from, to, dir)
}

// remove takes a file, or a folder with all that is below it, off the list.
func (l *listed) remove(p string) {
	for _, name := range l.dirs[p] {
		l.remove(below(p, name))
	}
	delete(l.dirs, p)
	delete(l.entries, p)
}
