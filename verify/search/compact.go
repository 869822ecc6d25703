package search

import "encoding/binary"

// fingerprintBytes is the length of a key once states are forgotten.
const fingerprintBytes = 8

// frontier holds the bytes of the states that were not expanded yet, for a store whose
// keys are fingerprints (hash compaction: Wolper and Leroy 1993).
type frontier struct {
	cur, next [shards][]byte
	curLo     [shards]uint32 // place of the first state of cur
}

// compact turns the keys of all shards into fingerprints, in their order, so that
// identifiers and parents stay valid. States of bucket b and what it led to since
// before keep their bytes.
func (e *engine) compact(b *bucket, before [shards]uint32) {
	e.putInOrder()
	f := &frontier{}
	for _, sp := range e.layers.of(*b) {
		f.curLo[sp.shard] = sp.lo
		for local := sp.lo; local < sp.hi; local++ {
			f.cur[sp.shard] = append(f.cur[sp.shard], e.store.shards[sp.shard].key(local)...)
		}
	}
	for s := range e.store.shards {
		old := &e.store.shards[s]
		for local := before[s]; local < old.n; local++ {
			f.next[s] = append(f.next[s], old.key(local)...)
		}
		fresh := shard{slots: old.slots, print: true, width: fingerprintBytes, stride: fingerprintBytes + parentBytes}
		for local := range old.n {
			rec := fresh.grow(local)
			binary.LittleEndian.PutUint64(rec, old.hash(local))
			binary.LittleEndian.PutUint32(rec[fingerprintBytes:], old.parent(local))
			fresh.n++
		}
		*old = fresh
	}
	e.front = f
}

// advance makes the states just found the ones to be expanded.
func (f *frontier) advance(lo [shards]uint32) {
	f.cur, f.next = f.next, f.cur
	for i := range f.next {
		f.next[i] = f.next[i][:0]
	}
	f.curLo = lo
}

func (f *frontier) state(id uint32, width int) []byte {
	s := shardOf(id)
	at := int(localOf(id)-f.curLo[s]) * width
	return f.cur[s][at : at+width]
}

func (f *frontier) bytes() (total uint64) {
	for i := range f.cur {
		total += uint64(cap(f.cur[i]) + cap(f.next[i]))
	}
	return total
}

func fingerprint(s []byte) []byte { return binary.LittleEndian.AppendUint64(nil, hash(s)) }

// missProbability bounds the probability that any two of n states share a fingerprint
// of 64 bits, taken as random.
func missProbability(n uint64) float64 {
	const space = 1 << 64
	return min(1, float64(n)*float64(n-min(n, 1))/2/space)
}
