package render

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"sort"
	"sync"
)

// side is one revision on its way: what was discovered, gathered and rendered.
type side struct {
	src      *source
	opt      Options
	releases []Release
	ignored  []Ignored
	jobs     []*job
	failed   []*Failure // of gathering, by release
	outputs  []output
	runner   runner
}

// prepare discovers and gathers; other is the other side, or nil.
func prepare(ctx context.Context, t Tree, opt Options, run runner, other *side) (*side, error) {
	src, err := newSource(t)
	if err != nil {
		return nil, err
	}
	if other != nil {
		src.twin = other.src
	}
	for _, p := range opt.Paths {
		if !fs.ValidPath(p) {
			return nil, fmt.Errorf("path %q: give it relative to the root, with slashes", p)
		}
		if _, err := fs.Stat(t, p); err != nil {
			return nil, fmt.Errorf("path %q: %w", p, err)
		}
	}
	s := &side{src: src, opt: opt, runner: run}
	s.releases, s.ignored = discover(src, opt)
	s.jobs = make([]*job, len(s.releases))
	s.failed = make([]*Failure, len(s.releases))
	s.outputs = make([]output, len(s.releases))
	err = parallel(ctx, opt.Workers, len(s.releases), func(i int) {
		s.jobs[i], s.failed[i] = gather(src, s.releases[i])
	})
	return s, err
}

// run renders release i, unless gathering it failed.
func (s *side) run(i int) {
	if s.failed[i] != nil {
		s.outputs[i] = output{Err: s.failed[i], Notes: s.jobs[i].Notes}
		return
	}
	s.outputs[i] = s.runner.run(s.jobs[i])
	for k := range s.outputs[i].Docs {
		maskVolatile(&s.outputs[i].Docs[k])
	}
}

// finish turns outputs into objects.
func (s *side) finish() *Revision {
	rev := &Revision{Name: s.src.tree.Name(), Commit: s.src.tree.Commit(), Tree: s.src.tree, Ignored: s.ignored}
	known := scopes{}
	for i := range s.outputs {
		s.outputs[i].Docs = expand(s.outputs[i].Docs)
		known.learn(s.outputs[i].Docs)
	}
	rev.Releases = make([]*Rendered, len(s.releases))
	// Not the caller's context: what is rendered is turned into objects in any case.
	_ = parallel(context.Background(), s.opt.Workers, len(s.releases), func(i int) {
		rev.Releases[i] = s.rendered(i, known)
	})
	sort.Slice(rev.Releases, func(a, b int) bool { return rev.Releases[a].ID < rev.Releases[b].ID })
	return rev
}

func (s *side) rendered(i int, known scopes) *Rendered {
	out := s.outputs[i]
	r := &Rendered{Release: s.releases[i], Err: out.Err, Notes: out.Notes, job: s.jobs[i]}
	if s.jobs[i] != nil {
		r.Reads = s.jobs[i].reads()
	}
	if r.Err != nil {
		r.Err.Where.File = s.src.real(r.Err.Where.File)
		return r
	}
	b := &builder{rel: r.Release, scopes: known, locate: newLocator(s.src, s.jobs[i], s.opt)}
	for _, d := range out.Docs {
		if f := b.add(d); f != nil {
			r.Err = f
			return r
		}
	}
	r.Objects = b.finish()
	r.Notes = append(r.Notes, b.notes...)
	return r
}

func renderTree(ctx context.Context, t Tree, opt Options) (*Revision, error) {
	run := newRunner(ctx, opt)
	defer run.close()
	s, err := prepare(ctx, t, opt, run, nil)
	if err != nil {
		return nil, err
	}
	if err := parallel(ctx, opt.Workers, len(s.releases), s.run); err != nil {
		return nil, err
	}
	return s.finish(), nil
}

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

// RenderBoth renders two revisions. A release whose files and settings are equal on both
// sides is rendered once. Rendered.Changed and Why say for each release whether a file
// it reads changed.
// Errors: only what concerns a whole tree.
func RenderBoth(ctx context.Context, base, head Tree, opt Options) (b, h *Revision, err error) {
	run := newRunner(ctx, opt)
	defer run.close()
	bs, err := prepare(ctx, base, opt, run, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("base: %w", err)
	}
	hs, err := prepare(ctx, head, opt, run, bs)
	if err != nil {
		return nil, nil, fmt.Errorf("head: %w", err)
	}
	twin := map[string]int{} // of a release ID on base
	for i, r := range bs.releases {
		twin[r.ID] = i
	}
	same := make([]int, len(hs.releases)) // index on base, or -1
	for i, r := range hs.releases {
		same[i] = -1
		if k, ok := twin[r.ID]; ok && bs.failed[k] == nil && hs.failed[i] == nil && bs.jobs[k].digest() == hs.jobs[i].digest() {
			same[i] = k
		}
	}
	if err := parallel(ctx, opt.Workers, len(bs.releases), bs.run); err != nil {
		return nil, nil, err
	}
	err = parallel(ctx, opt.Workers, len(hs.releases), func(i int) {
		if k := same[i]; k >= 0 {
			hs.outputs[i] = bs.outputs[k].clone()
			return
		}
		hs.run(i)
	})
	if err != nil {
		return nil, nil, err
	}
	b, h = bs.finish(), hs.finish()
	explainChanges(b, h)
	return b, h, nil
}

// clone copies an output so that two revisions share no memory that is written.
func (o output) clone() output {
	c := o
	c.Docs = append([]document(nil), o.Docs...)
	for i := range c.Docs {
		c.Docs[i].Content, _ = deepCopy(c.Docs[i].Content).(map[string]any)
	}
	c.Notes = append([]string(nil), o.Notes...)
	if o.Err != nil {
		f := *o.Err
		c.Err = &f
	}
	return c
}

// explainChanges fills Changed and Why on both sides.
func explainChanges(base, head *Revision) {
	old := map[string]*Rendered{}
	for _, r := range base.Releases {
		old[r.ID] = r
	}
	for _, r := range head.Releases {
		b := old[r.ID]
		delete(old, r.ID)
		if b == nil {
			r.Changed, r.Why = true, "new on head"
			continue
		}
		r.Changed, r.Why = compareJobs(b, r)
		b.Changed, b.Why = r.Changed, r.Why
	}
	for _, r := range old {
		r.Changed, r.Why = true, "gone on head"
	}
}

// compareJobs says whether two sides of a release may differ, and why.
func compareJobs(b, h *Rendered) (bool, string) {
	if b.job == nil || h.job == nil {
		return true, "not read on one side"
	}
	var changed []string
	for p, text := range h.job.Files {
		if old, ok := b.job.Files[p]; !ok || string(old) != string(text) {
			changed = append(changed, p)
		}
	}
	for p := range b.job.Files {
		if _, ok := h.job.Files[p]; !ok {
			changed = append(changed, p)
		}
	}
	sort.Strings(changed)
	switch {
	case len(changed) == 1:
		return true, changed[0] + " changed"
	case len(changed) > 1:
		return true, fmt.Sprintf("%s and %s changed", changed[0], explainCount(len(changed)-1, "other file", "other files"))
	case (b.Err == nil) != (h.Err == nil):
		return true, "it renders on one side alone"
	case b.job.digest() != h.job.digest():
		return true, "its settings changed"
	case h.Err != nil:
		return false, "it renders on neither side, and none of its files changed"
	}
	return false, fmt.Sprintf("none of its %s changed", explainCount(len(h.job.Files), "file", "files"))
}

// explainCount words a number of things.
func explainCount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
