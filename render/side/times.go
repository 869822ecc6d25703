package side

import (
	"sync"
	"time"
)

// Times are what the releases of a side took to render, those that were dropped later too.
type Times struct {
	mu  sync.Mutex
	Of  map[string]time.Duration // by ID
	had map[string]bool          // IDs of what could be rendered, whether or not there was time for it
}

// have notes that a release could be rendered.
func (t *Times) have(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.had == nil {
		t.had = map[string]bool{}
	}
	t.had[id] = true
}

func (t *Times) add(id string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Of == nil {
		t.Of = map[string]time.Duration{}
	}
	t.Of[id] += d
}

// Slower reports whether head takes more than twice as long as base to render, and a good part of all the time by it.
// Of what both have only that counts which there was time for on both: where the time ended before base's, nothing is
// known of head's.
func Slower(base, head *Side) bool {
	var onBase, onHead, all time.Duration
	for _, took := range base.Spent.Of {
		all += took
	}
	for id, took := range head.Spent.Of {
		all += took
		was, ran := base.Spent.Of[id]
		if !ran && base.Spent.had[id] {
			continue
		}
		onBase, onHead = onBase+was, onHead+took
	}
	return onHead > 2*onBase && 4*(onHead-onBase) > all
}
