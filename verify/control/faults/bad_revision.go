package faults

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// BadRevision models the event that the pod template of the change is bad: its pods are scheduled and run, and none of
// them ever becomes ready. It has no upstream: a program fails.
//
// A revision is bad from its beginning, so that the event happens between the apply and the first ReplicaSet of the
// revision. Until then no difference shows, so it might as well happen before the first ReplicaSet of any revision that
// the change brings. A first revision ([state.Workload.First]) is bad from the installation on.
type BadRevision struct {
	classes []int         // of templates that the change brings in place of another, or of first ones, ascending
	version state.Version // that these are of
}

func NewBadRevision(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if c.Spec.Events.BadRevision <= 0 {
		return nil, nil
	}
	a := BadRevision{version: state.Head}
	firsts := slices.ContainsFunc(c.Spec.Workloads, func(w state.Workload) bool { return w.First })
	was := func(w state.Workload) bool { return w.Manifests[state.Base].Exists() }
	if firsts && slices.ContainsFunc(c.Spec.Workloads, was) {
		a.version = state.Base // head comes after it
	}
	for p := range c.Pods {
		class := &c.Pods[p]
		w := &c.Spec.Workloads[class.Workload]
		kind := w.Kind()
		may := class.InHead && c.Revisions(class.Workload) > 1
		if firsts {
			may = w.First && (a.version == state.Base && class.InBase || a.version == state.Head && class.InHead)
		}
		if may && !c.Restarts(class.Workload) && !kind.Ends() && !kind.Bare() {
			a.classes = append(a.classes, p)
		}
	}
	if len(a.classes) == 0 {
		return nil, nil
	}
	b.AddBadRevisions(a.classes)
	return []actor.Actor{&a}, nil
}

// Traits implements [actor.Declarer].
func (a *BadRevision) Traits(*state.Config) actor.Traits {
	return actor.Traits{
		// It looks at no pods, and there is none yet of what turns out bad.
		Lumps: actor.AnyLikeness,
		// Beside others there may be fewer, as it is too late once one of them has begun.
		Alone: true, Of: actor.Each,
		Commutes: actor.Resize | actor.Create, Minds: a.minds,
		// None is left, or every revision has begun.
		Ends: actor.EndsWhen(func(s state.State) bool { return s.BadRevisionsLeft() == 0 || !a.pends(s) }),
	}
}

// minds reports whether the next revision may still turn out bad: until its Deployment rolls it out.
func (a *BadRevision) minds(s state.State, step actor.Early, _ int) bool {
	return step == actor.Resize && s.BadRevisionsLeft() > 0 && a.pends(s)
}

// Name implements [actor.Actor].
func (a *BadRevision) Name() string { return "bad-revision" }

// Latency implements [actor.Actor].
func (a *BadRevision) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any revision that is about to be rolled out turns out bad.
func (a *BadRevision) Step(s state.State, next *actor.Emit) {
	left := s.BadRevisionsLeft()
	if left == 0 || !a.pends(s) {
		return
	}
	for _, p := range a.classes {
		w := s.C.Pods[p].Workload
		if p != s.NewClass(w) { // another ordinal of the revision
			continue
		}
		if s.Bad(p) || s.Get(s.C.Class[p].Exists) == 1 || s.Manifest(w).Paused() {
			continue
		}
		t := next.Copy(s)
		t.SetBad(p)
		t.Set(t.C.PodEvents.BadRevisions, left-1)
		next.Move(search.Move{Args: [3]int32{int32(p)}})
	}
}

// pends reports whether the change is applied, and no ReplicaSet of it is there yet.
func (a *BadRevision) pends(s state.State) bool {
	for _, p := range a.classes {
		if s.Get(s.C.Class[p].Exists) == 1 && s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind().OwnsSets() {
			return false
		}
	}
	return s.Version() == a.version
}

// Describe implements [actor.Actor].
func (a *BadRevision) Describe(from, _ state.State, m search.Move) actor.Words {
	c, p := from.C, int(m.Args[0])
	wl, which := &c.Spec.Workloads[c.Pods[p].Workload], "new"
	if wl.First {
		which = "first"
	}
	return actor.Words{
		Action: "bad-revision", Object: wl.ID,
		Text: fmt.Sprintf("the %s revision of %s turns out bad: its pods run but never become ready", which,
			objects.ShortName(wl)),
		Because: []actor.Ref{{Object: wl.ID, Version: a.version, Field: "spec.template"}},
	}
}

// Model implements [actor.Actor].
func (a *BadRevision) Model() *actor.Model {
	return &actor.Model{
		Upstream: "none: the environment",
		MayHide: []string{
			"a bad revision's pods run without getting ready; a failed image pull is not modeled",
			"no revision fails after it got ready, or is only slow",
		},
	}
}
