package render

import (
	"context"
	"errors"
)

func renderTree(ctx context.Context, t Tree, opt Options) (*Revision, error) {
	return nil, errors.New("x")
}
func diff(base, head *Revision) (*Changes, error) { return nil, errors.New("x") }
