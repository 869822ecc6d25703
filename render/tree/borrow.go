package tree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// borrower is the store of a repository that borrows objects (git clone --shared,
// --reference), with its lenders, each opened once: go-git opens them again, and reads
// their indexes, for every object that it looks for.
type borrower struct {
	*filesystem.Storage
	lenders []*filesystem.Storage
}

// EncodedObject implements storer.EncodedObjectStorer. Lenders come first: they answer at once for an object that they
// lack, while the own store would go on to open them.
func (b *borrower) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, l := range b.lenders {
		if o, err := l.EncodedObject(t, h); err == nil {
			return o, nil
		}
	}
	return b.Storage.EncodedObject(t, h)
}

// HasEncodedObject implements storer.EncodedObjectStorer.
func (b *borrower) HasEncodedObject(h plumbing.Hash) error {
	for _, l := range b.lenders {
		if l.HasEncodedObject(h) == nil {
			return nil
		}
	}
	return b.Storage.HasEncodedObject(h)
}

// EncodedObjectSize implements storer.EncodedObjectStorer.
func (b *borrower) EncodedObjectSize(h plumbing.Hash) (int64, error) {
	for _, l := range b.lenders {
		if n, err := l.EncodedObjectSize(h); err == nil {
			return n, nil
		}
	}
	return b.Storage.EncodedObjectSize(h)
}

// HashesWithPrefix finds what an abbreviated revision may mean, as go-git asks a store that
// can tell.
func (b *borrower) HashesWithPrefix(prefix []byte) ([]plumbing.Hash, error) {
	out, err := b.Storage.HashesWithPrefix(prefix)
	if err != nil {
		return nil, err
	}
	for _, l := range b.lenders {
		more, err := l.HashesWithPrefix(prefix)
		if err != nil {
			return nil, err
		}
		for _, h := range more {
			if !slices.Contains(out, h) {
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// Config implements [config.ConfigStorer].
func (b *borrower) Config() (*config.Config, error) { return withoutExtensions(b.Storage) }

// withAlternates reopens a repository that borrows objects: go-git looks for the lender
// inside the borrower's own folder otherwise, and not for lenders of lenders.
func withAlternates(repo *git.Repository) *git.Repository {
	s := storeOf(repo)
	if s == nil {
		return repo
	}
	own := filepath.Join(s.Filesystem().Root(), "objects")
	from := lenders([]string{own}, own, 0)[1:]
	if len(from) == 0 || slices.ContainsFunc(from, func(dir string) bool { return !filepath.IsAbs(dir) }) {
		return repo // relative alternates are beyond go-git; a missing object will say so
	}
	objects := cache.NewObjectLRUDefault()
	b := &borrower{Storage: filesystem.NewStorageWithOptions(s.Filesystem(), objects,
		filesystem.Options{AlternatesFS: osfs.New("/", osfs.WithBoundOS()), KeepDescriptors: true})}
	for _, dir := range from {
		b.lenders = append(b.lenders,
			filesystem.NewStorageWithOptions(osfs.New(filepath.Dir(dir), osfs.WithBoundOS()), objects,
				filesystem.Options{KeepDescriptors: true}))
	}
	again, err := git.Open(b, nil)
	if err != nil {
		return repo
	}
	return again
}

// maxLenders is how deep git follows them (object-file.c: link_alt_odb_entries).
const maxLenders = 5

// lenders adds the object folders that one borrows from, and those which these borrow from in turn, each once.
func lenders(known []string, of string, depth int) []string {
	list, err := os.ReadFile(filepath.Join(of, "info", "alternates"))
	if err != nil || depth > maxLenders {
		return known
	}
	for line := range strings.SplitSeq(string(list), "\n") {
		if line == "" || line[0] == '#' || slices.Contains(known, line) {
			continue
		}
		known = append(known, line)
		if filepath.IsAbs(line) {
			known = lenders(known, line, depth+1)
		}
	}
	return known
}
