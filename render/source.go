package render

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kubesettle/kubesettle/render/tree"
)

// source is a tree made ready for discovery and gathering: its files are listed once.
type source struct {
	tree  tree.Tree
	files []string        // regular files and symlinks, sorted
	isF   map[string]bool // the same as a set
	links map[string]bool // which of them are symlinks
	dirs  map[string][]string
	lost  []Ignored // submodules
	// twin is the other side, whose content is taken where a file is the same there.
	twin  *source
	net   *remotes     // nil: nothing is fetched
	dry   bool         // nothing is fetched yet: jobs say what is missing
	spent atomic.Int64 // nanoseconds of rendering
	mu    sync.Mutex
	text  map[string][]byte // what was read
	memo  *memo

	fluxOnce sync.Once
	flux     bool // see builtByFlux
}

// newSource lists a tree. Errors: those of listing it.
func newSource(t tree.Tree) (*source, error) {
	s := &source{tree: t, isF: map[string]bool{}, links: map[string]bool{}, dirs: map[string][]string{}, text: map[string][]byte{}, memo: newMemo()}
	err := fs.WalkDir(t, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if p != "." && (d.Name() == ".git" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			s.dirs[p] = nil
		case d.Type()&fs.ModeIrregular != 0:
			s.lost = append(s.lost, Ignored{p, "a submodule: its files are not in this repository"})
		default:
			s.files = append(s.files, p)
			s.isF[p] = true
			s.links[p] = d.Type()&fs.ModeSymlink != 0
			s.dirs[path.Dir(p)] = append(s.dirs[path.Dir(p)], path.Base(p))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", t.Name(), err)
	}
	sort.Strings(s.files)
	return s, nil
}

// pair says that a source is the other side of one: what was read, learnt and fetched there is
// known here.
func (s *source) pair(other *source) { s.twin, s.memo, s.net = other, other.memo, other.net }

// anyText reports whether something holds of one of the texts that were read.
func (s *source) anyText(holds func([]byte) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.text {
		if holds(b) {
			return true
		}
	}
	return false
}

// lists reports whether a path is a file or a symlink of the tree itself.
func (s *source) lists(p string) bool { return s.isF[p] }

// folders are the folders of the tree, sorted.
func (s *source) folders() []string { return slices.Sorted(maps.Keys(s.dirs)) }

// read gives a file's content, which is not to be written to. Errors name the file.
func (s *source) read(p string) ([]byte, error) {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.read(rest)
	}
	s.mu.Lock()
	b, ok := s.text[p]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	if b, ok = s.twin.have(p, s.digest); !ok {
		var err error
		if b, err = s.load(p); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[p] = b
	return b, nil
}

// have gives what was read of a file already, if its content is the one asked for.
func (s *source) have(p string, digest func(string) string) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	s.mu.Lock()
	b, ok := s.text[p]
	s.mu.Unlock()
	if !ok {
		return nil, false
	}
	own := s.digest(p)
	return b, own != "" && own == digest(p)
}

func (s *source) load(p string) ([]byte, error) {
	b, err := fs.ReadFile(s.tree, p)
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Path == p {
		err = fmt.Errorf("%s: %w", p, pe.Err)
	}
	return b, err
}

// real is the path that GitHub shows for a path: without symlinks.
func (s *source) real(p string) string {
	if inner, rest, ok := s.mounted(p); ok {
		return path.Join(mountOf(p), inner.real(rest))
	}
	return tree.RealPath(s.tree, p)
}

// digest identifies a file's content; "" where it cannot be read.
func (s *source) digest(p string) string {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.digest(rest)
	}
	return tree.Digest(s.tree, p, s.read)
}

// hasFile reports whether a path is a file, also one behind a symlinked folder.
func (s *source) hasFile(p string) bool {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.hasFile(rest)
	}
	if s.isF[p] && !s.links[p] {
		return true
	}
	info, err := fs.Stat(s.tree, p)
	return err == nil && !info.IsDir()
}

// hasDir reports whether a path is a folder, also one behind a symlink.
func (s *source) hasDir(p string) bool {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.hasDir(rest)
	}
	if _, ok := s.dirs[p]; ok {
		return true
	}
	info, err := fs.Stat(s.tree, p)
	return err == nil && info.IsDir()
}

// below lists the files of a folder and its sub-folders, sorted, following a symlinked
// folder at any level once. The paths are those under the name that was asked for.
func (s *source) below(dir string) []string {
	if inner, rest, ok := s.mounted(dir); ok {
		list := inner.below(rest)
		out := make([]string, len(list))
		for i, p := range list {
			out[i] = path.Join(mountOf(dir), p)
		}
		return out
	}
	if _, ok := s.dirs[dir]; ok && !s.linkBelow(dir) {
		var list []string
		prefix := dir + "/"
		if dir == "." {
			prefix = ""
		}
		for i := sort.SearchStrings(s.files, prefix); i < len(s.files) && strings.HasPrefix(s.files[i], prefix); i++ {
			list = append(list, s.files[i])
		}
		return list
	}
	var list []string
	s.follow(dir, map[string]bool{}, &list)
	sort.Strings(list)
	return list
}

// linkBelow reports whether a folder holds a symlink to a folder.
func (s *source) linkBelow(dir string) bool {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	for i := sort.SearchStrings(s.files, prefix); i < len(s.files) && strings.HasPrefix(s.files[i], prefix); i++ {
		if f := s.files[i]; s.links[f] {
			if info, err := fs.Stat(s.tree, f); err == nil && info.IsDir() {
				return true
			}
		}
	}
	return false
}

func (s *source) follow(dir string, seen map[string]bool, list *[]string) {
	if real := s.real(dir); seen[real] {
		return
	} else {
		seen[real] = true
		defer delete(seen, real)
	}
	entries, err := fs.ReadDir(s.tree, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(s.tree, p)
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			s.follow(p, seen, list)
		} else {
			*list = append(*list, p)
		}
	}
}

// inside joins a relative path to a folder; ok is false where it leaves the tree, or what
// was fetched, or enters that.
func inside(dir, rel string) (joined string, ok bool) {
	if path.IsAbs(rel) {
		return "", false
	}
	joined = path.Join(dir, rel)
	return joined, joined != ".." && !strings.HasPrefix(joined, "../") && mountOf(joined) == mountOf(dir)
}

// under reports whether a path is a folder or lies below it.
func under(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// ErrNoPath is that of a path in [Options] which is not there.
var ErrNoPath = errors.New("no such file or folder in any revision")

// checkPaths wants every path to exist in one of the trees at least.
func checkPaths(paths []string, trees ...tree.Tree) error {
	for _, p := range paths {
		if !fs.ValidPath(path.Clean(p)) {
			return fmt.Errorf("path %q: give it relative to the root, with slashes", p)
		}
		var missing error
		for _, t := range trees {
			if _, missing = fs.Stat(t, path.Clean(p)); missing == nil {
				break
			}
		}
		if missing != nil {
			return fmt.Errorf("path %s: %w: give one relative to the repository's root", p, ErrNoPath)
		}
	}
	return nil
}
