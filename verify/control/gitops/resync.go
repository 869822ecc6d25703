package gitops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Object is what a reference into the GitOps controller's own configuration names.
const Object = "the GitOps controller"

// resync models the self-heal of a GitOps controller: declared fields that were changed in the cluster are applied
// again, a whole release at a time.
//
// Read from: Argo CD's documentation (automated sync with selfHeal, ignoreDifferences,
// the sync option RespectIgnoreDifferences) and Flux's (kustomize-controller corrects
// drift by server-side apply at every interval).
//
// Only .spec.replicas has a second writer in the model, so no other field can differ; and a Pod that no controller owns
// may be gone.
type resync struct{ serverSide, podsOnly bool }

func NewResync(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	g := spec.GitOps
	if g == nil || !g.SelfHeal || g.IgnoreReplicas && !hasBare(b.Config()) {
		return nil, nil // a difference that is ignored starts no sync
	}
	return []actor.Actor{&resync{serverSide: spec.Apply == state.ServerSide, podsOnly: g.IgnoreReplicas}}, nil
}

// Traits implements [actor.Declarer]: the only pods that it counts are Pods in the manifests, of any revision.
func (*resync) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.Stopping} }

func (a *resync) Name() string           { return "gitops" }
func (a *resync) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: the live version is applied again where it differs.
func (a *resync) Step(s state.State, next *actor.Emit) {
	differs := false
	for w := range s.C.Spec.Workloads {
		differs = differs || a.drifted(s, w)
	}
	if !differs {
		return
	}
	t := next.Copy(s)
	for w := range s.C.Spec.Workloads {
		if !a.drifted(s, w) {
			continue
		}
		switch m := s.Manifest(w); {
		case m.Kind().Bare():
			t.Owe(w)
		case a.serverSide:
			mergeOwned(t, w, m)
		default:
			mergeThreeWay(t, w, m, m)
		}
	}
	next.Move(objects.Done)
}

// drifted reports whether the live object of workload w differs from the applied one.
func (a *resync) drifted(s state.State, w int) bool {
	m := s.Manifest(w)
	return s.Vanished(w) || !a.podsOnly && m.Exists() && m.DeclaresReplicas && objects.LiveReplicas(m) != s.Replicas(w)
}

// hasBare reports whether some workload is a Pod that no controller owns.
func hasBare(c *state.Config) bool {
	return slices.ContainsFunc(c.Spec.Workloads, func(w state.Workload) bool { return w.Kind().Bare() })
}

// keepsReplicas reports whether an apply leaves live replicas alone whatever is declared.
func keepsReplicas(s state.State) bool {
	g := s.C.Spec.GitOps
	return g != nil && g.KeepReplicas
}

func (a *resync) Describe(from, to state.State, _ search.Move) actor.Words {
	w := actor.Words{Action: "self-heal"}
	var parts []string
	for i := range from.C.Spec.Workloads {
		wl := &from.C.Spec.Workloads[i]
		if from.Replicas(i) == to.Replicas(i) && from.Owed(i) == to.Owed(i) {
			continue
		}
		if w.Object == "" {
			w.Object = wl.ID
		}
		if wl.Kind().Bare() {
			parts = append(parts, objects.ShortName(wl)+" is not there, and is created again")
			w.Because = append(w.Because, actor.Ref{Object: wl.ID, Version: from.Version(), Field: "spec"})
			continue
		}
		parts = append(parts, fmt.Sprintf("replicas of %s %d -> %d, as the manifest declares",
			objects.ShortName(wl), from.Replicas(i), to.Replicas(i)))
		w.Because = append(w.Because, actor.Ref{Object: wl.ID, Version: from.Version(), Field: "spec.replicas"})
	}
	w.Because = append(w.Because, actor.Ref{Object: Object, Version: from.Version(), Field: "selfHeal"})
	w.Text = "the GitOps controller heals the drift: " + strings.Join(parts, "; ")
	return w
}

func (a *resync) Model() *actor.Model {
	return &actor.Model{
		Upstream: "the documentation of Argo CD (automated sync, selfHeal, ignoreDifferences, RespectIgnoreDifferences) and of Flux (kustomize-controller, drift)",
		Exact:    []string{"a declared spec.replicas is set again whenever it changed, and a Pod that is gone is created again"},
		MayInvent: []string{
			"a re-sync runs at any moment, without waiting for an interval or back-off",
			"objects that are gone from Git are deleted, also without prune",
		},
		MayHide: []string{"every re-sync succeeds: sync windows, waves, hooks and a controller that is down are not modeled"},
	}
}
