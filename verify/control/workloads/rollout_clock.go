package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rolloutClock models the waits of a Rollout: pauses and deadlines that pass, and its promotion by a person if a pause
// has no end. A person is as sure as a clock here: that nobody comes is no finding.
type rolloutClock struct{ of *Rollout }

// rolloutAbort models that an update is given up: by progressDeadlineAbort, as a loop, where the new pods never become
// ready; or by whom or what finds the new revision bad behind its readiness, as the event of a bad revision.
type rolloutAbort struct {
	of    *Rollout
	event bool
}

// newRolloutClock builds what goes with a Rollout's controller.
func newRolloutClock(b *state.Builder, r *Rollout) []actor.Actor {
	c := b.Config()
	out := []actor.Actor{&rolloutClock{of: r}}
	if c.Spec.Events.BadRevision <= 0 || c.Revisions(r.Workload) < 2 {
		return out
	}
	out = append(out, &rolloutAbort{of: r, event: true})
	for v := range c.Spec.Workloads[r.Workload].Manifests {
		if m := c.Spec.Workloads[r.Workload].Manifests[v].Rollout; m != nil && m.Spec.ProgressDeadlineAbort {
			return append(out, &rolloutAbort{of: r})
		}
	}
	return out
}

// What a clock's step is about, in [search.Move.Args].
const (
	pausePasses int32 = iota
	deadlinePasses
)

// Traits implements [actor.Declarer]: it looks at no pods.
func (k *rolloutClock) Traits(*state.Config) actor.Traits {
	return actor.Traits{Lumps: actor.AnyLikeness, Alone: true, Of: k.of.Workload}
}

func (k *rolloutClock) Name() string           { return "clock/" + k.of.name }
func (k *rolloutClock) Latency() actor.Latency { return actor.Periodic }

func (k *rolloutClock) Step(s state.State, next *actor.Emit) {
	w := k.of.Workload
	f, p := &s.C.Workload[w].Rollout, &k.of.versions[s.VersionOf(w)]
	if !p.exists || p.paused {
		return
	}
	if state.RolloutPause(s.Get(f.Pause)) == state.PausedNow {
		t := next.Copy(s)
		t.Set(f.Pause, int(state.PauseEnded))
		next.Move(search.Move{Args: [3]int32{pausePasses}})
	}
	for i, class := range s.C.ClassesOf[w] {
		if state.Deadline(s.Get(f.Due[i])) == state.Ahead && s.Get(s.C.Class[class].Exists) == 1 {
			t := next.Copy(s)
			t.Set(f.Due[i], int(state.Passed))
			next.Move(search.Move{Args: [3]int32{deadlinePasses, int32(class)}})
		}
	}
}

func (k *rolloutClock) Describe(from, _ state.State, m search.Move) actor.Words {
	c, v := from.C, from.VersionOf(k.of.Workload)
	id := c.Spec.Workloads[k.of.Workload].ID
	because := func(field string) []actor.Ref { return []actor.Ref{{Object: id, Version: v, Field: field}} }
	p := &k.of.versions[v]
	if m.Args[0] == deadlinePasses {
		field := "spec.strategy.canary.scaleDownDelaySeconds"
		switch {
		case p.blueGreen:
			field = "spec.strategy.blueGreen.scaleDownDelaySeconds"
		case from.AbortedTo(k.of.Workload) >= 0:
			field = "spec.strategy.canary.abortScaleDownDelaySeconds"
		}
		return actor.Words{
			Action: "delay-passes", Object: id, Because: because(field),
			Text: "the delay passes after which the " + objects.SetName(c, int(m.Args[1])) + " is scaled down",
		}
	}
	if p.blueGreen {
		text, field := "autoPromotionSeconds of "+k.of.name+" pass", "spec.strategy.blueGreen.autoPromotionSeconds"
		if p.byHand {
			text, field = "somebody promotes "+k.of.name, "spec.strategy.blueGreen.autoPromotionEnabled"
		}
		return actor.Words{Action: "promote", Object: id, Text: text, Because: because(field)}
	}
	step := 0
	if f := c.Workload[k.of.Workload].Rollout.Step; f.Laid() {
		step = from.Get(f)
	}
	text := "somebody promotes " + k.of.name + ": the pause has no duration"
	if step < len(p.canary.Steps) && p.canary.Steps[step].PauseEnds {
		text = "the pause of " + k.of.name + " ends"
	}
	return actor.Words{Action: "promote", Object: id, Text: text, Because: because("spec.strategy.canary.steps")}
}

