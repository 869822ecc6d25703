package memo

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
)

// Store keeps values in a folder. Those that are asked for together lie together, in one pack, as most are small. A nil
// *Store keeps nothing. It is safe for concurrent use, and runs may share a folder: of two that write a pack at the
// same time, one is lost.
type Store struct {
	folder folder
	writes bool
	asked  atomic.Int64
	found  atomic.Int64

	mu    sync.Mutex
	packs map[string]*pack
	held  int // bytes of the values in them
}

// Bounds in bytes: of one pack, whose values that were not used for longest go, and of all that one run holds.
const (
	mostPack = 8 << 20
	mostHeld = 128 << 20
)

// pack is values by their keys. Those that are used in this run come first when it is written, then the others as they
// were.
type pack struct {
	values map[Key][]byte
	order  []Key // as read
	used   map[Key]bool
	grown  bool
}

// Open gives the store in a folder, which need not exist. program identifies the build, as another build's results may
// differ, and is "" if it is unknown: then nothing is found or kept. A store that does not write only reads the results
// of others.
func Open(dir string, program func() string, writes bool) *Store {
	return &Store{folder: newFolder(dir, program), writes: writes, packs: map[string]*pack{}}
}

// pack gives the one of a name; the caller holds the lock.
func (s *Store) pack(name string) *pack {
	p := s.packs[name]
	if p == nil {
		p = s.folder.read(name)
		for _, b := range p.values {
			s.held += len(b)
		}
		s.packs[name] = p
	}
	return p
}

// Find reads the value of a key into v, and reports whether there is one. The pack is the one that it was kept in.
// sound says whether the text can be the value; it is called last, and if it is false, v must be thrown away.
func (s *Store) Find(name string, k Key, v any, sound func() bool) bool {
	if s == nil {
		return false
	}
	s.asked.Add(1)
	s.mu.Lock()
	p := s.pack(name)
	b, ok := p.values[k]
	s.mu.Unlock()
	if !ok {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if d.Decode(v) != nil || !sound() {
		return false
	}
	s.mu.Lock()
	p.used[k] = true
	s.mu.Unlock()
	s.found.Add(1)
	return true
}

// Keep stores the value of a key in a pack, in place of any other; [Store.Close] writes it.
func (s *Store) Keep(name string, k Key, v any) {
	if s == nil || !s.writes {
		return
	}
	b, err := json.Marshal(v)
	if err != nil || len(b) > mostPack/2 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+len(b) > mostHeld {
		return
	}
	p := s.pack(name)
	s.held += len(b) - len(p.values[k])
	p.values[k], p.used[k], p.grown = b, true, true
}

// Counts are how many values were asked for, and how many of them there were.
func (s *Store) Counts() (asked, found int64) {
	if s == nil {
		return 0, 0
	}
	return s.asked.Load(), s.found.Load()
}

// Close writes the kept values. If the folder cannot be written, it is empty next time.
func (s *Store) Close() {
	if s == nil || !s.writes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	written := false
	for name, p := range s.packs {
		switch {
		case p.grown:
			s.folder.write(name, p)
			written = true
		case len(p.used) > 0:
			s.folder.Touch(s.folder.file(name))
		}
	}
	if written {
		s.folder.Sweep()
	}
}

// inOrder lists the keys of used values by their bytes, then the others as they were read.
func (p *pack) inOrder() []Key {
	var out []Key
	for k := range p.used {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	for _, k := range p.order {
		if !p.used[k] {
			out = append(out, k)
		}
	}
	return out
}
