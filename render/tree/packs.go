package tree

import (
	"path"
	"regexp"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// packed is the store of a repository that finds objects in its packs by reading only the needed parts of their
// indexes. go-git reads each index as a whole, and makes a map of it: with 300,000 objects a tenth of a second,
// whichever object is asked for.
type packed struct {
	*filesystem.Storage
	packs   []*packfile.Packfile
	indexes []*packIndex
	others  bool // packs are left to go-git
}

// EncodedObject implements storer.EncodedObjectStorer. An object in no pack is left to go-git.
func (s *packed) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, p := range s.packs {
		o, err := p.Get(h)
		if err != nil {
			continue // nor can it be read there; go-git says what is wrong
		}
		if t != plumbing.AnyObject && o.Type() != t {
			return nil, plumbing.ErrObjectNotFound
		}
		return o, nil
	}
	return s.Storage.EncodedObject(t, h)
}

// Config implements config.ConfigStorer.
func (s *packed) Config() (*config.Config, error) { return withoutExtensions(s.Storage) }

var packName = regexp.MustCompile(`^pack-[0-9a-f]{40}\.idx$`)

// withPacks reopens a repository so that its packs are read by need. One of whose packs there is none that can be is
// as before.
func withPacks(repo *git.Repository) *git.Repository {
	s := storeOf(repo)
	if s == nil {
		return repo
	}
	files := s.Filesystem()
	dir := path.Join("objects", "pack")
	list, err := files.ReadDir(dir)
	if err != nil {
		return repo
	}
	p := &packed{Storage: s}
	objects := cache.NewObjectLRUDefault()
	for _, e := range list {
		if path.Ext(e.Name()) != ".idx" {
			continue
		}
		if !packName.MatchString(e.Name()) || !p.open(path.Join(dir, e.Name()), objects) {
			p.others = true
		}
	}
	if len(p.packs) == 0 {
		return repo
	}
	again, err := git.Open(p, nil)
	if err != nil {
		return repo
	}
	return again
}

// open opens the pack of an index, and reports whether its form is the one that is read by need. Both are closed with
// the process.
func (s *packed) open(index string, objects cache.Object) bool {
	files := s.Filesystem()
	stem := index[:len(index)-len("idx")]
	x := openIndex(files, stem)
	if x == nil {
		return false
	}
	f, err := files.Open(stem + "pack")
	if err != nil {
		return false
	}
	s.packs = append(s.packs, packfile.NewPackfileWithCache(x, files, f, objects, 0))
	s.indexes = append(s.indexes, x)
	return true
}
