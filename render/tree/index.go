package tree

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/util"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// ErrNoIndex says that a repository has no index that could be read as a tree.
var ErrNoIndex = errors.New("no index to compare with")

// IndexName is the name of the index in results.
const IndexName = "index"

// Index is the content of the next commit: the index of the work tree that dir lies in, as git write-tree reads it.
// file is the value of GIT_INDEX_FILE, by which `git commit -a` and `git commit PATH` name their index to a hook; "" is
// the repository's. Errors: [ErrNoRepository]; [ErrNoIndex] where there is none, where paths are in conflict, and where
// it is split or sparse.
func Index(dir, file string) (Tree, error) {
	repo, err := openRepository(dir)
	if err != nil {
		return nil, err
	}
	data, err := readIndex(repo, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: a bare repository and a clone without a checkout have none", dir, ErrNoIndex)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", dir, ErrNoIndex, err)
	}
	entries, err := indexEntries(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	t := newFileTree(IndexName, "", entries)
	var mu sync.Mutex // go-git's pack reader is not safe for concurrent use
	t.load = func(p string, e entry) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		return readBlob(repo, p, e)
	}
	return t, nil
}

// readIndex reads the bytes of an index file; a linked work tree has a separate one.
func readIndex(repo *git.Repository, file string) ([]byte, error) {
	if file != "" {
		return os.ReadFile(file)
	}
	store, ok := repo.Storer.(interface{ Filesystem() billy.Filesystem })
	if !ok {
		return nil, fs.ErrNotExist
	}
	return util.ReadFile(store.Filesystem(), "index")
}

// indexEntries are the files of an index.
func indexEntries(data []byte) (map[string]entry, error) {
	var idx index.Index
	err := index.NewDecoder(bytes.NewReader(hashed(data))).Decode(&idx)
	if errors.Is(err, index.ErrUnknownExtension) {
		return nil, fmt.Errorf("%w: it is split or sparse, or of a later git: write it as one with git update-index --no-split-index, or git sparse-checkout reapply --no-sparse-index", ErrNoIndex)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoIndex, err)
	}
	entries := map[string]entry{}
	var conflicts []string
	for _, e := range idx.Entries {
		switch {
		case !fs.ValidPath(e.Name):
			return nil, fmt.Errorf("%w: entry %q is not a path", ErrNoIndex, e.Name)
		case e.Stage != 0: // ancestor, ours, theirs
			if !slices.Contains(conflicts, e.Name) {
				conflicts = append(conflicts, e.Name)
			}
		case e.IntentToAdd: // git add --intent-to-add stages a name without content
		case e.Mode == filemode.Submodule:
			entries[e.Name] = entry{kind: submodule, hash: e.Hash.String(), size: -1}
		case e.Mode == filemode.Symlink:
			entries[e.Name] = entry{kind: symlink, hash: e.Hash.String(), size: -1}
		default:
			entries[e.Name] = entry{hash: e.Hash.String(), size: -1}
		}
	}
	if n := len(conflicts); n > 0 {
		named := strings.Join(conflicts[:min(n, 5)], ", ")
		return nil, fmt.Errorf("%w: in conflict are %s (%d in all): resolve them and git add them", ErrNoIndex, named, n)
	}
	return entries, nil
}

// hashed gives an index that was written without its checksum (index.skipHash, which
// feature.manyFiles sets) the one that the decoder wants.
func hashed(data []byte) []byte {
	end := len(data) - sha1.Size
	if end < 0 || !bytes.Equal(data[end:], make([]byte, sha1.Size)) {
		return data
	}
	sum := sha1.Sum(data[:end])
	return slices.Concat(data[:end], sum[:])
}
