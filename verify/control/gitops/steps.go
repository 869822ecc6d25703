package gitops

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// steps models how a tool goes on with an apply that takes several steps. With Argo CD the next one is applied once
// everything of the steps so far is healthy: what never gets healthy keeps all that follows away. Flux applies stage by
// stage and then prunes, and asks for health at the end.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).Sync (tasks of one phase and wave, then those that run
// are waited for; pruned objects are not), getSyncTasks; health as in [Healthy]. kustomize-controller v1.9,
// (*KustomizationReconciler).reconcile; fluxcd/pkg, ssa: (*ResourceManager).ApplyAllStaged.
type steps struct {
	Apply
	straight bool // see [state.Spec.Straight]
}

// NewSteps builds the actor where head comes in several steps.
func NewSteps(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	if spec.Events.Apply <= 0 || b.Config().Steps() < 2 {
		return nil, nil
	}
	return []actor.Actor{&steps{Apply{serverSide: spec.Apply == state.ServerSide}, spec.Straight}}, nil
}

// Traits implements [actor.Declarer]: it counts pods, wherever they are, and none on deletion; one workload waits for
// another.
func (a *steps) Traits(c *state.Config) actor.Traits {
	t := a.Apply.Traits(c)
	t.Lumps, t.Alone = actor.AnyLikeness, false
	return t
}

func (a *steps) Name() string { return "sync" }

// Latency implements [actor.Actor]: a sync of Argo CD looks again after seconds.
func (a *steps) Latency() actor.Latency {
	if a.straight {
		return actor.Sync
	}
	return actor.Periodic
}

// Step implements [actor.Actor]: the next step is applied.
func (a *steps) Step(s state.State, next *actor.Emit) {
	if s.Version() != state.Head || s.StepsLeft() == 0 || !a.straight && !reachedHealth(s) {
		return
	}
	t := next.Copy(s)
	t.Set(t.C.StepsLeft, s.StepsLeft()-1)
	a.merge(s, t)
	next.Move(objects.Done)
}

func (a *steps) Describe(from, to state.State, m search.Move) actor.Words {
	w := a.Apply.Describe(from, to, m)
	w.Action = "sync-step"
	return w
}

// describeQuotas words which quotas come with a step.
func describeQuotas(from, to state.State) []string {
	var out []string
	for i := range from.C.Spec.Quotas {
		if q := &from.C.Spec.Quotas[i]; from.C.Steps() > 1 && from.VersionOfQuota(i) != to.VersionOfQuota(i) {
			out = append(out, q.Words())
		}
	}
	return out
}

// SyncWave is the field by which Argo CD orders what it applies; without it the wave is 0.
const SyncWave = "metadata.annotations[argocd.argoproj.io/sync-wave]"

// rest words what the tool holds back in a state, and adds which waves say so to words; "" where it does not.
func rest(s state.State, words *actor.Words) string {
	if s.StepsLeft() == 0 {
		return ""
	}
	var later []string
	ordered := func(id string, step int, name string) {
		if step > s.Reached() {
			later = append(later, name)
		}
		if step != 0 && !s.C.Spec.Straight {
			words.Because = append(words.Because, actor.Ref{Object: id, Version: state.Head, Field: SyncWave})
		}
	}
	for i := range s.C.Spec.Workloads {
		wl := &s.C.Spec.Workloads[i]
		step := wl.Step
		if !wl.Manifests[state.Head].Exists() && step <= s.Reached() {
			step = 0
		}
		ordered(wl.ID, step, objects.ShortName(wl))
	}
	for i := range s.C.Spec.Quotas {
		q := &s.C.Spec.Quotas[i]
		ordered(q.ID(), q.Step, q.Words())
	}
	if s.C.Spec.Straight {
		return fmt.Sprintf("; objects that are gone from Git are deleted next: %s", strings.Join(later, ", "))
	}
	return fmt.Sprintf("; later steps wait until this is healthy: %s", strings.Join(later, ", "))
}

func (a *steps) Model() *actor.Model {
	if a.straight {
		return &actor.Model{
			Upstream: "kustomize-controller v1.9, (*KustomizationReconciler).reconcile; fluxcd/pkg, ssa: ApplyAllStaged",
			Exact: []string{
				"a Kustomization of Flux deletes objects that are gone from Git after it applied all else, and waits for no health in between",
			},
			MayInvent: []string{"objects that are gone from Git are deleted, also without prune"},
			MayHide: []string{
				"the objects of one stage are applied at once, and definitions and classes are ready at once",
				"an apply that fails is not tried again (retryInterval): refusals of the API server are separate findings",
				"autoscalers, disruption budgets and LimitRanges go with their workload",
			},
		}
	}
	return &actor.Model{
		Upstream: "argo-cd and gitops-engine, pkg/sync (getSyncTasks, Sync) and pkg/health",
		Exact: []string{
			"sync waves, PruneLast, the reversed order of pruned waves, pruning before creating in one wave",
			"the health of workloads as Argo CD says it, a Rollout's included: what never gets healthy keeps later waves away",
		},
		MayHide: []string{
			"autoscalers, disruption budgets and LimitRanges come with their workload, whatever their wave",
			"a first install and a revert are one step",
			"objects outside of the slice are healthy at once, and so is a DaemonSet without pods",
		},
	}
}
