package tree

import (
	"bytes"
	"encoding/hex"
	"path"
	"slices"
	"sort"

	"github.com/go-git/go-billy/v5/util"
	"github.com/go-git/go-git/v5/plumbing"
)

// Reference implements storer.ReferenceStorer. go-git takes the list of packed references apart for each of the six
// names that a revision may stand for; here a name is looked for in its text.
//
// Upstream: dotgit.DotGit.Ref, packedRef and processLine.
func (s *packed) Reference(name plumbing.ReferenceName) (*plumbing.Reference, error) {
	if !name.IsSafe() {
		return s.Storage.Reference(name)
	}
	if fi, err := s.Filesystem().Stat(path.Clean(name.String())); err == nil && !fi.IsDir() {
		return s.Storage.Reference(name)
	}
	text, err := util.ReadFile(s.Filesystem(), "packed-refs")
	if err != nil || isPacked(text, name) {
		return s.Storage.Reference(name)
	}
	return nil, plumbing.ErrReferenceNotFound
}

// isPacked reports whether a line of the list of packed references ends with a name.
func isPacked(list []byte, name plumbing.ReferenceName) bool {
	end := []byte(" " + name.String())
	for {
		i := bytes.Index(list, end)
		if i < 0 {
			return false
		}
		if list = list[i+len(end):]; len(list) == 0 || list[0] == '\n' || list[0] == '\r' {
			return true
		}
	}
}

// HashesWithPrefix finds what an abbreviated revision may mean, as go-git asks a store that can tell, sorted. go-git
// goes through all objects.
func (s *packed) HashesWithPrefix(prefix []byte) ([]plumbing.Hash, error) {
	if len(prefix) == 0 || len(prefix) > packName20 || s.others {
		return s.Storage.HashesWithPrefix(prefix)
	}
	out := s.loose(prefix)
	for _, x := range s.indexes {
		b, err := x.bucket(prefix[0])
		if err != nil {
			return s.Storage.HashesWithPrefix(prefix)
		}
		name := func(i int) []byte { return b[i*packName20 : (i+1)*packName20] }
		n := len(b) / packName20
		for i := sort.Search(n, func(i int) bool { return bytes.Compare(name(i), prefix) >= 0 }); i < n; i++ {
			if !bytes.HasPrefix(name(i), prefix) {
				break
			}
			out = append(out, plumbing.Hash(name(i)))
		}
	}
	slices.SortFunc(out, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(out), nil
}

// loose are the objects outside packs whose names begin so.
func (s *packed) loose(prefix []byte) []plumbing.Hash {
	first := hex.EncodeToString(prefix[:1])
	files, err := s.Filesystem().ReadDir(path.Join("objects", first))
	if err != nil {
		return nil // there is none
	}
	var out []plumbing.Hash
	for _, f := range files {
		b, err := hex.DecodeString(first + f.Name())
		if err == nil && len(b) == packName20 && bytes.HasPrefix(b, prefix) {
			out = append(out, plumbing.Hash(b))
		}
	}
	return out
}
