package scenario

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/search"
)

// A directed search, and a run that a cluster settles by, are functions of the compiled problem, too, of where they
// begin and of what they follow: they are kept as other answers are (see [Problem.kept]), unless the clock stopped
// them. That they looked at as many states as they may is no clock.

// keptAs gives what an earlier run of the same kind found from start, or runs it.
func (d *directed) keptAs(bud Budget, kind string, start []byte, run func() *search.Violation) *search.Violation {
	sys := d.problem.System
	sys.Initial = [][]byte{start}
	q := question{sys: sys,
		of: fmt.Sprintf("%s of rule %d along %v from %d, lingering %v", kind, d.rule, d.guide, d.loop, d.linger)}
	a, err := d.problem.kept(bud, q, func() (answer, error) {
		r := &search.Result{Bound: search.Complete}
		if v := run(); v != nil {
			r.Violations = append(r.Violations, *v)
		} else if d.stopped() {
			r.Bound = search.TimeBound
		}
		return answer{Result: r}, nil
	})
	if err != nil || len(a.Result.Violations) == 0 {
		return nil
	}
	return &a.Result.Violations[0]
}

// calmKept is [Problem.calm], as it was kept.
func (p *Problem) calmKept(bud Budget, at []byte) ([]byte, bool) {
	sys := p.System
	sys.Initial = [][]byte{at}
	a, err := p.kept(bud, question{sys: sys, of: "settling on its own"}, func() (answer, error) {
		r := &search.Result{Bound: search.Complete}
		if to, ok := p.calm(at); ok {
			r.Settled = append(r.Settled, to)
		}
		return answer{Result: r}, nil
	})
	if err != nil || len(a.Result.Settled) == 0 {
		return at, false
	}
	return a.Result.Settled[0], true
}
