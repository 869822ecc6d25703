package gitops

import (
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// helm models helm-controller's reaction to an upgrade that fails because its pods do not get ready in time: it rolls
// the release back, or uninstalls and installs it, and upgrades it again, as often as there are retries; or it upgrades
// again and undoes nothing. After the last retry the release stays as it is until it is changed.
//
// Upstream: helm-controller v1.6, internal/reconcile: (*AtomicRelease).actionForState and Reconcile; api/v2:
// UpgradeRemediation and InstallRemediation (RetriesExhausted, MustRemediateLastFailure, GetStrategy), GetActiveRetry.
type helm struct {
	Apply
	of *state.Remediation
}

// NewHelm builds the actor where an upgrade may fail: a revision may turn out bad.
func NewHelm(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	if spec.Helm == nil || spec.Events.Apply <= 0 || spec.Events.BadRevision <= 0 || !b.Config().Upgrades() {
		return nil, nil
	}
	b.AddRemediation()
	return []actor.Actor{&helm{Apply{serverSide: spec.Apply == state.ServerSide}, spec.Helm}}, nil
}

// HelmStops implements [state.WatchesStops]: an uninstall takes pods that their controllers want.
func HelmStops(s *state.Spec, _ int) bool { return s.Helm != nil && s.Helm.Undo == state.Uninstalls }

// Parts of a step, in [search.Move.Args].
const (
	undoes int32 = iota
	repeats
)

// Traits implements [actor.Declarer]: it counts pods, wherever they are, and none on deletion; one workload undoes the
// upgrade of all, which may fail at any time.
func (a *helm) Traits(c *state.Config) actor.Traits {
	t := a.Apply.Traits(c)
	t.Lumps, t.Alone, t.Ends = actor.AnyLikeness, false, nil
	return t
}

func (a *helm) Name() string { return "helm" }

// Latency implements [actor.Actor]: an upgrade fails after minutes.
func (a *helm) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: a failed upgrade is undone, or one that was undone is tried again.
func (a *helm) Step(s state.State, next *actor.Emit) {
	failed := s.FailedUpgrades()
	switch {
	case s.Version() == state.Base:
		if failed > 0 && a.of.Tries(failed) && whole(s) {
			t := next.Copy(s)
			a.again(s, t, state.Head)
			next.Move(search.Move{Args: [3]int32{repeats}})
		}
	case !fails(s):
	case a.of.Undo == state.LeavesFailed:
		a.reapply(s, next)
	case a.of.Undo == state.Uninstalls && s.Reinstalled():
		if a.of.Reinstalls {
			t := next.Copy(s)
			a.reinstall(t)
			next.Move(search.Move{Args: [3]int32{repeats}})
		}
	case a.of.Undoes(failed + 1):
		t := next.Copy(s)
		t.FailUpgrade()
		if a.of.Undo == state.Uninstalls {
			t.Reinstall()
			a.reinstall(t)
		} else {
			a.again(s, t, state.Base)
		}
		next.Move(search.Move{Args: [3]int32{undoes}})
	}
}

// again applies a version's manifests over the live ones; the declared fields were not changed.
func (a *helm) again(s, t state.State, v state.Version) {
	t.Set(t.C.Applied, int(v))
	if t.C.Steps() > 1 {
		t.Set(t.C.StepsLeft, 0)
	}
	a.merge(s, t)
}

// reapply has what others changed of the release as head declares it, where something is.
func (a *helm) reapply(s state.State, next *actor.Emit) {
	t := next.Copy(s)
	changed := false
	for w := range s.C.Spec.Workloads {
		if m := s.Manifest(w); m.Exists() && m.DeclaresReplicas && objects.LiveReplicas(m) != s.Replicas(w) {
			mergeThreeWay(t, w, m, m)
			changed = true
		}
	}
	if changed {
		next.Move(search.Move{Args: [3]int32{repeats}})
	}
}

// reinstall deletes the release's objects, with their pods, and creates all of it again.
func (a *helm) reinstall(t state.State) {
	for w := range t.C.Spec.Workloads {
		if t.Manifest(w).Exists() {
			prune(t, w)
			remove(t, w)
			create(t, w, state.Head)
		}
	}
}

// fails reports whether an upgrade to head never succeeds: a revision is bad, and is waited for.
func fails(s state.State) bool {
	for w := range s.C.Spec.Workloads {
		if p := s.NewClass(w); p >= 0 && s.Bad(p) && s.Begun(p) && !Healthy(s, w) {
			return true
		}
	}
	return false
}

// whole reports whether all of the release is healthy: a rollback has succeeded.
func whole(s state.State) bool {
	for w := range s.C.Spec.Workloads {
		if !Healthy(s, w) {
			return false
		}
	}
	return true
}

func (a *helm) Describe(from, to state.State, m search.Move) actor.Words {
	w := actor.Words{Object: "the release"}
	what := ": " + strings.Join(a.parts(from, to, &w), "; ")
	w.Because = append([]actor.Ref{{Object: a.of.By, Version: state.Head, Field: a.of.Field}}, w.Because...)
	switch {
	case to.Version() == state.Base:
		w.Action, w.Text = "helm-rollback", "the upgrade fails, and is rolled back"+what
	case from.Version() == state.Base:
		w.Action, w.Text = "helm-upgrade", "the upgrade is tried again"+what
	case a.of.Undo == state.LeavesFailed:
		w.Action, w.Text = "helm-upgrade", "the failed upgrade is tried again"+what
	case m.Args[0] == undoes:
		w.Action, w.Text = "helm-uninstall", "the upgrade fails, and the release is uninstalled and installed again"
	default:
		w.Action, w.Text = "helm-uninstall", "the install fails, and the release is uninstalled and installed again"
	}
	return w
}

func (a *helm) Model() *actor.Model {
	return &actor.Model{
		Upstream: "helm-controller v1.6, internal/reconcile: (*AtomicRelease).actionForState; api/v2: UpgradeRemediation, InstallRemediation, GetActiveRetry",
		Exact: []string{
			"which failed upgrade is rolled back, uninstalled or left, and which is tried again: retries, remediateLastFailure, strategy",
			"a rollback that does not get healthy is followed by no upgrade; a change of the release begins again",
		},
		MayInvent: []string{"Helm waits for health as Argo CD says it"},
		MayHide: []string{
			"an upgrade fails by a bad revision alone: one that is stuck otherwise, or slower than the timeout, is not undone",
			"several retries are one; those without end are, too, where base has as many, and base's own uninstall is none",
			"no first install fails; of installs after an uninstall, those that end are tried once, and the time between both is none",
			"that retrying is the default, a flag of the controller, is in no manifest",
		},
	}
}
