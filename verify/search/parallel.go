package search

import (
	"sync"
	"sync/atomic"
)

// A block is expanded before the visited set is written. It is small enough for its successors to stay in cache, large
// enough to keep the workers busy. Its batches are cut by its size alone, so that they are the same for any number of
// workers.
const (
	blockStates = 8192
	batches     = 16
	batchStates = 8  // a batch has no fewer, where the block allows
	soloStates  = 64 // a smaller block is not worth waking other workers for
)

// sizes overrides these sizes and the budget of loops, for tests.
type sizes struct {
	block, batch, solo uint32
	loops              int
	noEdges            bool
	screens            bool // only which rules are violated is asked; a cycle ends the search, fair or not
}

func (c sizes) orDefault() sizes {
	if c.block == 0 {
		c.block, c.batch, c.solo = blockStates, batchStates, soloStates
	}
	if c.loops == 0 {
		c.loops = loopBudget
	}
	return c
}

// parallel shares n tasks among the workers, of which the calling goroutine is the first. Each worker begins with the
// tasks that it had last time, for their memory is in its cache, and then takes remaining ones of the others.
func (e *engine) parallel(n int, solo bool, task func(w *worker, i int)) {
	if solo || len(e.workers) == 1 {
		for i := range n {
			task(e.workers[0], i)
		}
		return
	}
	var taken [shards]atomic.Bool
	work := func(k int) {
		for own := k; own < n; own += len(e.workers) {
			if taken[own].CompareAndSwap(false, true) {
				task(e.workers[k], own)
			}
		}
		for i := range n {
			if !taken[i].Load() && taken[i].CompareAndSwap(false, true) {
				task(e.workers[k], i)
			}
		}
	}
	var wg sync.WaitGroup
	for k := 1; k < len(e.workers); k++ {
		wg.Go(func() { work(k) })
	}
	work(0)
	wg.Wait()
}
