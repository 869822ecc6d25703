package control

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rollback models the event that somebody answers to a bad revision by applying base's
// manifests again, as a revert in Git does, and nothing more: no pod is deleted by hand.
//
// Upstream: that of [apply].
type rollback struct{ apply }

func newRollback(b *state.Builder) ([]Actor, error) {
	spec := b.Config().Spec
	e := &spec.Events
	if !e.Rollback || e.BadRevision <= 0 || e.Apply <= 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(spec.Workloads, func(w state.Workload) bool { return w.Manifests[state.Base].Exists() }) {
		return nil, nil
	}
	return []Actor{&rollback{apply{serverSide: spec.Apply == state.ServerSide}}}, nil
}

// Name implements [Actor].
func (a *rollback) Name() string { return "rollback" }

// Step implements [Actor]: base is applied over head, once some workload's revision has
// turned out bad.
func (a *rollback) Step(s state.State, next *Emit) {
	if s.Version() != state.Head {
		return
	}
	for w := range s.C.Spec.Workloads {
		if p := s.NewClass(w); p >= 0 && s.Bad(p) && s.Begun(p) {
			a.switchTo(s, state.Base, next)
			return
		}
	}
}

// Describe implements [Actor].
func (a *rollback) Describe(from, to state.State, m search.Move) Words {
	w := a.apply.Describe(from, to, m)
	w.Action = "rollback"
	return w
}

// Model implements [Actor].
func (a *rollback) Model() *Model {
	m := a.apply.Model()
	m.MayHide = append(m.MayHide, "somebody who rolls a bad revision back deletes none of its pods")
	return m
}
