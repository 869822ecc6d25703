package tree

import (
	"io/fs"
	"maps"
)

// Tree is the content of one revision: regular files only, by slash-separated path
// relative to the repository's root. Symlinks are resolved inside the tree; one that
// leaves it is an error of the file that is read.
type Tree interface {
	// Name is the revision as the user gave it; Commit its full hash, or "".
	Name() string
	Commit() string
	fs.FS
}

// Walk calls f for every folder, file, symlink and submodule of a tree, its root aside, in the order of [fs.WalkDir],
// with its type; f leaves a folder out by [fs.SkipDir].
// Errors: those of f and of listing a folder.
func Walk(t Tree, f func(p string, mode fs.FileMode) error) error {
	if t, ok := t.(*fileTree); ok {
		return t.walk(".", f)
	}
	return fs.WalkDir(t, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == "." {
			return err
		}
		return f(p, d.Type())
	})
}

// With is a tree with another text in one of its files, as if it had been committed so; false where it has no such
// file.
func With(t Tree, name string, text []byte) (Tree, bool) {
	was, ok := t.(*fileTree)
	if !ok {
		return nil, false
	}
	real, err := was.resolve(name)
	e, there := was.entries[real]
	if err != nil || !there {
		return nil, false
	}
	out := *was
	out.commit, out.entries = "", maps.Clone(was.entries)
	e.hash, e.size = "", int64(len(text))
	out.entries[real] = e
	out.load = func(path string, e entry) ([]byte, error) {
		if path == real {
			return text, nil
		}
		return was.load(path, e)
	}
	return &out, true
}
