package side

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Parallel calls f for 0 to n-1 on some workers; 0 workers is one per processor.
// Errors: the context's.
func Parallel(ctx context.Context, workers, n int, f func(int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var g errgroup.Group
	g.SetLimit(workers)
	for i := range n {
		if err := ctx.Err(); err != nil {
			_ = g.Wait() // which has none
			return err
		}
		g.Go(func() error { f(i); return nil })
	}
	return g.Wait()
}
