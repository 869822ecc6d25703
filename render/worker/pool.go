package worker

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/release"
)

// Options says how recipes are rendered.
type Options struct {
	Sandbox Sandbox
	Workers int            // recipes at once; 0: one per processor
	Clock   *release.Clock // ends them; nil: each has its own limit alone
	Outputs *Outputs       // of earlier runs, for those of a sandbox; nil: none
}

// New gives the runner of recipes.
func New(ctx context.Context, opt Options) Runner {
	if len(opt.Sandbox.Command) == 0 {
		kustomize.AtOnce()
		return here{}
	}
	n := opt.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	p := &pool{ctx: ctx, box: opt.Sandbox, clock: opt.Clock, outputs: opt.Outputs, idle: make(chan *process, n),
		first: make(chan struct{}, n), more: make(chan struct{}, n)}
	if p.box.Time <= 0 {
		p.box.Time = DefaultRenderTime
	}
	if p.box.Memory <= 0 {
		p.box.Memory = min(DefaultRenderMemory, max(leastRenderMemory, DefaultRenderMemory/2*3/int64(n)))
	}
	p.first <- struct{}{}
	for range n - 1 {
		p.more <- struct{}{}
	}
	return p
}

// pool keeps worker processes.
type pool struct {
	ctx   context.Context
	box   Sandbox
	clock *release.Clock
	idle  chan *process // that run, and have nothing to do
	first chan struct{} // places of workers to be started at once: one, and those that ended
	more  chan struct{} // places of those to be started where the others have too much to do
	// outputs are those of earlier runs; nil: none are kept
	outputs *Outputs
	once    sync.Once
}

// take gives a worker that has nothing to do, or nil for the place of one to be started.
func (p *pool) take() *process {
	soon := time.NewTimer(warmUp)
	defer soon.Stop()
	select {
	case w := <-p.idle:
		return w
	case <-p.first:
		return nil
	case <-soon.C:
	}
	select {
	case w := <-p.idle:
		return w
	case <-p.first:
	case <-p.more:
	}
	return nil
}

// give gives a worker back, or the place of one that ended.
func (p *pool) give(w *process) {
	if w == nil {
		p.first <- struct{}{}
		return
	}
	p.idle <- w
}

func (p *pool) Close() {
	p.once.Do(func() {
		for range cap(p.idle) {
			select {
			case w := <-p.idle:
				w.in.Close()
				_ = w.cmd.Wait() // it ends when its input does
			case <-p.first:
			case <-p.more:
			}
		}
		p.outputs.sweep()
	})
}
