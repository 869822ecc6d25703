package control

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// revert models the event that the change is taken back: base's manifests are applied over
// head's.
//
// Upstream: that of [apply].
type revert struct{ apply }

func newRevert(b *state.Builder) ([]Actor, error) {
	spec := b.Config().Spec
	if !spec.Events.Revert {
		return nil, nil
	}
	return []Actor{&revert{apply{serverSide: spec.Apply == state.ServerSide}}}, nil
}

// Name implements [Actor].
func (a *revert) Name() string { return "revert" }

// Step implements [Actor].
func (a *revert) Step(s state.State, next *Emit) {
	if s.Version() != state.Head || s.Get(s.C.Reverts) == 0 {
		return
	}
	a.switchTo(s, state.Base, next)
}

// Describe implements [Actor].
func (a *revert) Describe(from, to state.State, m search.Move) Words {
	w := a.apply.Describe(from, to, m)
	w.Action = "revert"
	return w
}
