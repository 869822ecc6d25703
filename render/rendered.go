package render

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// renderer is what is kept of a side, to render it again with other texts.
type renderer struct {
	tree   tree.Tree
	src    *source.Source // the tree, listed; nil: it was not looked at
	scopes scopes
	opt    Options // it was rendered with
}

// rendererOf is that of a revision; one that has nothing where it was not rendered.
func rendererOf(r *object.Revision) *renderer {
	if one, ok := r.Renderer.(*renderer); ok {
		return one
	}
	return &renderer{}
}

// made is what is kept of how a release was rendered.
type made struct {
	release.Release
	recipe *release.Recipe // nil: it was not rendered
	partly bool            // not all that it is made of was read
	// lost are the files of plain manifests that fail alone, as releases of their own.
	lost      []*object.Rendered
	lostFiles map[string]bool
}

func madeOf(r *object.Rendered) *made {
	if one, ok := r.Origin.(*made); ok {
		return one
	}
	return &made{Release: release.Release{Release: r.Release}}
}
