package side

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// Side is one revision on its way from discovery to rendered objects.
type Side struct {
	Src      *source.Source
	Opt      Options
	Releases []release.Release
	Ignored  []object.Ignored
	Recipes  []*release.Recipe
	Failed   []*object.Failure // of gathering, by release
	Outputs  []release.Output
	ByID     map[string]int // place in the lists
	Found    *gitops.Found  // what GitOps objects refer to
	Waiting  []func(*gitops.Declared)
	Runner   worker.Runner
	Awake    []int                      // releases that were rendered so, and declare yet
	Covered  map[string]release.Release // what discovery found and a GitOps object renders, and which
	Stands   map[string]release.Release // of these, roots of the other side of which it renders the same
}

func NewSide(src *source.Source, opt Options, run worker.Runner) *Side {
	return &Side{Src: src, Opt: opt, Runner: run, ByID: map[string]int{},
		Found: gitops.NewFound(src, opt.trialing())}
}

// WatchSources makes the object that names a chart's version one of the files of each
// release whose chart is not here, be it declared in another build.
func (s *Side) WatchSources() {
	for i := range s.Releases {
		s.WatchSource(i)
	}
}

func (s *Side) WatchSource(i int) {
	for _, f := range s.Found.SourceFiles(s.Releases[i]) {
		if s.Releases[i].Kind == object.Helm && !slices.Contains(s.Releases[i].Files, f) {
			s.Releases[i].Files = append(s.Releases[i].Files, f)
		}
		s.Recipes[i].Files[f] = nil
		if b, err := s.Src.Read(f); err == nil {
			s.Recipes[i].Files[f] = b
		}
	}
}

// Prepare discovers and gathers; other is the other side, or nil. A lazy side fetches files later, when it needs them.
func Prepare(ctx context.Context, t tree.Tree, opt Options, run worker.Runner, other *Side, lazy bool) (*Side, error) {
	src, err := source.New(t)
	if err != nil {
		return nil, err
	}
	src.Dry, src.Compared = lazy, opt.Compared
	var base []release.Release
	if other != nil {
		src.Pair(other.Src)
		base = other.Releases
	} else if opt.Fetcher != nil {
		src.FetchWith(ctx, opt.Fetcher)
	}
	s := NewSide(src, opt, run)
	d, err := discover.Releases(src, opt.Discovery(), base)
	if err != nil {
		return nil, err
	}
	s.Ignored = d.Ignored
	return s, s.Gather(ctx, d.Releases, d.Failed)
}

// Gather adds releases and reads what they need; failed ones need nothing.
func (s *Side) Gather(ctx context.Context, releases []release.Release, failed map[string]*object.Failure) error {
	from := len(s.Releases)
	for k, r := range releases {
		s.ByID[r.ID] = from + k
	}
	s.Releases = append(s.Releases, releases...)
	s.Recipes = append(s.Recipes, make([]*release.Recipe, len(releases))...)
	s.Failed = append(s.Failed, make([]*object.Failure, len(releases))...)
	s.Outputs = append(s.Outputs, make([]release.Output, len(releases))...)
	return Parallel(ctx, s.Opt.Workers, len(releases), func(k int) {
		i := from + k
		if f := failed[s.Releases[i].ID]; f != nil {
			s.Recipes[i], s.Failed[i] = release.Unread(s.Releases[i]), f
		} else if s.Opt.Clock.Over() {
			s.Recipes[i] = release.Unread(s.Releases[i])
			s.Failed[i] = s.Recipes[i].Cut()
		} else {
			s.gather(i)
			return
		}
		s.withDeclaration(i)
	})
}

// Complete renders everything, and what the rendered objects declare in turn.
func (s *Side) Complete(ctx context.Context) error { return s.CompleteFrom(ctx, 0) }

// Carry renders releases that the other side declares and this one cannot, because the declaring release does not
// render here. They render with the other side's settings, so that they do not count as removed. If a carried release
// does not render either, the releases that it would declare are carried too.
func (s *Side) Carry(ctx context.Context, other *Side) error {
	for {
		list, failed := s.undeclared(other)
		if len(list) == 0 {
			return nil
		}
		from := len(s.Releases)
		if err := s.Gather(ctx, list, failed); err != nil {
			return err
		}
		if err := s.CompleteFrom(ctx, from); err != nil {
			return err
		}
	}
}

