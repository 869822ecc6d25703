package search

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// packing says how states are written in the visited set and on the way to it: of every eight bytes only as many bits
// of each as the largest of them may need ([System.Most]), so that eight bytes of k bits take k bytes. A state that
// turns out not to fit ends the search, which begins again with that word as it is: only memory hangs on what
// Most says. nil: states are kept as they are.
type packing struct {
	width  int     // of a state
	packed int     // bytes
	bits   []uint8 // of each byte of a word, by word
}

// tooWide says which word of a state did not fit.
type tooWide struct{ word int }

func (e tooWide) Error() string {
	return fmt.Sprintf("word %d of a state does not fit its packing", e.word)
}

// newPacking gives nil where a quarter would not be saved.
func newPacking(width int, most []byte) *packing {
	p := &packing{width: width, bits: make([]uint8, (width+7)/8)}
	for i := range width {
		b := uint8(8)
		if i < len(most) {
			b = uint8(bits.Len8(most[i]))
		}
		p.bits[i/8] = max(p.bits[i/8], b)
	}
	return p.counted()
}

func (p *packing) counted() *packing {
	p.packed = 0
	for _, k := range p.bits {
		p.packed += int(k)
	}
	if p.packed*4 > p.width*3 {
		return nil
	}
	p.packed = max(p.packed, 1)
	return p
}

// widened takes a word as it is.
func (p *packing) widened(word int) *packing {
	out := *p
	out.bits = append([]uint8(nil), p.bits...)
	out.bits[word] = 8
	return out.counted()
}

// size of a state that is kept.
func (p *packing) size(width int) int {
	if p == nil {
		return width
	}
	return p.packed
}

// slack is how much longer than a packed state its buffer has to be.
const slack = 8

// pack writes a state into dst, which has [slack] bytes more than needed, and returns its length, and the word that
// does not fit, or -1.
func (p *packing) pack(dst, s []byte) ([]byte, int) {
	at := 0
	for i, k := range p.bits {
		x := p.word(s, i)
		if k == 8 {
			binary.LittleEndian.PutUint64(dst[at:], x)
			at += 8
			continue
		}
		if x&^(0x0101010101010101*(1<<k-1)) != 0 {
			return nil, i
		}
		x = x&0x00ff00ff00ff00ff | x>>(8-k)&(0x00ff00ff00ff00ff<<k)
		x = x&0x0000ffff0000ffff | x>>(16-2*k)&(0x0000ffff0000ffff<<(2*k))
		x = x&0x00000000ffffffff | x>>32<<(4*k)
		binary.LittleEndian.PutUint64(dst[at:], x)
		at += int(k)
	}
	return dst[:p.packed], -1
}

// unpack writes a packed state as it is.
func (p *packing) unpack(dst, packed []byte) {
	at := 0
	for i, k := range p.bits {
		var x uint64
		if len(packed)-at >= 8 {
			x = binary.LittleEndian.Uint64(packed[at:])
		} else {
			var end [8]byte
			copy(end[:], packed[at:])
			x = binary.LittleEndian.Uint64(end[:])
		}
		at += int(k)
		if k < 8 {
			half := uint64(1)<<(4*k) - 1
			x &= half | half<<(4*k)
			x = x&half | x>>(4*k)<<32
			two := uint64(1)<<(2*k) - 1
			x = x&(two|two<<32) | x<<(16-2*k)&((two|two<<32)<<16)
			one := uint64(1)<<k - 1
			one |= one<<16 | one<<32 | one<<48
			x = x&one | x<<(8-k)&(one<<8)
		}
		if rest := dst[8*i:]; len(rest) >= 8 {
			binary.LittleEndian.PutUint64(rest, x)
		} else {
			var end [8]byte
			binary.LittleEndian.PutUint64(end[:], x)
			copy(rest, end[:])
		}
	}
}

// to writes a state that is kept as it is.
func (p *packing) to(dst, key []byte) {
	if p == nil {
		copy(dst, key)
		return
	}
	p.unpack(dst, key)
}

// word is the i-th eight bytes of a state, with zeros behind its end.
func (p *packing) word(s []byte, i int) uint64 {
	if len(s) >= 8*i+8 {
		return binary.LittleEndian.Uint64(s[8*i:])
	}
	var end [8]byte
	copy(end[:], s[8*i:])
	return binary.LittleEndian.Uint64(end[:])
}

// packed is how a state is kept; valid until the next call.
func (w *worker) packed(s []byte) []byte {
	p := w.sys.packing
	if p == nil {
		return s
	}
	key, wide := p.pack(w.key, s)
	if wide >= 0 {
		panic(failure{tooWide{wide}})
	}
	return key
}

// unpacked is a state that is kept; valid until the next call.
func (w *worker) unpacked(key []byte) []byte {
	p := w.sys.packing
	if p == nil {
		return key
	}
	p.unpack(w.view, key)
	return w.view
}

// look gives a state by its identifier; valid until the next call.
func (w *worker) look(e *engine, id uint32) []byte { return w.unpacked(e.store.key(id)) }

// state gives a state by its identifier.
func (e *engine) state(id uint32) []byte {
	key := e.store.key(id)
	if e.sys.packing == nil {
		return key
	}
	out := make([]byte, e.sys.Width)
	e.sys.packing.unpack(out, key)
	return out
}

// find gives the identifier of a state, or none; one that does not fit is not there.
func (e *engine) find(s []byte) uint32 {
	p := e.sys.packing
	if p == nil {
		return e.store.find(s)
	}
	var some [256]byte
	dst := some[:]
	if p.packed+slack > len(some) {
		dst = make([]byte, p.packed+slack)
	}
	key, wide := p.pack(dst, s)
	if wide >= 0 {
		return none
	}
	return e.store.find(key)
}
