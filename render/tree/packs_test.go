package tree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// TestPackIndexFindsWhatGoGitFinds compares the list with go-git's map, in random packs, some of which are longer than
// four bytes can count.
func TestPackIndexFindsWhatGoGitFinds(t *testing.T) {
	far := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		hashes := make([]plumbing.Hash, r.IntN(400))
		for i := range hashes {
			for k := range hashes[i] {
				hashes[i][k] = byte(r.Uint32())
			}
			hashes[i][0] %= byte(1 + r.IntN(255)) // some first bytes have no object
		}
		slices.SortFunc(hashes, func(a, b plumbing.Hash) int { return slices.Compare(a[:], b[:]) })
		hashes = slices.Compact(hashes)
		index := idxfile.NewMemoryIndex()
		var offsets []int64
		for i := range index.FanoutMapping {
			index.FanoutMapping[i] = -1
		}
		for i, h := range hashes {
			first := int(h[0])
			if index.FanoutMapping[first] < 0 {
				index.FanoutMapping[first] = len(index.Names)
				index.Names, index.Offset32, index.CRC32 = append(index.Names, nil), append(index.Offset32, nil), append(index.CRC32, nil)
			}
			at := index.FanoutMapping[first]
			offset := int64(12 + i*1000 + r.IntN(900)) // in another order than the hashes
			offset ^= int64(r.IntN(1<<16)) << 20
			short := uint32(offset)
			if seed%2 == 1 && r.IntN(4) == 0 {
				offset += 1 << 33
				short = 1<<31 | uint32(len(index.Offset64)/8)
				index.Offset64 = binary.BigEndian.AppendUint64(index.Offset64, uint64(offset))
				far++
			} else if offset >= 1<<31 {
				offset %= 1 << 31
				short = uint32(offset)
			}
			offsets = append(offsets, offset)
			index.Names[at] = append(index.Names[at], h[:]...)
			index.Offset32[at] = binary.BigEndian.AppendUint32(index.Offset32[at], short)
			index.CRC32[at] = append(index.CRC32[at], 0, 0, 0, 0)
			index.Fanout[first]++
		}
		for i := 1; i < len(index.Fanout); i++ {
			index.Fanout[i] += index.Fanout[i-1]
		}
		x := &packIndex{MemoryIndex: index}
		for _, offset := range append(offsets, -1, 0, 1<<40, int64(r.IntN(1<<30))) {
			want, wantErr := index.FindHash(offset)
			got, err := x.FindHash(offset)
			if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("seed %d, offset %d: %s, %v; go-git: %s, %v", seed, offset, got, err, want, wantErr)
			}
		}
	}
	if far < 100 {
		t.Errorf("%d offsets are long", far)
	}
}

// TestPackIndexThatLies wants an error of an index that names an offset which it does not hold.
func TestPackIndexThatLies(t *testing.T) {
	index := idxfile.NewMemoryIndex()
	for i := range index.Fanout {
		index.Fanout[i] = 1
	}
	index.Names, index.Offset32 = [][]byte{make([]byte, 20)}, [][]byte{{0x80, 0, 0, 1}}
	if _, err := (&packIndex{MemoryIndex: index}).FindHash(12); !errors.Is(err, idxfile.ErrMalformedIdxFile) {
		t.Errorf("got %v", err)
	}
}
