package search

import "testing"

// FuzzStore compares the visited set with a map: whatever the keys, each is found again
// with its parent, and no other.
func FuzzStore(f *testing.F) {
	f.Add(uint8(1), []byte("abcabc"))
	f.Add(uint8(3), []byte("the same key, the same key, the same key"))
	f.Add(uint8(9), make([]byte, 3000))
	f.Add(uint8(17), []byte("seventeen bytes, and then seventeen more; the tail is cut off"))
	f.Fuzz(func(t *testing.T, width uint8, text []byte) {
		if width == 0 {
			return
		}
		st := newStore(int(width))
		want := map[string]uint32{}
		ids := map[uint32]string{}
		// all windows, so that many keys differ in little
		for i := 0; i+int(width) <= len(text); i++ {
			key := text[i : i+int(width)]
			h := hash(key)
			sh := int(h >> (64 - shardBits))
			local, added := st.shards[sh].insert(h, key, uint32(i))
			parent, known := want[string(key)]
			if added == known {
				t.Fatalf("%x: added %v, known %v", key, added, known)
			}
			if !known {
				parent = uint32(i)
				want[string(key)] = parent
			}
			id := makeID(sh, local)
			if before, ok := ids[id]; ok && before != string(key) {
				t.Fatalf("%x and %x share the identifier %d", key, before, id)
			}
			ids[id] = string(key)
			if st.find(key) != id || string(st.key(id)) != string(key) || st.parent(id) != parent {
				t.Fatalf("%x: found as %d, stored as %x with parent %d, want %d", key, st.find(key), st.key(id), st.parent(id), parent)
			}
		}
		for id, key := range ids {
			if st.find([]byte(key)) != id {
				t.Fatalf("%x is lost", key)
			}
		}
	})
}
