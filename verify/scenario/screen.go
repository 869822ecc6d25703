package scenario

import (
	"context"
	"time"

	"github.com/kubesettle/kubesettle/verify/search"
)

// screenFrom is the number of states from which on a search is screened. Screening keeps a
// third of the states and takes little less time for them, so it pays where the limit on
// states is what ends a search.
const screenFrom = 5_000_000

// screenShare is the part of the time that screening may take. What it leaves undecided
// is searched for the rest of it, for violations that are not far.
const screenShare = 0.6

// search explores a system of the problem: as it is, or screened (see
// [search.RunScreened]) once it turns out to be large, where it is known what
// its steps give work to. Both find the same. tries are
// earlier searches that count only for the work.
func (p *Problem) search(ctx context.Context, bud Budget,
	q question) (res *search.Result, tries []*search.Result, err error) {
	a, err := p.kept(bud, q, func() (a answer, err error) {
		a.Result, a.Tries, err = p.explored(ctx, q.sys, q.opt)
		return a, err
	})
	p.tally(a.Result)
	return a.Result, a.Tries, err
}

// run explores a system of the problem as it is.
func (p *Problem) run(ctx context.Context, bud Budget, q question) (*search.Result, error) {
	q.of = "run " + q.of
	a, err := p.kept(bud, q, func() (answer, error) {
		res, err := search.Run(ctx, q.sys, q.opt)
		return answer{Result: res}, err
	})
	return a.Result, err
}

func (p *Problem) explored(ctx context.Context, sys search.System,
	opt search.Options) (res *search.Result, tries []*search.Result, err error) {
	if p.alone {
		opt.StopAtFirst = false
		res, err = screened(ctx, sys, opt)
		return res, nil, err
	}
	if sys.Wakes == nil || opt.MaxStates > 0 && opt.MaxStates <= screenFrom {
		res, err = search.Run(ctx, sys, opt)
		return res, nil, err
	}
	begin := time.Now()
	small := opt
	small.MaxStates = screenFrom
	res, err = search.Run(ctx, sys, small)
	if err != nil || res.Bound != search.StateBound {
		return res, nil, err
	}
	tries = append(tries, res)
	wide := opt
	wide.StopAtFirst = false
	if opt.MaxTime > 0 {
		wide.MaxTime = max(time.Duration(screenShare*float64(opt.MaxTime))-time.Since(begin), time.Millisecond)
	}
	res, err = search.RunScreened(ctx, sys, wide)
	if err != nil || res != nil && res.Bound == search.Complete {
		return res, tries, err
	}
	if res != nil {
		tries = append(tries, res)
	}
	if opt.MaxTime > 0 {
		opt.MaxTime = max(opt.MaxTime-time.Since(begin), time.Millisecond)
	}
	res, err = search.Run(ctx, sys, opt)
	return res, tries, err
}
