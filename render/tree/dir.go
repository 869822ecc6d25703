package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// StdinFile is the name under which standard input appears in a [Stdin].
const StdinFile = "stdin.yaml"

// Dir is the content of a directory as it lies on disk, without .git. It is listed
// once; a file is read when it is needed.
// Errors: that the directory cannot be listed.
func Dir(dir string) (Tree, error) {
	return dirOf(dir, nil)
}

// dirOf is [Dir] without ignored files; nil ignores none.
func dirOf(dir string, ignored func(p string, folder bool) bool) (*fileTree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	entries := map[string]entry{}
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && p != ".":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case p != "." && ignored != nil && ignored(p, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			entries[p] = entry{kind: symlink, size: -1}
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil {
				return err
			}
			entries[p] = entry{size: info.Size()}
		}
		return nil // sockets and devices are no content
	})
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	t := newFileTree(dir, "", entries)
	t.load = func(p string, e entry) ([]byte, error) { return readRooted(root, p, e) }
	return t, nil
}

// readRooted reads a file of a directory that may be changing: it never leaves the
// root, and never reads more than the limit.
func readRooted(root *os.Root, p string, e entry) ([]byte, error) {
	name := filepath.FromSlash(p)
	if e.kind == symlink {
		to, err := root.Readlink(name)
		return []byte(filepath.ToSlash(to)), err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, sizeLimit(p)+1))
}

// Stdin holds the content of a reader as the one file [StdinFile]. Errors: those of the reader, and [ErrTooBig].
func Stdin(r io.Reader) (Tree, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(b) > MaxFileBytes {
		return nil, fmt.Errorf("standard input %w: the limit is %d MiB", ErrTooBig, MaxFileBytes>>20)
	}
	return Map("-", map[string]string{StdinFile: string(b)})
}

// Map is a tree of files held in memory, for tests and single documents.
// Errors: a path that is not clean and relative.
func Map(name string, files map[string]string) (Tree, error) {
	entries := map[string]entry{}
	for p, text := range files {
		if !fs.ValidPath(p) || p == "." {
			return nil, fmt.Errorf("path %q: %w", p, fs.ErrInvalid)
		}
		entries[p] = entry{hash: blobHash([]byte(text)), size: int64(len(text))}
	}
	for p := range files {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if _, ok := files[dir]; ok {
				return nil, fmt.Errorf("path %q is a file and a folder", dir)
			}
		}
	}
	t := newFileTree(name, "", entries)
	t.load = func(p string, _ entry) ([]byte, error) {
		text, ok := files[p]
		if !ok {
			return nil, errors.New("no such file")
		}
		return []byte(text), nil
	}
	return t, nil
}