func (k *rolloutClock) Model() *actor.Model {
	return &actor.Model{
		Upstream: "argo-rollouts v1.10.1, rollout: CompletedCanaryPauseStep, CompletedBlueGreenPause, scaleDownDelayHelper",
		MayInvent: []string{
			"a pause or a delay of a Rollout passes at any moment, however long it is",
		},
		MayHide: []string{
			"somebody promotes a Rollout that waits without end",
		},
	}
}

// Traits implements [actor.Declarer]: it looks at no pods.
func (a *rolloutAbort) Traits(*state.Config) actor.Traits {
	return actor.Traits{Lumps: actor.AnyLikeness, Alone: true, Of: a.of.Workload}
}

func (a *rolloutAbort) Name() string {
	if a.event {
		return "abort/" + a.of.name
	}
	return "deadline/" + a.of.name
}

func (a *rolloutAbort) Latency() actor.Latency {
	if a.event {
		return actor.Event
	}
	return actor.Periodic
}

// Step implements [actor.Actor]: an update that is under way is aborted.
func (a *rolloutAbort) Step(s state.State, next *actor.Emit) {
	w := a.of.Workload
	f, p := &s.C.Workload[w].Rollout, &a.of.versions[s.VersionOf(w)]
	current, stable := s.RevisionOf(w, f.Current), s.RevisionOf(w, f.Stable)
	if !p.exists || p.paused || stable < 0 || current < 0 || current == stable ||
		current != s.NewClass(w) || s.Get(f.Abort) == 1 {
		return
	}
	left := s.BadRevisionsLeft()
	switch {
	case a.event && (left == 0 || s.Bad(current) || s.VersionOf(w) != state.Head):
		return
	case !a.event && (!s.Manifest(w).Rollout.Spec.ProgressDeadlineAbort || !s.Bad(current) ||
		state.RolloutPause(s.Get(f.Pause)) != state.NotPaused || s.Get(s.C.Class[current].Size) == 0):
		return
	}
	t := next.Copy(s)
	t.Set(f.Abort, 1)
	if a.event {
		t.Set(t.C.PodEvents.BadRevisions, left-1)
	}
	next.Move(objects.Done)
}

func (a *rolloutAbort) Describe(from, _ state.State, _ search.Move) actor.Words {
	id := from.C.Spec.Workloads[a.of.Workload].ID
	if a.event {
		return actor.Words{
			Action: "bad-revision", Object: id,
			Text:    "the new revision of " + a.of.name + " turns out bad behind its readiness: the update is aborted",
			Because: []actor.Ref{{Object: id, Version: from.VersionOf(a.of.Workload), Field: "spec.template"}},
		}
	}
	return actor.Words{
		Action: "abort", Object: id, Text: "progressDeadlineSeconds of " + a.of.name + " pass: the update is aborted",
		Because: []actor.Ref{{Object: id, Version: from.VersionOf(a.of.Workload), Field: "spec.progressDeadlineAbort"}},
	}
}

func (a *rolloutAbort) Model() *actor.Model {
	if a.event {
		return &actor.Model{
			Upstream: "none: the environment",
			MayHide:  []string{"of all Rollouts together as many updates are aborted as revisions may turn out bad"},
		}
	}
	return &actor.Model{
		Upstream: "argo-rollouts v1.10.1, rollout: evaluateProgressDeadlineAbort",
		MayHide:  []string{"progressDeadlineAbort ends the update of a bad revision only"},
	}
}
