package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/kubesettle/kubesettle/verify/scenario"
)

// DefaultMemory is what the program may hold while it searches, in bytes: a quarter of the
// smallest runner that GitHub gives, where other steps run too.
const DefaultMemory = 1600 << 20

// errMemory ends the searches, and not the run: the findings so far stand, and the rest is inconclusive.
var errMemory = errors.New("the memory budget ran out")

// memoryWatch looks at all memory in use: a search counts its own states and not the memory for compiling them.
const memoryWatch = 20 * time.Millisecond

// memory is what a run may hold, and searchBytes what one search may count of it: those that
// run side by side share two thirds.
func memory(opt Options) uint64 {
	if opt.Memory > 0 {
		return opt.Memory
	}
	return DefaultMemory
}

func searchBytes(opt Options) uint64 {
	return memory(opt) / 3 * 2 / uint64(scenario.Workers(opt.Workers))
}

// bounded ends a context once more than limit bytes are in use; stop ends the watch. Garbage does not count: it is
// collected first, and if that leaves less than an eighth of the limit, the end is near anyway.
func bounded(ctx context.Context, limit uint64) (bound context.Context, stop func()) {
	bound, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(memoryWatch)
		defer tick.Stop()
		for {
			select {
			case <-bound.Done():
				return
			case <-tick.C:
				if MemoryInUse() <= limit {
					continue
				}
				if debug.FreeOSMemory(); MemoryInUse() > limit-limit/8 {
					cancel(fmt.Errorf("%w: %d MiB", errMemory, limit>>20))
					return
				}
			}
		}
	}()
	return bound, func() { cancel(nil) }
}

// outOfMemory reports whether the memory budget ended a context.
func outOfMemory(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errMemory) }

// MemoryInUse is what the program holds of the system's memory, in bytes, as far as Go's
// runtime has it.
func MemoryInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}
