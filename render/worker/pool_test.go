package worker

import (
	"context"
	"testing"
	"time"
)

// A worker that is idle again within the time in which another one would start is waited for;
// one that has more to do is joined by another, and one that ended is replaced at once.
func TestPoolStartsWorkersAsTheyAreNeeded(t *testing.T) {
	p, ok := New(context.Background(), Options{Workers: 2, Sandbox: Sandbox{Command: []string{"none"}}}).(*pool)
	if !ok {
		t.Fatal("a sandbox with a command has no pool")
	}
	if w := p.take(); w != nil {
		t.Fatal("a worker before any was started")
	}
	first := &process{}
	time.AfterFunc(warmUp/10, func() { p.give(first) })
	if w := p.take(); w != first {
		t.Fatal("a second worker was to be started, though the first was idle soon")
	}
	began := time.Now()
	if w := p.take(); w != nil || time.Since(began) < warmUp {
		t.Fatalf("with the first one busy: %v after %s", w, time.Since(began))
	}
	p.give(nil) // it ended
	began = time.Now()
	if w := p.take(); w != nil || time.Since(began) > warmUp {
		t.Fatalf("in the place of one that ended: %v after %s", w, time.Since(began))
	}
}
