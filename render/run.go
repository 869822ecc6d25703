package render

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// side is one revision on its way: what was discovered, gathered and rendered.
type side struct {
	src      *source.Source
	opt      Options
	releases []release.Release
	ignored  []object.Ignored
	recipes  []*release.Recipe
	failed   []*object.Failure // of gathering, by release
	outputs  []release.Output
	spent    *times
	byID     map[string]int // place in the lists
	found    *gitops.Found  // what GitOps objects refer to
	waiting  []func(*gitops.Declared)
	runner   worker.Runner
	awake    []int                      // releases that were rendered so, and declare yet
	covered  map[string]release.Release // what discovery found and a GitOps object renders, and which
}

func newSide(src *source.Source, opt Options, run worker.Runner) *side {
	return &side{src: src, opt: opt, runner: run, byID: map[string]int{}, spent: &times{},
		found: gitops.NewFound(src, opt.trialing())}
}

// watchSources makes the object that names a chart's version one of the files of each
// release whose chart is not here, be it declared in another build.
func (s *side) watchSources() {
	for i := range s.releases {
		s.watchSource(i)
	}
}

func (s *side) watchSource(i int) {
	for _, f := range s.found.SourceFiles(s.releases[i]) {
		if !slices.Contains(s.releases[i].Files, f) {
			s.releases[i].Files = append(s.releases[i].Files, f)
		}
		s.recipes[i].Files[f] = nil
		if b, err := s.src.Read(f); err == nil {
			s.recipes[i].Files[f] = b
		}
	}
}

// prepare discovers and gathers; other is the other side, or nil. A lazy side fetches later
// what it then needs.
func prepare(ctx context.Context, t tree.Tree, opt Options, run worker.Runner, other *side, lazy bool) (*side, error) {
	src, err := source.New(t)
	if err != nil {
		return nil, err
	}
	src.Dry, src.Compared = lazy, opt.compared
	var base []release.Release
	if other != nil {
		src.Pair(other.src)
		base = other.releases
	} else if opt.Fetcher != nil {
		src.FetchWith(ctx, opt.Fetcher)
	}
	s := newSide(src, opt, run)
	d, err := discover(src, opt, base)
	if err != nil {
		return nil, err
	}
	s.ignored = d.ignored
	return s, s.gather(ctx, d.releases, d.failed)
}

// gather adds releases and reads what they need; failed ones need nothing.
func (s *side) gather(ctx context.Context, releases []release.Release, failed map[string]*object.Failure) error {
	from := len(s.releases)
	for k, r := range releases {
		s.byID[r.ID] = from + k
	}
	s.releases = append(s.releases, releases...)
	s.recipes = append(s.recipes, make([]*release.Recipe, len(releases))...)
	s.failed = append(s.failed, make([]*object.Failure, len(releases))...)
	s.outputs = append(s.outputs, make([]release.Output, len(releases))...)
	return parallel(ctx, s.opt.Workers, len(releases), func(k int) {
		i := from + k
		if f := failed[s.releases[i].ID]; f != nil {
			s.recipes[i], s.failed[i] = release.Unread(s.releases[i]), f
		} else if s.opt.Clock.Over() {
			s.recipes[i] = release.Unread(s.releases[i])
			s.failed[i] = s.recipes[i].Cut()
		} else {
			s.recipes[i], s.failed[i] = gather(s.src, s.releases[i])
		}
		if f := s.failed[i]; f == nil || f.Cut {
			s.spent.have(s.releases[i].ID)
		}
		s.withDeclaration(i)
	})
}

// complete renders everything, and what the rendered objects declare in turn.
func (s *side) complete(ctx context.Context) error { return s.completeFrom(ctx, 0) }

// carry renders what the other side declares and this one cannot, because what declares
// it does not render here: with the other side's settings, so that it is not taken for
// removed. What is carried and does not render either declares nothing in turn, and what it would is carried, too.
func (s *side) carry(ctx context.Context, other *side) error {
	for {
		list, failed := s.undeclared(other)
		if len(list) == 0 {
			return nil
		}
		from := len(s.releases)
		if err := s.gather(ctx, list, failed); err != nil {
			return err
		}
		if err := s.completeFrom(ctx, from); err != nil {
			return err
		}
	}
}

// undeclared are the releases of the other side that a release declares which does not render here, and why those
// failed there that did.
func (s *side) undeclared(other *side) ([]release.Release, map[string]*object.Failure) {
	var list []release.Release
	failed := map[string]*object.Failure{}
	for i, r := range other.releases {
		by := r.Parent
		if _, ok := s.byID[by]; !ok { // an ApplicationSet is none
			by = r.Within
		}
		k, ok := s.byID[by]
		if _, has := s.byID[r.ID]; has || !ok || s.outputs[k].Err == nil && areObjects(s.outputs[k].Docs) {
			continue
		}
		r.Remarks = append(append([]string(nil), r.Remarks...),
			fmt.Sprintf("%s does not render on %s, which declares this: with the settings of %s", by, s.src.Tree.Name(),
				other.src.Tree.Name()))
		list = append(list, r)
		failed[r.ID] = other.failed[i]
	}
	return list, failed
}

