package verify

import (
	"context"
	"errors"
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
)

func check(ctx context.Context, ch *render.Changes, opt Options) (*Result, error) {
	return nil, errors.New("x")
}
func verifyRevision(ctx context.Context, rev *render.Revision, opt Options) (*Result, error) {
	return nil, errors.New("x")
}
func exitCode(r *Result, g policies.Gate) int { return 0 }
