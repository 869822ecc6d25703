package verify

import (
	"context"

	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// plan lays out the searches of the slices, and gives how many there are; cov says so where the
// budget ended before.
func (a *analysis) plan(ctx context.Context, picked []*slice.Slice,
	cov *scenario.Coverage) (plans []scenario.Plan, tasks int, err error) {
	for _, sl := range picked {
		if err := context.Cause(ctx); a.checker.Expired() || err != nil {
			cov.Bound = search.TimeBound
			if outOfMemory(ctx) {
				cov.Bound = search.MemoryBound
			}
			a.undecided(sl, "the "+boundName(cov.Bound)+" budget ran out before it was searched")
			continue
		}
		for _, v := range a.variants(sl) {
			plan, err := a.checker.Plan(a.runnable(v))
			if err != nil {
				a.undecided(sl, err.Error())
				continue
			}
			plans = append(plans, plan)
			tasks += len(scenario.Order(plans[len(plans)-1:]))
		}
	}
	return plans, tasks, nil
}
