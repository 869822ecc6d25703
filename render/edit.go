package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// errNotRead says that a release does not read a file.
var errNotRead = errors.New("is not a file of the release")

// Edited renders a release once more, see [object.Revision.Edited].
func (h *renderer) Edited(ctx context.Context, r *object.Revision, id, file string, text []byte,
) (*object.Rendered, error) {
	var was *object.Rendered
	for _, one := range r.Releases {
		if one.ID == id {
			was = one
		}
	}
	if was == nil || side.MadeOf(was).Recipe == nil || was.Err != nil {
		return nil, fmt.Errorf("release %s: %w", id, tree.ErrNoRevision)
	}
	recipe := side.MadeOf(was).Recipe
	if _, ok := recipe.Files[file]; !ok {
		return nil, fmt.Errorf("%s: %w %s", file, errNotRead, id)
	}
	if recipe.Declares[file] {
		return h.declaredAnew(ctx, r, id, file, text)
	}
	return h.again(ctx, r, was, file, text)
}

// declaredAnew renders a release with another text in a file that declares it, such as its HelmRelease: what that file
// alone declares, or else all that the tree does.
func (h *renderer) declaredAnew(ctx context.Context, r *object.Revision, id, file string, text []byte,
) (*object.Rendered, error) {
	narrow := *h
	narrow.opt.Paths = []string{file}
	for _, one := range []*renderer{&narrow, h} {
		if one == h && len(r.Releases) > mostOthers {
			break
		}
		with, err := one.With(ctx, r, file, text)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(with.Releases, func(x *object.Rendered) bool { return x.ID == id }); i >= 0 {
			return with.Releases[i], nil
		}
	}
	return nil, fmt.Errorf("%s: %w %s", file, errNotRead, id)
}

// again renders a release with another text in a file that it reads.
func (h *renderer) again(ctx context.Context, r *object.Revision, was *object.Rendered, file string, text []byte,
) (*object.Rendered, error) {
	src, err := source.New(h.tree)
	if err != nil {
		return nil, err
	}
	opt := h.opt
	opt.Sandbox = locate.ForTrials(opt.Sandbox)
	opt.Workers = 1
	run := worker.New(ctx, opt.Running())
	defer run.Close()
	recipe := side.MadeOf(was).Recipe
	j := &release.Recipe{Release: recipe.Release, Files: maps.Clone(recipe.Files), Chart: recipe.Chart,
		Inflate: recipe.Inflate, Bases: recipe.Bases, Fetched: recipe.Fetched, Notes: recipe.Notes,
		Encrypted: recipe.Encrypted, Template: recipe.Template, Declares: recipe.Declares,
		Written: recipe.Written}
	j.Files[file] = text
	s := &side.Side{
		Src: src, Opt: opt, Runner: run, Releases: []release.Release{side.MadeOf(was).Release}, Recipes: []*release.Recipe{j},
		Failed: make([]*object.Failure, 1), Outputs: make([]release.Output, 1),
		ByID: map[string]int{was.ID: 0},
	}
	s.Run(0)
	s.Outputs[0].Docs = document.Expand(s.Outputs[0].Docs)
	edited := s.Rendered(0, h.scopes)
	know(edited, r.Known)
	return edited, nil
}

// With renders the whole tree once more, see [object.Revision.With].
func (h *renderer) With(ctx context.Context, r *object.Revision, file string, text []byte) (*object.Revision, error) {
	t, ok := tree.With(h.tree, file, text)
	if !ok {
		return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	}
	opt := h.opt
	opt.Sandbox = locate.ForTrials(opt.Sandbox)
	return Render(ctx, t, opt)
}
