package gitops

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// revert models the event that the change is taken back: base's manifests are applied over
// head's.
//
// Upstream: that of [Apply].
type revert struct{ Apply }

func NewRevert(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	if !spec.Events.Revert {
		return nil, nil
	}
	return []actor.Actor{&revert{Apply{serverSide: spec.Apply == state.ServerSide}}}, nil
}

func (a *revert) Traits(c *state.Config) actor.Traits {
	t := a.Apply.Traits(c)
	t.Ends = actor.EndsWhen(func(s state.State) bool { return s.Get(c.Reverts) == 0 }) // it has been taken back
	return t
}

func (a *revert) Name() string { return "revert" }

func (a *revert) Step(s state.State, next *actor.Emit) {
	if s.Version() != state.Head || s.Get(s.C.Reverts) == 0 {
		return
	}
	a.switchTo(s, state.Base, next)
}

func (a *revert) Describe(from, to state.State, m search.Move) actor.Words {
	w := a.Apply.Describe(from, to, m)
	w.Action = "revert"
	return w
}
