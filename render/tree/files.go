package tree

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// Sentinels of reading a revision.
var (
	// ErrNoRepository says that a directory is no git repository.
	ErrNoRepository = errors.New("not a git repository")
	// ErrNoRevision says that a revision is not in the repository.
	ErrNoRevision = errors.New("no such revision")
	// ErrOutsideTree says that a symlink leaves the tree.
	ErrOutsideTree = errors.New("leaves the repository")
	// ErrNotInTree says that a path is a submodule, a Git LFS pointer or encrypted by git-crypt, whose content
	// the tree does not hold.
	ErrNotInTree = errors.New("is not in the repository's own objects")
	// ErrTooBig says that a file is over its size limit.
	ErrTooBig = errors.New("is too big")
)

// Limits on reading; every one ends in an error that names the file.
const (
	// MaxFileBytes is the limit of every file but a chart archive: 5 MiB, as Helm's own.
	MaxFileBytes = 5 << 20
	// MaxArchiveBytes is the limit of a packaged chart (.tgz).
	MaxArchiveBytes = 20 << 20
	// maxLinks is how many symlinks one path may go through.
	maxLinks = 40
)

type entryKind uint8

const (
	regularFile entryKind = iota
	symlink
	submodule
)

// entry is one leaf of a tree.
type entry struct {
	kind entryKind
	hash string // git's blob hash where it is known without reading, else ""
	size int64  // bytes, or -1 where unknown
}

// fileTree is a [Tree] over a list of entries and a way to load one.
type fileTree struct {
	name, commit string
	entries      map[string]entry
	dirs         map[string][]string // names of the children, sorted; "." is the root
	load         func(path string, e entry) ([]byte, error)
}

func newFileTree(name, commit string, entries map[string]entry) *fileTree {
	return &fileTree{name: name, commit: commit, entries: entries, dirs: folders(entries)}
}

// folders are those that leaves lie in, with the names of their children.
func folders(entries map[string]entry) map[string][]string {
	dirs := map[string][]string{".": nil}
	seen := map[string]bool{".": true}
	for p := range entries {
		for seen[p] = true; ; {
			dir := path.Dir(p)
			dirs[dir] = append(dirs[dir], path.Base(p))
			if seen[dir] {
				break
			}
			seen[dir] = true
			p = dir
		}
	}
	for dir, names := range dirs {
		sort.Strings(names)
		dirs[dir] = slices.Compact(names) // a leaf may be a folder, too, where git's objects are forged
	}
	return dirs
}

// walk is [Walk] below a folder.
func (t *fileTree) walk(dir string, f func(p string, mode fs.FileMode) error) error {
	for _, name := range t.dirs[dir] {
		p := below(dir, name)
		e, leaf := t.entries[p]
		if leaf {
			if err := f(p, e.mode().Type()); err == fs.SkipDir {
				return nil // as fs.WalkDir does: the rest of the folder
			} else if err != nil {
				return err
			}
			continue
		}
		err := f(p, fs.ModeDir)
		if err == nil {
			err = t.walk(p, f)
		}
		if err != nil && err != fs.SkipDir {
			return err
		}
	}
	return nil
}

// below is a name in a folder of the tree.
func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// Name implements [Tree].
func (t *fileTree) Name() string { return t.name }

// Commit implements [Tree].
func (t *fileTree) Commit() string { return t.commit }

