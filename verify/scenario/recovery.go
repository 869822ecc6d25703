package scenario

import (
	"context"
	"fmt"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// recoverStates bounds the search for how a run goes on after a violation, in states.
const recoverStates = 200_000

// Recovers reports whether every fair run from where a forbidden step ends has what it took
// again at its end, with no further event; nil where the rule is none on steps, or where
// the budget did not last to tell.
func (v Violation) Recovers(ctx context.Context, bud Budget) *bool {
	mended := v.Bound.Property.Mended
	if mended == nil || len(v.Steps) == 0 {
		return nil
	}
	last := v.Steps[len(v.Steps)-1]
	before := state.State{C: v.Problem.Cfg, B: last.From}
	sys := v.Problem.System
	sys.Initial = [][]byte{last.To}
	sys.Rules = []search.Rule{{Name: "mended", Settles: func(b []byte) bool {
		s := state.State{C: v.Problem.Cfg, B: b}
		return s.IsOutgrown() || mended(before, s)
	}}}
	bud.States = recoverStates
	opt := bud.options()
	opt.MaxEvents = 0
	q := question{sys: sys, opt: opt}
	of, known := v.Bound.content()
	if q.of = fmt.Sprintf("mended by %s from %x", of, before.B); !known {
		bud.Kept, bud.Recall = nil, nil
	}
	res, err := v.Problem.run(ctx, bud, q)
	if err != nil || res.Bound != search.Complete && len(res.Violations) == 0 {
		return nil
	}
	good := len(res.Violations) == 0
	return &good
}
