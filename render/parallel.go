package render

import (
	"context"
	"runtime"
	"sync"
)

// parallel calls f for 0 to n-1 on some workers; 0 workers is one per processor.
// Errors: the context's.
func parallel(ctx context.Context, workers, n int, f func(int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				f(i)
			}
		}()
	}
	var err error
loop:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			err = ctx.Err()
			break loop
		}
	}
	close(next)
	wg.Wait()
	return err
}
