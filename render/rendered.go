package render

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"

	"context"
	"maps"
	"sort"

	"fmt"
)

// renderer keeps a side, to render it again with other texts.
type renderer struct {
	tree   tree.Tree
	src    *source.Source // the tree, listed; nil: it was not looked at
	scopes side.Scopes
	opt    Options // it was rendered with
}

// rendererOf is that of a revision; one that has nothing where it was not rendered.
func rendererOf(r *object.Revision) *renderer {
	if one, ok := r.Renderer.(*renderer); ok {
		return one
	}
	return &renderer{}
}

// finish turns outputs into objects; other is the other side, finished, or nil. Where an
// output is shared its objects are too.
func finish(s *side.Side, known side.Scopes, other *object.Revision) *object.Revision {
	twins := map[string]*object.Rendered{}
	if other != nil {
		for _, r := range other.Releases {
			twins[r.ID] = r
		}
	}
	rev := &object.Revision{Name: s.Src.Tree.Name(), Commit: s.Src.Tree.Commit(), Tree: s.Src.Tree, Ignored: s.Ignored}
	rev.Renderer, rev.Narrowed = &renderer{s.Src.Tree, s.Src, known, s.Opt}, len(s.Opt.Paths) > 0
	rev.Releases = make([]*object.Rendered, len(s.Releases))
	// Not the caller's context: rendered documents are turned into objects in any case.
	_ = side.Parallel(context.Background(), s.Opt.Workers, len(s.Releases), func(i int) {
		if t := twins[s.Releases[i].ID]; t != nil && s.Outputs[i].Shared && maps.Equal(known, rendererOf(other).scopes) {
			r := *t
			again := *side.MadeOf(t)
			again.Release, again.Recipe = s.Releases[i], s.Recipes[i]
			r.Release, r.Origin = s.Releases[i].Release, &again
			rev.Releases[i] = &r
			return
		}
		rev.Releases[i] = s.Rendered(i, known)
	})
	for _, r := range rev.Releases {
		for _, l := range side.MadeOf(r).Lost {
			one := *l
			rev.Releases = append(rev.Releases, &one)
		}
	}
	sort.Slice(rev.Releases, func(a, b int) bool { return rev.Releases[a].ID < rev.Releases[b].ID })
	return rev
}

// listed is the tree of a revision, listed.
func listed(r *object.Revision) (*source.Source, error) {
	if src := rendererOf(r).src; src != nil {
		return src, nil
	}
	t, ok := r.Tree.(tree.Tree)
	if !ok {
		return nil, fmt.Errorf("%s: %w", r.Name, tree.ErrNoRevision)
	}
	return source.New(t)
}
