package run

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestOnlyWhatIsHeldEndsTheSearches: memory that was left behind is collected, and what is held ends the context.
func TestOnlyWhatIsHeldEndsTheSearches(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nobody else collects it
	debug.FreeOSMemory()
	const some = 64 << 20
	limit := (MemoryInUse() + some) * 8 / 7 // an eighth of it is kept free
	var held [][]byte
	fill := func(hold bool) {
		for range (limit + some) >> 20 {
			piece := make([]byte, 1<<20)
			if piece[0] = 1; hold {
				held = append(held, piece)
			}
		}
	}
	ctx, stop := bounded(context.Background(), limit)
	defer stop()
	fill(false)
	for wait := 0; MemoryInUse() > limit && wait < 500; wait++ {
		time.Sleep(10 * time.Millisecond)
	}
	if MemoryInUse() > limit || ctx.Err() != nil {
		t.Fatalf("what was left behind is in use: %d MiB of %d, %v", MemoryInUse()>>20, limit>>20, context.Cause(ctx))
	}
	fill(true)
	select {
	case <-ctx.Done():
		if !outOfMemory(ctx) {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
	case <-time.After(30 * time.Second):
		t.Errorf("%d MiB are held, with a limit of %d", MemoryInUse()>>20, limit>>20)
	}
	runtime.KeepAlive(held)
}
