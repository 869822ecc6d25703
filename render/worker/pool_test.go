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

// Go's runtime ends in several ways where it gets no memory; a panic of a template's function is none of them.
func TestStarvedIsToldFromOtherEnds(t *testing.T) {
	for said, want := range map[string]bool{
		"runtime: out of memory: cannot allocate 2000003072-byte block\nfatal error: out of memory": true,
		"SIGSEGV: segmentation violation\nPC=0x12289bd m=3 sigcode=1 addr=0x0\n\ngoroutine 0":       true,
		"panic: runtime error: nil pointer dereference\n[signal SIGSEGV: segmentation violation]":   false,
		"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow":       false,
	} {
		f := &firstBytes{}
		if _, err := f.Write([]byte(said)); err != nil || f.starved() != want {
			t.Errorf("%q: starved is %v, want %v (%v)", said, f.starved(), want, err)
		}
	}
}