// undeclared are the releases of the other side that a release declares which does not render here, and why those
// failed there that did.
func (s *Side) undeclared(other *Side) ([]release.Release, map[string]*object.Failure) {
	var list []release.Release
	failed := map[string]*object.Failure{}
	for i, r := range other.Releases {
		by := r.Parent
		if _, ok := s.ByID[by]; !ok { // an ApplicationSet is none
			by = r.Within
		}
		k, ok := s.ByID[by]
		if _, has := s.ByID[r.ID]; has || !ok || s.Outputs[k].Err == nil && areObjects(s.Outputs[k].Docs) {
			continue
		}
		r.Remarks = append(slices.Clone(r.Remarks),
			object.Say(object.DeclaredThere, by, s.Src.Tree.Name(), other.Src.Tree.Name()))
		if r.Delivery.Tool == object.Flux { // it is built of what lies here
			r.Files = nil
			if kustomize.FileOf(s.Src, r.Path) == "" {
				r.Files = gitops.FluxResources(s.Src, r.Path)
			}
		}
		list = append(list, r)
		failed[r.ID] = other.Failed[i]
	}
	return list, failed
}

// areObjects reports whether all documents have the fields of an object: [builder.add] fails the release otherwise.
func areObjects(docs []document.Document) bool {
	return !slices.ContainsFunc(docs, func(d document.Document) bool {
		gvk := document.GVK(d.Content)
		meta, _ := d.Content["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		generated, _ := meta["generateName"].(string)
		return gvk.Kind == "" || gvk.Version == "" || name == "" && generated == ""
	})
}

func (s *Side) CompleteFrom(ctx context.Context, from int) error {
	for depth := 0; ; depth++ {
		n := len(s.Releases)
		err := Parallel(ctx, s.Opt.Workers, n-from, func(k int) { s.runNamed(from + k) })
		if err != nil {
			return err
		}
		s.Src.Dry = len(s.Opt.Paths) > 0
		more, err := s.DeclareMore(ctx, from, depth)
		s.Src.Dry = false
		if err != nil {
			return err
		}
		if !more {
			break
		}
		from = n
	}
	s.WatchSources()
	return nil
}

// DeclareMore gathers what the releases from an index on declare, and reports whether there is
// any.
func (s *Side) DeclareMore(ctx context.Context, from, depth int) (bool, error) {
	releases, failed := s.declare(from)
	if len(releases) == 0 {
		return false, nil
	}
	if depth == gitops.MaxPasses {
		for _, r := range releases {
			s.Ignored = append(s.Ignored,
				object.Ignored{Path: r.By.File,
					Reason: fmt.Sprintf("%s: applications declare applications in more than %d passes", r.Selected, gitops.MaxPasses)})
		}
		return false, nil
	}
	return true, s.Gather(ctx, releases, failed)
}

// declare lists the releases that the objects of releases from an index on declare.
// Where there are none, those that need objects of other releases have waited for all.
func (s *Side) declare(from int) ([]release.Release, map[string]*object.Failure) {
	d := &gitops.Declared{
		Found: s.Found, Src: s.Src, Runner: s.Runner, Have: map[string]bool{}, Failed: map[string]*object.Failure{},
		Versions: gitops.Versions{KubeVersion: s.Opt.KubeVersion, APIVersions: s.Opt.APIVersions}, Release: s.release,
	}
	for id := range s.ByID {
		d.Have[id] = true
	}
	list := s.Awake
	for i := from; i < len(s.Releases); i++ {
		list = append(list, i)
	}
	s.Awake = nil
	for _, i := range list {
		if s.Outputs[i].Err != nil {
			continue
		}
		s.Outputs[i].Docs = document.Expand(s.Outputs[i].Docs)
		s.Found.Remember(s.Releases[i], s.Recipes[i], s.Outputs[i].Docs)
	}
	for _, i := range list {
		if s.Outputs[i].Err == nil {
			d.Read(s.Releases[i], s.Recipes[i], s.Outputs[i].Docs)
		}
	}
	s.Waiting = append(s.Waiting, d.Waiting...)
	for len(d.Releases) == 0 && len(s.Waiting) > 0 {
		list := s.Waiting
		s.Waiting, d.Waiting = nil, nil
		for _, resolve := range list {
			resolve(d)
		}
		s.Waiting = d.Waiting
	}
	s.Ignored = append(s.Ignored, d.Ignored...)
	return d.Releases, d.Failed
}

// release is the one of an ID.
func (s *Side) release(id string) (release.Release, bool) {
	i, ok := s.ByID[id]
	if !ok {
		return release.Release{}, false
	}
	return s.Releases[i], true
}

// runNamed renders release i where the paths want it.
func (s *Side) runNamed(i int) {
	if s.Idle(i) {
		s.Outputs[i].Untouched = true
		return
	}
	s.FetchLater(i)
	s.Run(i)
}

// MaxObjects is how many objects a side may render to before the rest of its releases is left out.
const MaxObjects = 50_000

// Full reports whether a side has rendered to as many objects as it may.
func (s *Side) Full() bool {
	n := 0
	for i := range s.Outputs {
		n += len(s.Outputs[i].Docs)
	}
	return n >= cmp.Or(s.Opt.MaxObjects, MaxObjects)
}

// LeaveOut fails release i for the objects that the side has rendered to already.
func (s *Side) LeaveOut(i int) {
	s.Outputs[i] = release.Output{Notes: s.Recipes[i].Notes, Err: &object.Failure{
		Reason: fmt.Sprintf("%s: not rendered, as the releases before it render to %s objects and more", s.Releases[i].Path,
			humanize.Comma(int64(cmp.Or(s.Opt.MaxObjects, MaxObjects)))),
		Where:  object.FileStart(s.Recipes[i].EntryFile()),
		Remedy: "name the PATHs that the change is about"}}
}

// Run renders release i, unless gathering it failed.
func (s *Side) Run(i int) {
	if s.Failed[i] != nil {
		s.Outputs[i] = release.Output{Err: s.Failed[i], Notes: s.Recipes[i].Notes}
		return
	}
	if s.Opt.Clock.Over() {
		s.Outputs[i] = release.Output{Err: s.Recipes[i].Cut(), Notes: s.Recipes[i].Notes}
		return
	}
	s.Outputs[i] = s.Runner.Run(s.Recipes[i])
	if s.Opt.Rendered != nil {
		s.Opt.Rendered()
	}
	for k := range s.Outputs[i].Docs {
		d := &s.Outputs[i].Docs[k]
		document.MaskVolatile(d)
	}
	if discover.IsBare(s.Releases[i]) && s.Outputs[i].Err == nil {
		s.Outputs[i].Err = unnamed(s.Outputs[i].Docs)
	}
	if f := s.Outputs[i].Err; f != nil && !f.Skipped && slices.ContainsFunc(s.Releases[i].Remarks,
		func(n object.Note) bool { return n.Kind == object.ParametersUnknown }) {
		open := *f
		open.Skipped, open.Remedy = true, "render what it deploys before and after, and compare the two: --base-dir and --head-dir"
		open.Reason += ": with placeholders for the parameters of its ApplicationSet, which are not known"
		s.Outputs[i].Err = &open
	}
}

// Learn takes the scopes of custom kinds from the rendered objects.
func (s *Side) Learn() Scopes {
	known := Scopes{}
	for i := range s.Outputs {
		s.Outputs[i].Docs = document.Expand(s.Outputs[i].Docs)
		known.learn(s.Outputs[i].Docs)
		if s.Outputs[i].Untouched {
			known.learnUnread(s.Recipes[i])
		}
	}
	return known
}

// GiveValues is the remedy for a chart that needs values if none are known.
const GiveValues = "give it values in ci/default-values.yaml, or a file of them under `releases` in the policy"

// unnamed is the failure of a chart whose own values leave an object without a name: it needs
// values, as one that fails without them.
func unnamed(docs []document.Document) *object.Failure {
	for _, d := range docs {
		meta, _ := d.Content["metadata"].(map[string]any)
		kind := document.GVK(d.Content).Kind
		if name, given := meta["name"]; !given || name != nil && name != "" ||
			meta["generateName"] != nil || d.Hook || kind == "" {
			continue
		}
		at := object.LineOf(d.File, d.Line, "template")
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s has an empty metadata.name with the chart's own values", at.File, at.StartLine, kind),
			Where:  at,
			Remedy: GiveValues,
		}
	}
	return nil
}
