package search

import (
	"encoding/binary"
	"math/bits"
)

// The visited set is cut into shards by the top bits of the hash, whatever the number
// of workers: a shard is filled by one worker at a time, in an order that depends on
// the search alone, so identifiers need no lock and are the same in every run.
const (
	shardBits = 6
	shards    = 1 << shardBits
	localBits = 24
	maxLocal  = 1<<localBits - 1 // states in one shard
	localMask = 1<<localBits - 1

	chunkBits   = 10 // states in one chunk of an arena
	chunkStates = 1 << chunkBits
	parentBytes = 4
)

// none is no state. A state's identifier is its shard and its place in it.
const none = ^uint32(0)

func makeID(shard int, local uint32) uint32 { return uint32(shard)<<localBits | local }
func shardOf(id uint32) int                 { return int(id >> localBits) }
func localOf(id uint32) uint32              { return id & localMask }

// shard is an arena of keys, each with its parent behind it, and an open-addressing
// table of places in it.
type shard struct {
	slots  []uint32 // tag<<localBits | place+1, or 0
	arena  [][]byte // chunks of chunkStates records
	n      uint32
	width  int // bytes of a key
	stride int
	print  bool       // keys are fingerprints, see compact.go
	fresh  []newcomer // states that the block at hand added

	_ [128]byte // workers write neighbours: no cache line of theirs is shared
}

// newcomer is a state just added, and its number among the successors of the block.
type newcomer struct{ number, id uint32 }

func (s *shard) init(number, width int) {
	// Capacities are staggered, so that not all tables double at the same moment.
	*s = shard{slots: make([]uint32, 16+number/4), width: width, stride: width + parentBytes}
}

// store is the visited set.
type store struct {
	shards [shards]shard
	states uint64
}

func newStore(width int) *store {
	st := &store{}
	for i := range st.shards {
		st.shards[i].init(i, width)
	}
	return st
}

func (st *store) key(id uint32) []byte     { return st.shards[shardOf(id)].key(localOf(id)) }
func (st *store) parent(id uint32) uint32  { return st.shards[shardOf(id)].parent(localOf(id)) }
func (st *store) find(state []byte) uint32 { return st.lookup(hash(state), state) }

// lookup gives the identifier of a state, or none.
func (st *store) lookup(h uint64, state []byte) uint32 {
	sh := int(h >> (64 - shardBits))
	if st.shards[sh].print {
		state = binary.LittleEndian.AppendUint64(make([]byte, 0, 8), h)
	}
	if local, ok := st.shards[sh].lookup(h, state); ok {
		return makeID(sh, local)
	}
	return none
}

// sizes gives the number of states in each shard.
func (st *store) sizes() (out [shards]uint32) {
	for i := range st.shards {
		out[i] = st.shards[i].n
	}
	return out
}

func (st *store) bytes() uint64 {
	var total uint64
	for i := range st.shards {
		total += st.shards[i].bytes()
	}
	return total
}

func (s *shard) record(local uint32) []byte {
	at := int(local&(chunkStates-1)) * s.stride
	return s.arena[local>>chunkBits][at : at+s.stride]
}

func (s *shard) key(local uint32) []byte { return s.record(local)[:s.width] }

func (s *shard) parent(local uint32) uint32 {
	return binary.LittleEndian.Uint32(s.record(local)[s.width:])
}

// slot is where a probe for h starts. It and the tag look at the lower 32 bits of the
// hash alone: the slot, of at most 24 bits, at the upper ones of them.
func slot(h uint64, slots int) int { return int(uint64(uint32(h)) * uint64(slots) >> 32) }
func tag(h uint64) uint32          { return uint32(h) << localBits }

func (s *shard) lookup(h uint64, key []byte) (uint32, bool) {
	i, t := slot(h, len(s.slots)), tag(h)
	for {
		v := s.slots[i]
		if v == 0 {
			return uint32(i), false
		}
		if v&^localMask == t && string(s.key(v&localMask-1)) == string(key) {
			return v&localMask - 1, true
		}
		if i++; i == len(s.slots) {
			i = 0
		}
	}
}

// insert adds a key unless it is there, and reports whether it was added.
func (s *shard) insert(h uint64, key []byte, parent uint32) (uint32, bool) {
	at, ok := s.lookup(h, key)
	if ok {
		return at, false
	}
	return s.place(int(at), h, key, parent), true
}

// place adds a key that is not there at the empty slot its probe ended in.
func (s *shard) place(at int, h uint64, key []byte, parent uint32) uint32 {
	local := s.n
	s.slots[at] = tag(h) | (local + 1)
	s.n++
	rec := s.grow(local)
	copy(rec, key)
	binary.LittleEndian.PutUint32(rec[s.width:], parent)
	if int(s.n)*5 > len(s.slots)*4 {
		s.rehash(2 * len(s.slots))
	}
	return local
}

// grow makes room for a record. The first chunk doubles until it is whole, so that a
// small search stays small.
func (s *shard) grow(local uint32) []byte {
	c := int(local >> chunkBits)
	if c == len(s.arena) {
		first := chunkStates
		if c == 0 {
			first = 4
		}
		s.arena = append(s.arena, make([]byte, first*s.stride))
	}
	if need := int(local&(chunkStates-1)) + 1; need*s.stride > len(s.arena[c]) {
		bigger := make([]byte, 2*len(s.arena[c]))
		copy(bigger, s.arena[c])
		s.arena[c] = bigger
	}
	return s.record(local)
}

func (s *shard) rehash(size int) {
	s.slots = make([]uint32, size)
	for local := range s.n {
		h := s.hash(local)
		i := slot(h, size)
		for s.slots[i] != 0 {
			if i++; i == size {
				i = 0
			}
		}
		s.slots[i] = tag(h) | (local + 1)
	}
}

// hash of a stored key; a compacted key is its own hash.
func (s *shard) hash(local uint32) uint64 {
	if s.print {
		return binary.LittleEndian.Uint64(s.key(local))
	}
	return hash(s.key(local))
}

// bytes is the memory of the shard; only the first chunk may be shorter than whole.
func (s *shard) bytes() uint64 {
	total := uint64(len(s.slots)) * 4
	if n := len(s.arena); n > 0 {
		total += uint64(len(s.arena[0]) + (n-1)*(chunkStates*s.stride+24))
	}
	return total
}

// hash is multiplication folded upon itself, eight bytes at a time (the mixing step of
// wyhash). It is the same in every run.
func hash(b []byte) uint64 {
	const k0, k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := uint64(len(b)) ^ k0
	for len(b) > 8 {
		h = fold(h^binary.LittleEndian.Uint64(b), k1)
		b = b[8:]
	}
	var v uint64
	switch n := len(b); {
	case n == 8:
		v = binary.LittleEndian.Uint64(b)
	case n >= 4:
		v = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		v = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	return fold(fold(h^v, k2), k1)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
