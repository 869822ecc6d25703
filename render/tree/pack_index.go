package tree

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sort"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndex is the index of a pack of at most 2 GiB, of which it reads only the needed parts. It can only look up
// objects: listing all of them is refused.
//
// Source: git, Documentation/gitformat-pack.adoc: version 2 pack-*.idx files, pack-*.rev files.
type packIndex struct {
	f       billy.File
	fanout  [256]int    // how many objects have a name that begins with at most that byte
	names   [256][]byte // names that begin with a byte, as far as they were read
	offsets []byte      // of all objects by name, 4 bytes each; nil: not read yet
	stem    string      // the path without the ending
	files   billy.Filesystem
	rev     []uint32 // places by name, in the order of the pack; nil: not read yet
}

var _ idxfile.Index = (*packIndex)(nil)

// Sizes of the parts of an index, in bytes.
const (
	packHeader = 8 + 4*256
	packName20 = 20
	packTail   = 2 * 20
	revHeader  = 12
)

var errWholeIndex = errors.New("an index that is read by need is not gone through")

// openIndex opens the index of a pack; nil where its form is another one, or it has another size than it says.
func openIndex(files billy.Filesystem, stem string) *packIndex {
	f, err := files.Open(stem + "idx")
	if err != nil {
		return nil
	}
	x := &packIndex{f: f, files: files, stem: stem}
	head := make([]byte, packHeader)
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte("\xfftOc\x00\x00\x00\x02")) {
		f.Close()
		return nil
	}
	for i, was := 0, 0; i < 256; i++ {
		x.fanout[i] = int(binary.BigEndian.Uint32(head[8+4*i:]))
		if x.fanout[i] < was {
			f.Close()
			return nil
		}
		was = x.fanout[i]
	}
	// Offsets of 8 bytes make the file larger.
	size := int64(packHeader + x.count()*(packName20+4+4) + packTail)
	if fi, err := files.Stat(stem + "idx"); err != nil || fi.Size() != size {
		f.Close()
		return nil
	}
	return x
}

func (x *packIndex) count() int { return x.fanout[255] }

// from is the place of the first name that begins with a byte.
func (x *packIndex) from(first byte) int {
	if first == 0 {
		return 0
	}
	return x.fanout[first-1]
}

// bucket are the names that begin with a byte.
func (x *packIndex) bucket(first byte) ([]byte, error) {
	from, to := x.from(first), x.fanout[first]
	if x.names[first] == nil && to > from {
		b := make([]byte, (to-from)*packName20)
		if _, err := x.f.ReadAt(b, int64(packHeader+from*packName20)); err != nil {
			return nil, err
		}
		x.names[first] = b
	}
	return x.names[first], nil
}

// place is where a name stands in the index.
func (x *packIndex) place(h plumbing.Hash) (int, error) {
	b, err := x.bucket(h[0])
	if err != nil {
		return 0, err
	}
	i, ok := sort.Find(len(b)/packName20, func(i int) int { return bytes.Compare(h[:], b[i*packName20:(i+1)*packName20]) })
	if !ok {
		return 0, plumbing.ErrObjectNotFound
	}
	return x.from(h[0]) + i, nil
}

// offset is where in the pack the object at a place begins.
func (x *packIndex) offset(place int) (int64, error) {
	if x.offsets == nil {
		b := make([]byte, 4*x.count())
		if _, err := x.f.ReadAt(b, int64(packHeader+x.count()*(packName20+4))); err != nil {
			return 0, err
		}
		x.offsets = b
	}
	at := binary.BigEndian.Uint32(x.offsets[4*place:])
	if at>>31 != 0 {
		return 0, idxfile.ErrMalformedIdxFile // it points to an offset of 8 bytes, of which there are none
	}
	return int64(at), nil
}

// Contains implements idxfile.Index.
func (x *packIndex) Contains(h plumbing.Hash) (bool, error) {
	_, err := x.place(h)
	return err == nil, nil
}

// FindOffset implements idxfile.Index.
func (x *packIndex) FindOffset(h plumbing.Hash) (int64, error) {
	i, err := x.place(h)
	if err != nil {
		return 0, err
	}
	return x.offset(i)
}

// FindHash implements idxfile.Index: a delta in the pack may name its base by the offset alone.
func (x *packIndex) FindHash(at int64) (plumbing.Hash, error) {
	if err := x.reverse(); err != nil {
		return plumbing.ZeroHash, err
	}
	var failed error
	i, ok := sort.Find(len(x.rev), func(i int) int {
		o, err := x.offset(int(x.rev[i]))
		failed = cmp.Or(failed, err)
		return cmp.Compare(at, o)
	})
	if failed != nil || !ok {
		return plumbing.ZeroHash, cmp.Or(failed, plumbing.ErrObjectNotFound)
	}
	place := int(x.rev[i])
	first := sort.Search(256, func(i int) bool { return x.fanout[i] > place })
	b, err := x.bucket(byte(first))
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var h plumbing.Hash
	copy(h[:], b[(place-x.from(byte(first)))*packName20:])
	return h, nil
}

// reverse learns the order of the pack: from its own file, which git writes beside the index, or by sorting.
func (x *packIndex) reverse() error {
	if x.rev != nil {
		return nil
	}
	if x.rev = x.readReverse(); x.rev != nil {
		return nil
	}
	rev, at := make([]uint32, x.count()), make([]int64, x.count())
	for i := range rev {
		o, err := x.offset(i)
		if err != nil {
			return err
		}
		rev[i], at[i] = uint32(i), o
	}
	slices.SortFunc(rev, func(a, b uint32) int { return cmp.Compare(at[a], at[b]) })
	x.rev = rev
	return nil
}

// readReverse reads the file of a pack's order; nil where there is none, or not one of this pack's size.
func (x *packIndex) readReverse() []uint32 {
	f, err := x.files.Open(x.stem + "rev")
	if err != nil {
		return nil
	}
	defer f.Close()
	size := revHeader + 4*x.count() + packTail
	b, err := io.ReadAll(io.LimitReader(f, int64(size)+1))
	if err != nil || len(b) != size || !bytes.HasPrefix(b, []byte("RIDX\x00\x00\x00\x01\x00\x00\x00\x01")) {
		return nil
	}
	rev := make([]uint32, x.count())
	for i := range rev {
		if rev[i] = binary.BigEndian.Uint32(b[revHeader+4*i:]); int(rev[i]) >= len(rev) {
			return nil
		}
	}
	return rev
}

// FindCRC32, Count, Entries and EntriesByOffset implement idxfile.Index; nothing that reads single objects asks.
func (x *packIndex) FindCRC32(plumbing.Hash) (uint32, error) { return 0, errWholeIndex }

// Count is the number of objects.
func (x *packIndex) Count() (int64, error) { return int64(x.count()), nil }

// Entries is refused.
func (x *packIndex) Entries() (idxfile.EntryIter, error) { return nil, errWholeIndex }

// EntriesByOffset is refused.
func (x *packIndex) EntriesByOffset() (idxfile.EntryIter, error) { return nil, errWholeIndex }
