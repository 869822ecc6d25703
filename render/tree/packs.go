package tree

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// store is the store of a repository. It looks for an object in its packs without the map of all their
// objects that go-git makes for the first one: of 300,000 objects that takes longer than reading what a check needs.
type store struct {
	*filesystem.Storage
	objects cache.Object
	once    sync.Once
	packs   []pack
}

// pack is a pack, open until the process ends.
type pack struct {
	index *packIndex
	file  *packfile.Packfile
}

func newStore(s *filesystem.Storage, opt filesystem.Options, objects cache.Object) *store {
	opt.KeepDescriptors = true // go-git opens packs anew for every object otherwise
	return &store{Storage: filesystem.NewStorageWithOptions(s.Filesystem(), objects, opt), objects: objects}
}

// EncodedObject implements storer.EncodedObjectStorer. What is in no pack that can be read, or not of the kind that
// is asked for, is left to go-git.
func (s *store) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	s.once.Do(s.open)
	for _, p := range s.packs {
		if has, err := p.index.Contains(h); err != nil || !has {
			continue
		}
		if o, err := p.file.Get(h); err == nil && (t == plumbing.AnyObject || o.Type() == t) {
			return o, nil
		}
	}
	return s.Storage.EncodedObject(t, h)
}

// open opens the packs. One that cannot be read is left to go-git, which says why.
func (s *store) open() {
	dir := dotgit.New(s.Filesystem())
	names, err := dir.ObjectPacks()
	if err != nil {
		return
	}
	slices.SortFunc(names, func(a, b plumbing.Hash) int { return slices.Compare(a[:], b[:]) })
	for _, name := range names {
		index, err := readPackIndex(dir, name)
		if err != nil {
			continue
		}
		f, err := dir.ObjectPack(name)
		if err != nil {
			continue
		}
		s.packs = append(s.packs, pack{index, packfile.NewPackfileWithCache(index, dir.Fs(), f, s.objects, 0)})
	}
}

func readPackIndex(dir *dotgit.DotGit, name plumbing.Hash) (*packIndex, error) {
	f, err := dir.ObjectPackIdx(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	index := &packIndex{MemoryIndex: idxfile.NewMemoryIndex()}
	if err := idxfile.NewDecoder(f).Decode(index.MemoryIndex); err != nil {
		return nil, err
	}
	if index.PackfileChecksum != name {
		return nil, idxfile.ErrMalformedIdxFile
	}
	return index, nil
}

// packIndex is the index of a pack which tells what stands at an offset by a list in order of the offsets.
type packIndex struct {
	*idxfile.MemoryIndex
	once    sync.Once
	err     error
	entries []entryAt // by offset
}

// entryAt is where an object begins, and which one in order of the hashes it is.
type entryAt struct {
	offset uint64
	number uint32
}

// FindHash implements idxfile.Index.
func (x *packIndex) FindHash(offset int64) (plumbing.Hash, error) {
	x.once.Do(x.sort)
	if x.err != nil {
		return plumbing.ZeroHash, x.err
	}
	i := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].offset >= uint64(offset) })
	if offset < 0 || i == len(x.entries) || x.entries[i].offset != uint64(offset) {
		return plumbing.ZeroHash, plumbing.ErrObjectNotFound
	}
	n := x.entries[i].number
	first := sort.Search(len(x.Fanout), func(b int) bool { return x.Fanout[b] > n })
	within := n
	if first > 0 {
		within -= x.Fanout[first-1]
	}
	var h plumbing.Hash
	copy(h[:], x.Names[x.FanoutMapping[first]][int(within)*len(h):])
	return h, nil
}

// sort reads the offsets, and sorts them byte by byte.
func (x *packIndex) sort() {
	count, highest := uint32(0), uint64(0)
	for _, list := range x.Offset32 {
		x.entries = slices.Grow(x.entries, len(list)/4)
		for ; len(list) >= 4; list = list[4:] {
			offset := uint64(binary.BigEndian.Uint32(list))
			if far := offset &^ (1 << 31) * 8; offset>>31 > 0 { // it stands in another list, as it is a long one
				if far+8 > uint64(len(x.Offset64)) {
					x.err = idxfile.ErrMalformedIdxFile
					return
				}
				offset = binary.BigEndian.Uint64(x.Offset64[far:])
			}
			x.entries = append(x.entries, entryAt{offset, count})
			highest = max(highest, offset)
			count++
		}
	}
	if count != x.Fanout[len(x.Fanout)-1] {
		x.err = idxfile.ErrMalformedIdxFile
		return
	}
	other := make([]entryAt, len(x.entries))
	for shift := 0; shift < 64 && highest>>shift > 0; shift += 8 {
		var at [257]int
		for _, e := range x.entries {
			at[(e.offset>>shift)&0xff+1]++
		}
		for b := range 256 {
			at[b+1] += at[b]
		}
		for _, e := range x.entries {
			b := (e.offset >> shift) & 0xff
			other[at[b]] = e
			at[b]++
		}
		x.entries, other = other, x.entries
	}
}
