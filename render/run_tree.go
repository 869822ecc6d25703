package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

func renderTree(ctx context.Context, t tree.Tree, opt Options) (*object.Revision, error) {
	if err := checkPaths(opt.Paths, t); err != nil {
		return nil, err
	}
	opt.trials = &locate.Keeper{}
	run := worker.New(ctx, opt.running())
	defer run.Close()
	s, err := prepare(ctx, t, opt, run, nil, len(opt.Paths) > 0)
	if err != nil {
		return nil, err
	}
	s.src.Dry = false
	if err := s.complete(ctx); err != nil {
		return nil, err
	}
	if err := withTestValues(ctx, s); err != nil {
		return nil, err
	}
	dropUnset(s)
	s.dropCovered(nil)
	known := s.learn()
	s.narrowed()
	settleNames(s)
	rev := s.finish(known, nil)
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
