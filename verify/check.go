// Package verify gives the verdict on a change, or on a revision: it reads like the pipeline. It knows neither how
// objects were rendered nor how a verdict is shown.
package verify

import (
	"context"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// Options of a check.
type Options = run.Options

// Check verifies the changes between two revisions.
//
// A finding is data; an error means that nothing could be decided.
func Check(ctx context.Context, ch *object.Changes, opt Options) (*finding.Result, error) {
	return judged(ctx, ch, opt, false)
}

// Verify verifies every workload of one revision, in the scenarios install and steady.
func Verify(ctx context.Context, rev *object.Revision, opt Options) (*finding.Result, error) {
	return judged(ctx, &object.Changes{Head: rev}, opt, true)
}

// Foresee answers a question about a change, or about head if there is no base.
func Foresee(ctx context.Context, ch *object.Changes, q scenario.Question, opt Options) (*finding.Result, error) {
	return run.Foresee(ctx, ch, q, opt)
}

// judged analyses what each policy is for, and what a change of policies makes of it; then accepts what waivers and
// baselines cover, joins the parts and judges the whole.
func judged(ctx context.Context, ch *object.Changes, opt Options, all bool) (*finding.Result, error) {
	began := time.Now()
	var until time.Time
	if opt.TimeBudget > 0 {
		until = began.Add(opt.TimeBudget)
	}
	if len(opt.PolicyChanges) > 0 && opt.Recall == nil && !opt.Forgets { // the same searches under two policies
		opt.Recall = scenario.NewRecall(0)
	}
	parts, err := run.Parts(ctx, ch, opt, all)
	if err != nil {
		return nil, err
	}
	further, err := accept.Replan(ctx, ch, opt, parts, until)
	if err != nil {
		return nil, err
	}
	parts = append(parts, further...)
	accept.Findings(parts, opt.Today)
	r := accept.Join(parts, opt.Scopes)
	accept.Stale(r, parts, all)
	r.Place()
	finding.Causes(r.Findings)
	finding.Thin(r.Findings)
	r.Judge(opt.Policy.Gate.Gate)
	r.Coverage.ElapsedMs = time.Since(began).Milliseconds()
	return r, nil
}