// areObjects reports whether documents have what makes each an object: [builder.add] fails the release otherwise.
func areObjects(docs []document.Document) bool {
	return !slices.ContainsFunc(docs, func(d document.Document) bool {
		gvk := document.GVK(d.Content)
		meta, _ := d.Content["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		generated, _ := meta["generateName"].(string)
		return gvk.Kind == "" || gvk.Version == "" || name == "" && generated == ""
	})
}

func (s *side) completeFrom(ctx context.Context, from int) error {
	for depth := 0; ; depth++ {
		n := len(s.releases)
		err := parallel(ctx, s.opt.Workers, n-from, func(k int) { s.runNamed(from + k) })
		if err != nil {
			return err
		}
		s.src.Dry = len(s.opt.Paths) > 0
		more, err := s.declareMore(ctx, from, depth)
		s.src.Dry = false
		if err != nil {
			return err
		}
		if !more {
			break
		}
		from = n
	}
	s.watchSources()
	return nil
}

// declareMore gathers what the releases from an index on declare, and reports whether there is
// any.
func (s *side) declareMore(ctx context.Context, from, depth int) (bool, error) {
	releases, failed := s.declare(from)
	if len(releases) == 0 {
		return false, nil
	}
	if depth == gitops.MaxPasses {
		for _, r := range releases {
			s.ignored = append(s.ignored,
				object.Ignored{Path: r.By.File,
					Reason: fmt.Sprintf("%s: applications declare applications in more than %d passes", r.Selected, gitops.MaxPasses)})
		}
		return false, nil
	}
	return true, s.gather(ctx, releases, failed)
}

// declare lists the releases that the objects of releases from an index on declare.
// Where there are none, those that need objects of other releases have waited for all.
func (s *side) declare(from int) ([]release.Release, map[string]*object.Failure) {
	d := &gitops.Declared{
		Found: s.found, Src: s.src, Runner: s.runner, Have: map[string]bool{}, Failed: map[string]*object.Failure{},
		Versions: gitops.Versions{KubeVersion: s.opt.KubeVersion, APIVersions: s.opt.APIVersions}, Release: s.release,
	}
	for id := range s.byID {
		d.Have[id] = true
	}
	list := s.awake
	for i := from; i < len(s.releases); i++ {
		list = append(list, i)
	}
	s.awake = nil
	for _, i := range list {
		if s.outputs[i].Err != nil {
			continue
		}
		s.outputs[i].Docs = expand(s.outputs[i].Docs)
		s.found.Remember(s.releases[i], s.recipes[i], s.outputs[i].Docs)
	}
	for _, i := range list {
		if s.outputs[i].Err == nil {
			d.Read(s.releases[i], s.recipes[i], s.outputs[i].Docs)
		}
	}
	s.waiting = append(s.waiting, d.Waiting...)
	for len(d.Releases) == 0 && len(s.waiting) > 0 {
		list := s.waiting
		s.waiting, d.Waiting = nil, nil
		for _, resolve := range list {
			resolve(d)
		}
		s.waiting = d.Waiting
	}
	s.ignored = append(s.ignored, d.Ignored...)
	return d.Releases, d.Failed
}

// release is the one of an ID.
func (s *side) release(id string) (release.Release, bool) {
	i, ok := s.byID[id]
	if !ok {
		return release.Release{}, false
	}
	return s.releases[i], true
}

// runNamed renders release i where the paths want it.
func (s *side) runNamed(i int) {
	if s.idle(i) {
		s.outputs[i].Untouched = true
		return
	}
	s.fetchLater(i)
	s.run(i)
}

// run renders release i, unless gathering it failed.
func (s *side) run(i int) {
	if s.failed[i] != nil {
		s.outputs[i] = release.Output{Err: s.failed[i], Notes: s.recipes[i].Notes}
		return
	}
	if s.opt.Clock.Over() {
		s.outputs[i] = release.Output{Err: s.recipes[i].Cut(), Notes: s.recipes[i].Notes}
		return
	}
	began := time.Now()
	s.outputs[i] = s.runner.Run(s.recipes[i])
	s.spent.add(s.releases[i].ID, time.Since(began))
	if s.opt.Rendered != nil {
		s.opt.Rendered()
	}
	for k := range s.outputs[i].Docs {
		d := &s.outputs[i].Docs[k]
		document.MaskVolatile(d)
	}
	if isBare(s.releases[i]) && s.outputs[i].Err == nil {
		s.outputs[i].Err = unnamed(s.outputs[i].Docs)
	}
}

// learn takes the scopes of custom kinds from what was rendered.
func (s *side) learn() scopes {
	known := scopes{}
	for i := range s.outputs {
		s.outputs[i].Docs = expand(s.outputs[i].Docs)
		known.learn(s.outputs[i].Docs)
		if s.outputs[i].Untouched {
			known.learnUnread(s.recipes[i])
		}
	}
	return known
}

// finish turns outputs into objects; other is the other side, finished, or nil. Where an
// output is shared its objects are too.
func (s *side) finish(known scopes, other *object.Revision) *object.Revision {
	twins := map[string]*object.Rendered{}
	if other != nil {
		for _, r := range other.Releases {
			twins[r.ID] = r
		}
	}
	rev := &object.Revision{Name: s.src.Tree.Name(), Commit: s.src.Tree.Commit(), Tree: s.src.Tree, Ignored: s.ignored}
	rev.Renderer, rev.Narrowed = &renderer{s.src.Tree, s.src, known, s.opt}, len(s.opt.Paths) > 0
	rev.Releases = make([]*object.Rendered, len(s.releases))
	// Not the caller's context: what is rendered is turned into objects in any case.
	_ = parallel(context.Background(), s.opt.Workers, len(s.releases), func(i int) {
		if t := twins[s.releases[i].ID]; t != nil && s.outputs[i].Shared && maps.Equal(known, rendererOf(other).scopes) {
			r := *t
			again := *madeOf(t)
			again.Release, again.recipe = s.releases[i], s.recipes[i]
			r.Release, r.Origin = s.releases[i].Release, &again
			rev.Releases[i] = &r
			return
		}
		rev.Releases[i] = s.rendered(i, known)
	})
	for _, r := range rev.Releases {
		for _, l := range madeOf(r).lost {
			one := *l
			rev.Releases = append(rev.Releases, &one)
		}
	}
	sort.Slice(rev.Releases, func(a, b int) bool { return rev.Releases[a].ID < rev.Releases[b].ID })
	return rev
}

func (s *side) rendered(i int, known scopes) *object.Rendered {
	out := s.outputs[i]
	m := &made{Release: s.releases[i], recipe: s.recipes[i], partly: s.failed[i] != nil}
	if source.MountOf(m.Path) != "" { // nothing points out of the repository
		m.Path = m.By.File
		m.Values = slices.DeleteFunc(slices.Clone(m.Values), func(p string) bool { return source.MountOf(p) != "" })
	}
	r := &object.Rendered{Release: m.Release.Release, Err: out.Err, Untouched: out.Untouched, Origin: m}
	r.Delivery.Fills = m.Substitute != nil && m.Substitute.Open
	r.Notes = append(append(r.Notes, m.Remarks...), out.Notes...)
	if s.recipes[i] != nil {
		r.Reads = s.recipes[i].Own()
		r.Fetched = fetchedBy(s.src, s.recipes[i])
		if r.Err == nil {
			for _, h := range slices.Concat(s.recipes[i].Holes, out.Holes) {
				f := s.recipes[i].PlacedFailure(h.Failure())
				h.Reason, h.Where = f.Reason, f.Where
				h.Where.File = s.src.Real(h.Where.File)
				r.Holes = append(r.Holes, h)
				r.Notes = append(r.Notes, h.Reason+": rendered without it")
			}
		}
	}
	if r.Err != nil {
		r.Err = s.recipes[i].PlacedFailure(r.Err)
		r.Err.Where.File = s.src.Real(r.Err.Where.File)
		return r
	}
	b := &builder{rel: m.Release, scopes: known, locate: locate.New(s.src, s.recipes[i], s.opt.trialing())}
	for _, l := range out.Lost {
		m.lose(s.src, l)
	}
	for _, d := range out.Docs {
		f := b.add(d)
		if f == nil || m.lostFiles[s.src.Real(d.File)] {
			continue
		}
		if r.Kind != object.Manifests || len(m.lost)+1 >= len(s.recipes[i].Release.Files) {
			r.Err, m.lost = s.recipes[i].PlacedFailure(f), nil
			return r
		}
		m.lose(s.src, release.LostFile{File: d.File, Err: f})
	}
	b.objects = slices.DeleteFunc(b.objects, func(o *object.Object) bool { return m.lostFiles[o.Source.File] })
	r.Objects = b.finish()
	r.Notes = append(r.Notes, b.notes...)
	return r
}

// fetchedBy lists what a recipe took from other hosts, in the order of their folders.
func fetchedBy(s *source.Source, j *release.Recipe) []object.Fetched {
	return s.FetchedAt(j.FetchedNames())
}