// resolve follows the symlinks of a path and gives the path without any.
// Errors: [ErrOutsideTree], [ErrNotInTree], [fs.ErrNotExist].
func (t *fileTree) resolve(name string) (string, error) {
	if e, leaf := t.entries[name]; leaf && e.kind == regularFile {
		return name, nil // no symlink is on its way: it would be a leaf itself
	}
	if _, ok := t.dirs[name]; ok {
		return name, nil
	}
	if !fs.ValidPath(name) {
		return "", fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	done, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		e, leaf := t.entries[next]
		switch {
		case !leaf:
			if _, ok := t.dirs[next]; !ok {
				return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			done = next
		case e.kind == submodule:
			return "", fmt.Errorf("%s: submodule %s %w: check it out as files or vendor it", name, next, ErrNotInTree)
		case e.kind == symlink:
			if links++; links > maxLinks {
				return "", fmt.Errorf("%s: more than %d symlinks", name, maxLinks)
			}
			target, err := t.target(next, e)
			if err != nil {
				return "", err
			}
			done, rest = ".", append(strings.Split(target, "/"), rest...)
		default:
			if len(rest) > 0 {
				return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			done = next
		}
	}
	return done, nil
}

// target is where a symlink points, relative to the root.
func (t *fileTree) target(link string, e entry) (string, error) {
	b, err := t.load(link, e)
	if err != nil {
		return "", fmt.Errorf("%s: %w", link, err)
	}
	to := string(b)
	if path.IsAbs(to) {
		return "", fmt.Errorf("symlink %s -> %s %w", link, to, ErrOutsideTree)
	}
	joined := path.Join(path.Dir(link), to)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", fmt.Errorf("symlink %s -> %s %w", link, to, ErrOutsideTree)
	}
	return joined, nil
}

// Open implements [fs.FS].
func (t *fileTree) Open(name string) (fs.File, error) {
	real, err := t.resolve(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if names, ok := t.dirs[real]; ok {
		return &openDir{fileInfo{path.Base(real), fs.ModeDir | 0o755, 0}, t.children(real, names), 0}, nil
	}
	b, err := t.ReadFile(real)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{fileInfo{path.Base(name), 0o644, int64(len(b))}, bytes.NewReader(b)}, nil
}

// Stat implements [fs.StatFS]: no content is read for it.
func (t *fileTree) Stat(name string) (fs.FileInfo, error) {
	real, err := t.resolve(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	if e, ok := t.entries[real]; ok {
		return fileInfo{path.Base(name), e.mode(), e.size}, nil
	}
	return fileInfo{path.Base(real), fs.ModeDir | 0o755, 0}, nil
}

// ReadFile implements [fs.ReadFileFS]. Errors: those of the path's symlinks, and
// [ErrTooBig], [ErrNotInTree].
func (t *fileTree) ReadFile(name string) ([]byte, error) {
	real, err := t.resolve(name)
	if err != nil {
		return nil, err
	}
	e, ok := t.entries[real]
	if !ok {
		return nil, fmt.Errorf("%s: is a directory", name)
	}
	if limit := sizeLimit(real); e.size > limit {
		return nil, tooBig(real, e.size, limit)
	}
	b, err := t.load(real, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", real, err)
	}
	if limit := sizeLimit(real); int64(len(b)) > limit {
		return nil, tooBig(real, int64(len(b)), limit)
	}
	if bytes.HasPrefix(b, []byte("version https://git-lfs.github.com/spec/")) {
		return nil, fmt.Errorf("%s: its content is in Git LFS and %w", real, ErrNotInTree)
	}
	if bytes.HasPrefix(b, []byte("\x00GITCRYPT\x00")) {
		return nil, fmt.Errorf("%s: git-crypt encrypts it, so that its content %w", real, ErrNotInTree)
	}
	return b, nil
}

func sizeLimit(name string) int64 {
	if path.Ext(name) == ".tgz" {
		return MaxArchiveBytes
	}
	return MaxFileBytes
}

func tooBig(name string, size, limit int64) error {
	return fmt.Errorf("%s: %w: %.1f MiB, the limit is %d MiB", name, ErrTooBig, float64(size)/(1<<20), limit>>20)
}

// RealPath is the path without symlinks, for locations: GitHub shows no symlinked file.
func RealPath(t Tree, name string) string {
	if t, ok := t.(*fileTree); ok {
		if real, err := t.resolve(name); err == nil {
			return real
		}
	}
	return name
}

// Digest identifies a file's content, as git does; "" where it cannot be read. A file of any other implementation is
// read.
func Digest(t Tree, name string, read func(string) ([]byte, error)) string {
	if t, ok := t.(*fileTree); ok {
		return t.digest(name)
	}
	b, err := read(name)
	if err != nil {
		return ""
	}
	return blobHash(b)
}

// ReadLink is the text of a symlink.
func (t *fileTree) ReadLink(name string) (string, error) {
	e, ok := t.entries[name]
	if !ok || e.kind != symlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	b, err := t.load(name, e)
	return string(b), err
}

// digest is git's hash of the file's content; "" where it cannot be read.
func (t *fileTree) digest(name string) string {
	real, err := t.resolve(name)
	if err != nil {
		return ""
	}
	e, ok := t.entries[real]
	if !ok {
		return ""
	}
	if e.hash != "" {
		return e.hash
	}
	b, err := t.load(real, e)
	if err != nil {
		return ""
	}
	return blobHash(b)
}

// blobHash is git's hash of a file, so that a directory compares with a commit.
func blobHash(b []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(b))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

func (t *fileTree) children(dir string, names []string) []fs.DirEntry {
	list := make([]fs.DirEntry, 0, len(names))
	for _, n := range names {
		info := fileInfo{name: n, mode: fs.ModeDir | 0o755}
		if e, ok := t.entries[path.Join(dir, n)]; ok {
			info.mode, info.size = e.mode(), e.size
		}
		list = append(list, fs.FileInfoToDirEntry(info))
	}
	return list
}

func (e entry) mode() fs.FileMode {
	switch e.kind {
	case symlink:
		return fs.ModeSymlink | 0o777
	case submodule:
		return fs.ModeIrregular
	}
	return 0o644
}

// fileInfo is a [fs.FileInfo] without times: git keeps none.
type fileInfo struct {
	name string
	mode fs.FileMode
	size int64
}

// FileInfo is what a file system would say of a name alone.
func FileInfo(name string, mode fs.FileMode) fs.FileInfo { return fileInfo{name: name, mode: mode} }

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	info fileInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info fileInfo
	list []fs.DirEntry
	at   int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a directory")}
}

// ReadDir implements [fs.ReadDirFile].
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.list[d.at:]
	if n <= 0 {
		d.at = len(d.list)
		return left, nil
	}
	if len(left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(left))
	d.at += n
	return left[:n], nil
}
