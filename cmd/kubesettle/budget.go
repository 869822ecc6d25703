package main

import (
	"time"

	"github.com/kubesettle/kubesettle/render"
)

// The time budget is one deadline for everything, split so that no phase can leave nothing
// for the next: rendering ends after its share, and so does the comparison with its lines;
// the search keeps a part of its own for what findings need.
const (
	forRendering = 0.5
	forComparing = 0.6 // rendering included
)

// leastRendering is what rendering gets of a budget that is too small for anything: it is the
// search that is cut short then, and says so.
const leastRendering = time.Second

// budget is the wall time of a run; the zero total is none.
type budget struct {
	total   time.Duration
	started time.Time
	clock   *render.Clock // of the renderer
}

// spend starts a budget with the phase of rendering.
func spend(total time.Duration) *budget {
	b := &budget{total: total, started: time.Now(), clock: &render.Clock{}}
	b.upTo(forRendering)
	return b
}

// upTo begins a phase that ends when a share of the whole is used up.
func (b *budget) upTo(share float64) {
	if b.total > 0 {
		b.clock.Set(b.started.Add(max(time.Duration(share*float64(b.total)), leastRendering)))
	}
}

// left is what is left for the last phase. Where nothing is, the search ends at once, and
// says so; no budget stays none.
func (b *budget) left() time.Duration {
	if b.total == 0 {
		return 0
	}
	b.upTo(1)
	return max(b.total-time.Since(b.started), time.Nanosecond)
}

// notices say what there was no time for.
func (b *budget) notices() []string {
	if !b.clock.Ended() {
		return nil
	}
	return []string{"the time budget (--time-budget) ended before every release was rendered or every line was found: a line may be that of the template in place of the value's"}
}
