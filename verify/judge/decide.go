package judge

import (
	"context"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/search"
)

// mostLucky bounds the steps of a lucky run that are shown: longer ones show nothing at a glance.
const mostLucky = 60

// decide enters the decisive step of a finding, and the run that ends well beside it, or that no order of the steps
// does. It says nothing of an interleaving that is not the one that was found.
func (d *Judge) decide(ctx context.Context, f *finding.Finding, w wording) {
	if f.Reduced != nil && !f.Reduced.Shown || w.folded || len(f.Interleaving) < len(w.Steps) {
		return
	}
	turn := d.Checker.Turn(ctx, w.Violation)
	switch {
	case turn.Undecided:
	case turn.Step < 0:
		f.Hopeless = true
	case w.anotherTarget(turn):
	default:
		at := turn.Step
		f.Decisive = &at
		if len(turn.Lucky) > mostLucky {
			return
		}
		s := w.state(w.Steps[at].From)
		for _, st := range turn.Lucky {
			to := w.state(st.To)
			f.Lucky = append(f.Lucky, w.step(s, to, st))
			s = to
		}
	}
}

// anotherTarget reports whether the lucky run differs in the event alone: it falls on another node, which is no choice
// of a loop.
func (w wording) anotherTarget(t search.Turn) bool {
	at := w.Steps[t.Step]
	return w.Problem.Actors[at.Actor].Latency() == actor.Event && len(t.Lucky) > 0 && t.Lucky[0].Actor == at.Actor
}
