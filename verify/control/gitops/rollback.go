package gitops

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rollback models the event that somebody answers to a bad revision by applying base's
// manifests again, as a revert in Git does, and nothing more: no pod is deleted by hand.
//
// Upstream: that of [Apply].
type rollback struct{ Apply }

func NewRollback(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	e := &spec.Events
	if !e.Rollback || e.BadRevision <= 0 || e.Apply <= 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(spec.Workloads, func(w state.Workload) bool { return w.Manifests[state.Base].Exists() }) {
		return nil, nil
	}
	return []actor.Actor{&rollback{Apply{serverSide: spec.Apply == state.ServerSide}}}, nil
}

// Traits implements [actor.Declarer]: a bad revision of one workload rolls back all, at any time.
func (a *rollback) Traits(c *state.Config) actor.Traits {
	t := a.Apply.Traits(c)
	t.Alone, t.Ends = false, nil
	return t
}

func (a *rollback) Name() string { return "rollback" }

// Step implements [actor.Actor]: base is applied over head, once some workload's revision has
// turned out bad.
func (a *rollback) Step(s state.State, next *actor.Emit) {
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

func (a *rollback) Describe(from, to state.State, m search.Move) actor.Words {
	w := a.Apply.Describe(from, to, m)
	w.Action = "rollback"
	return w
}

func (a *rollback) Model() *actor.Model {
	m := a.Apply.Model()
	m.MayHide = append(m.MayHide, "a rollback deletes none of the bad revision's pods")
	return m
}
