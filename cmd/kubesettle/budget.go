package main

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// The time budget is one deadline for everything, split so that no phase can leave nothing for the next: rendering ends
// after its share, and so does the comparison with its lines; the search keeps a separate part for blame and fixes.
const (
	forRendering = 0.5
	forComparing = 0.6 // rendering included
)

// forReporting is the least that writing the reports may take.
const forReporting = 5 * time.Second

// leastRendering is what rendering gets of a budget that is too small for anything: it is the
// search that is cut short then, and says so.
const leastRendering = time.Second

// budget is the wall time of a run; the zero total is none.
type budget struct {
	total   time.Duration
	started time.Time
	clock   *release.Clock // of the renderer

	watch *deadline
	alone atomic.Bool // the run went on without the analysis that this is the budget of
}

// within returns the outcome of an analysis, or that of late if it overran its time by far. The analysis then goes on
// while the reports are written, and ends with the process. A cut by the clock alone is inconclusive, never an error of
// the change.
func (b *budget) within(analyse func() (*finished, error), late func(error) (*finished, error)) (*finished, error) {
	type answer struct {
		done *finished
		err  error
	}
	first := make(chan answer, 1)
	over := make(chan error, 1)
	b.watch.pass(func(why error) { over <- why })
	defer b.watch.pass(nil)
	go func() {
		done, err := analyse()
		first <- answer{done, err}
	}()
	select {
	case a := <-first:
		return a.done, a.err
	case why := <-over:
		b.alone.Store(true)
		b.watch.set(phaseReporting, b.total, forReporting)
		return late(why)
	}
}

// spend starts a budget with the phase of rendering.
func spend(p *process, total time.Duration) *budget {
	b := &budget{total: total, started: p.began, clock: &release.Clock{}, watch: p.deadline}
	if b.started.IsZero() {
		b.started = time.Now()
	}
	b.upTo(forRendering)
	b.enter(phaseRendering)
	return b
}

// enter begins a phase that is ended from outside where it outlives the budget.
func (b *budget) enter(phase string) {
	if !b.alone.Load() {
		b.watch.set(phase, b.total, b.remaining())
	}
}

// remaining is the rest of the whole budget.
func (b *budget) remaining() time.Duration { return b.total - time.Since(b.started) }

// reporting begins the last phase, which has a separate time: the decisions must still be written.
func (b *budget) reporting(code int) {
	if b == nil {
		return
	}
	b.watch.hear(func(error) int {
		if code == exitPass {
			return exitAnalysis // a pass that was not reported is of no use
		}
		return code
	})
	b.watch.set(phaseReporting, b.total, forReporting)
}

// forRemote is how long the comment and the suggestions may take, or the note: everything else is written by then.
const forRemote = 30 * time.Second

// posting begins the remote requests, with a context that ends before the phase does, whatever the API does.
func (b *budget) posting(ctx context.Context, p *process, code int) (context.Context, func()) {
	limit := cmp.Or(p.remote, forRemote)
	if b != nil {
		b.watch.hear(func(error) int { return code })
		b.watch.set(phasePosting, b.total, limit)
	}
	return context.WithTimeout(ctx, limit)
}

// upTo begins a phase that ends when a share of the whole is used up.
func (b *budget) upTo(share float64) {
	if b.total > 0 {
		b.clock.Set(b.started.Add(max(time.Duration(share*float64(b.total)), leastRendering)))
	}
}

// deadline is when the whole budget is used up; zero where there is none.
func (b *budget) deadline() time.Time {
	if b.total == 0 {
		return time.Time{}
	}
	return b.started.Add(b.total)
}

// left is the time left for the last phase. If there is none, the search ends at once, and says so; no budget stays
// none.
func (b *budget) left() time.Duration {
	if b.total == 0 {
		return 0
	}
	b.upTo(1)
	return max(b.remaining(), time.Nanosecond)
}

// notices say what there was no time for: a line is missed by those who read a finding only.
func (b *budget) notices(r *finding.Result) []finding.Note {
	if !b.clock.Ended() {
		return nil
	}
	var out []finding.Note
	cut := 0
	for _, rel := range r.Releases {
		if rel.Cut {
			cut++
		}
	}
	if done := len(r.Releases) - cut; cut > 0 {
		took := forRendering * b.total.Seconds()
		more := max(1, int(took*float64(cut)/float64(max(done, 1))+0.5))
		out = append(out, finding.Say(finding.CutBeforeReleases, cut, len(r.Releases), more, done > 0))
	}
	if len(r.Findings)+len(r.Waived) > 0 {
		out = append(out, finding.Say(finding.CutBeforeLines))
	}
	return out
}
