package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// Source is a tree made ready for discovery and gathering: its files are listed once.
type Source struct {
	Tree  tree.Tree
	Files []string        // regular files and symlinks, sorted
	isF   map[string]bool // the same as a set
	Links map[string]bool // which of them are symlinks
	dirs  map[string]bool
	Lost  []object.Ignored // submodules
	// Twin is the other side, whose content is taken where a file is the same there.
	Twin *Source
	net  *remotes // nil: nothing is fetched
	Dry  bool     // nothing is fetched yet: recipes say what is missing
	// Compared says that it is one of two sides: the change is not at fault for a file that neither has.
	Compared bool
	mu       sync.Mutex
	text     map[string][]byte // the files read
	Memo     *Memo

	fluxOnce sync.Once
	flux     bool // see builtByFlux
}

// New lists a tree. Errors: those of listing it.
func New(t tree.Tree) (*Source, error) {
	s := &Source{
		Tree: t, Memo: newMemo(), isF: map[string]bool{}, Links: map[string]bool{}, dirs: map[string]bool{".": true},
		text: map[string][]byte{},
	}
	err := tree.Walk(t, func(p string, mode fs.FileMode) error {
		switch {
		case mode.IsDir():
			if name := path.Base(p); name == ".git" || name == "node_modules" {
				return fs.SkipDir
			}
			s.dirs[p] = true
		case mode&fs.ModeIrregular != 0:
			s.Lost = append(s.Lost, object.Ignored{Path: p, Reason: "a submodule: its files are not in this repository"})
		default:
			s.Files = append(s.Files, p)
			s.isF[p] = true
			if mode&fs.ModeSymlink != 0 {
				s.Links[p] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", t.Name(), err)
	}
	sort.Strings(s.Files)
	return s, nil
}

// Pair says that a source is the other side of one: everything read, learnt and fetched there is known here.
func (s *Source) Pair(other *Source) { s.Twin, s.Memo, s.net = other, other.Memo, other.net }

// AnyText reports whether something holds of one of the texts that were read.
func (s *Source) AnyText(holds func([]byte) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.text {
		if holds(b) {
			return true
		}
	}
	return false
}

// Lists reports whether a path is a file or a symlink of the tree itself.
func (s *Source) Lists(p string) bool { return s.isF[p] }

// Folders are the folders of the tree, sorted.
func (s *Source) Folders() []string { return slices.Sorted(maps.Keys(s.dirs)) }

// Read gives a file's content, which is not to be written to. Errors name the file.
func (s *Source) Read(p string) ([]byte, error) {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.Read(rest)
	}
	s.mu.Lock()
	b, ok := s.text[p]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	if b, ok = s.Twin.have(p, s.Digest); !ok {
		var err error
		if b, err = s.Load(p); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[p] = b
	return b, nil
}

// have gives the known content of a file, if it is the one asked for.
func (s *Source) have(p string, digest func(string) string) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	s.mu.Lock()
	b, ok := s.text[p]
	s.mu.Unlock()
	if !ok {
		return nil, false
	}
	own := s.Digest(p)
	return b, own != "" && own == digest(p)
}

func (s *Source) Load(p string) ([]byte, error) {
	b, err := fs.ReadFile(s.Tree, p)
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Path == p {
		err = fmt.Errorf("%s: %w", p, pe.Err)
	}
	return b, err
}

// Real is the path that GitHub shows for a path: without symlinks.
func (s *Source) Real(p string) string {
	if inner, rest, ok := s.mounted(p); ok {
		return path.Join(MountOf(p), inner.Real(rest))
	}
	return tree.RealPath(s.Tree, p)
}

// Digest identifies a file's content; "" where it cannot be read.
func (s *Source) Digest(p string) string {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.Digest(rest)
	}
	return tree.Digest(s.Tree, p, s.Read)
}

// HasFile reports whether a path is a file, also one behind a symlinked folder.
func (s *Source) HasFile(p string) bool {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.HasFile(rest)
	}
	if s.isF[p] && !s.Links[p] {
		return true
	}
	info, err := fs.Stat(s.Tree, p)
	return err == nil && !info.IsDir()
}

// HasDir reports whether a path is a folder, also one behind a symlink.
func (s *Source) HasDir(p string) bool {
	if inner, rest, ok := s.mounted(p); ok {
		return inner.HasDir(rest)
	}
	if s.dirs[p] {
		return true
	}
	info, err := fs.Stat(s.Tree, p)
	return err == nil && info.IsDir()
}

// Below lists the files of a folder and its sub-folders, sorted, following a symlinked
// folder at any level once. The paths are those under the name that was asked for.
func (s *Source) Below(dir string) []string {
	if inner, rest, ok := s.mounted(dir); ok {
		list := inner.Below(rest)
		out := make([]string, len(list))
		for i, p := range list {
			out[i] = path.Join(MountOf(dir), p)
		}
		return out
	}
	if s.dirs[dir] && !s.linkBelow(dir) {
		var list []string
		prefix := dir + "/"
		if dir == "." {
			prefix = ""
		}
		for i := sort.SearchStrings(s.Files, prefix); i < len(s.Files) && strings.HasPrefix(s.Files[i], prefix); i++ {
			list = append(list, s.Files[i])
		}
		return list
	}
	var list []string
	s.follow(dir, map[string]bool{}, &list)
	sort.Strings(list)
	return list
}

// linkBelow reports whether a folder holds a symlink to a folder.
func (s *Source) linkBelow(dir string) bool {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	for i := sort.SearchStrings(s.Files, prefix); i < len(s.Files) && strings.HasPrefix(s.Files[i], prefix); i++ {
		if f := s.Files[i]; s.Links[f] {
			if info, err := fs.Stat(s.Tree, f); err == nil && info.IsDir() {
				return true
			}
		}
	}
	return false
}

func (s *Source) follow(dir string, seen map[string]bool, list *[]string) {
	if real := s.Real(dir); seen[real] {
		return
	} else {
		seen[real] = true
		defer delete(seen, real)
	}
	entries, err := fs.ReadDir(s.Tree, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(s.Tree, p)
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			s.follow(p, seen, list)
		} else {
			*list = append(*list, p)
		}
	}
}

// Inside joins a relative path to a folder; ok is false where it leaves the tree, or what
// was fetched, or enters that.
func Inside(dir, rel string) (joined string, ok bool) {
	if path.IsAbs(rel) {
		return "", false
	}
	joined = path.Join(dir, rel)
	return joined, joined != ".." && !strings.HasPrefix(joined, "../") && MountOf(joined) == MountOf(dir)
}

// Under reports whether a path is a folder or lies below it.
func Under(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// IsForeignKustomization reports whether a file is of Flux's Kustomization objects, which are often in files of that
// name, and not Kustomize's.
func IsForeignKustomization(b []byte) bool {
	return bytes.Contains(b, []byte("kustomize.toolkit.fluxcd.io"))
}

// BuiltByFlux reports whether the tree holds a Flux Kustomization.
func (s *Source) BuiltByFlux() bool {
	s.fluxOnce.Do(func() {
		for _, f := range s.Files {
			if !IsManifestName(f) || s.Links[f] {
				continue
			}
			if b, err := s.Read(f); err == nil && IsForeignKustomization(b) && bytes.Contains(b, []byte("kind: Kustomization")) {
				s.flux = true
				return
			}
		}
	})
	return s.flux
}

// IsManifestName reports whether a file may hold manifests.
func IsManifestName(p string) bool {
	switch path.Ext(p) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
