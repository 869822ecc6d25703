package run

import (
	"context"
	"errors"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// Foresee answers a question about a change, or about head if there is no base. The result has forecasts and notes, and
// no verdict. Errors: [*scenario.NotThere] if no slice has the named object.
func Foresee(ctx context.Context, ch *object.Changes, q scenario.Question, opt Options) (*finding.Result, error) {
	ch, err := render.WithMade(ch, recipes(opt.Policy))
	if err != nil {
		return nil, err
	}
	a, picked, _, err := prepare(ch, opt, ch.Base == nil)
	if err != nil {
		return nil, err
	}
	var absent *scenario.NotThere
	for _, sl := range picked {
		for _, v := range a.variants(sl) {
			var missing *scenario.NotThere
			f, likely, err := a.checker.Ask(ctx, a.runnable(v), q)
			switch {
			case errors.As(err, &missing):
				absent = missing.With(absent)
				continue
			case err != nil:
				a.undecided(sl, err.Error())
				continue
			}
			if opt.Asked != nil {
				opt.Asked(*likely)
			}
			if len(f.Workloads) == 0 {
				a.undecided(sl, "the search for the bounds of every order reached its limit; the likeliest run is told")
			}
			f.Run.Steps = a.judge().Told(*likely)
			a.Result.Forecasts = append(a.Result.Forecasts, *f)
		}
	}
	if len(a.Result.Forecasts) == 0 && absent != nil {
		return nil, absent
	}
	return a.Result, nil
}
