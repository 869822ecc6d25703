// Package render turns a revision of a repository (charts, overlays, plain files) into
// objects that know their file and line, and two revisions into changes. It does not
// know what is verified about them.
package render

import (
	"context"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/pair"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/variants"
	"github.com/kubesettle/kubesettle/render/worker"

	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Options of rendering.
type Options = side.Options

// GiveValues is the remedy for a chart that needs values if none are known.
const GiveValues = side.GiveValues

// Render discovers and renders the releases of a tree.
// Errors: only what concerns the whole tree; a release's failure is its own.
func Render(ctx context.Context, t tree.Tree, opt Options) (*object.Revision, error) {
	if err := checkPaths(opt.Paths, t); err != nil {
		return nil, err
	}
	opt.Trials = &locate.Keeper{}
	run := worker.New(ctx, opt.Running())
	defer run.Close()
	s, err := side.Prepare(ctx, t, opt, run, nil, len(opt.Paths) > 0)
	if errors.Is(err, discover.ErrTime) {
		return NotLookedAt(t, opt, err), nil
	}
	if err != nil {
		return nil, err
	}
	s.Src.Dry = false
	if err := s.Complete(ctx); err != nil {
		return nil, err
	}
	if err := variants.WithTestValues(ctx, s); err != nil {
		return nil, err
	}
	variants.WithAsked(ctx, nil, s)
	variants.DropUnset(s)
	pair.DropCovered(s, nil)
	known := s.Learn()
	s.Narrowed()
	pair.SettleNames(s)
	rev := finish(s, known, nil)
	knowSecrets(rev)
	return rev, nil
}

// ErrNoPath is that of a path in [Options] which is not there.
var ErrNoPath = errors.New("no such file or folder in any revision")

// checkPaths wants every path to exist in one of the trees at least.
func checkPaths(paths []string, trees ...tree.Tree) error {
	for _, p := range paths {
		if !fs.ValidPath(path.Clean(p)) {
			return fmt.Errorf("path %q: give it relative to the root, with slashes", p)
		}
		var missing error
		for _, t := range trees {
			if _, missing = fs.Stat(t, path.Clean(p)); missing == nil {
				break
			}
		}
		if missing != nil {
			return fmt.Errorf("path %s: %w: give one relative to the repository's root", p, ErrNoPath)
		}
	}
	return nil
}
