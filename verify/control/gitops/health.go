package gitops

import (
	"github.com/kubesettle/kubesettle/verify/state"
)

// reachedHealth reports whether all that was applied so far is healthy.
func reachedHealth(s state.State) bool {
	for w := range s.C.Spec.Workloads {
		if s.C.Spec.Workloads[w].Step <= s.Reached() && !Healthy(s, w) {
			return false
		}
	}
	return true
}

// Healthy reports whether Argo CD calls a workload healthy in a state. It waits for neither deleted workloads nor
// CronJobs.
//
// Upstream: argo-cd, gitops-engine/pkg/health: getAppsv1DeploymentHealth, getAppsv1StatefulSetHealth,
// getAppsv1DaemonSetHealth, getAppsv1ReplicaSetHealth, getBatchv1JobHealth;
// resource_customizations/argoproj.io/Rollout/health.lua.
func Healthy(s state.State, w int) bool {
	m := s.Manifest(w)
	if !m.Exists() || m.Kind() == state.CronJob {
		return true
	}
	if m.Paused() {
		return false // suspended
	}
	updated, old := 0, 0
	for _, p := range s.C.ClassesOf[w] {
		if s.HasTemplate(p) {
			updated += s.Active(p)
		} else {
			old += s.Active(p)
		}
	}
	switch m.Kind() {
	case state.Job:
		p := s.NewClass(w)
		return p >= 0 && s.Outstanding(p) == 0 && s.Active(p) == 0
	case state.DaemonSet:
		return m.Pace().Awaits || old == 0 && s.AvailableOf(w) >= updated
	case state.ReplicaSet:
		return s.AvailableOf(w) >= s.Replicas(w)
	case state.StatefulSet:
		partition := m.Partition()
		switch {
		case s.ReadyOf(w) < s.Replicas(w):
			return false
		case m.Pace().Awaits:
			return true
		case partition > 0:
			return updated >= s.Replicas(w)-partition
		}
		return old == 0
	case state.Rollout:
		return rolloutOf(s, w, updated, old).Healthy()
	}
	return updated >= s.Replicas(w) && old == 0 && s.AvailableOf(w) >= updated
}

// RolloutHealth is what the health of a Rollout is made of, beside spec.paused.
type RolloutHealth struct {
	Observed, Aborted, Paused bool // the controller has seen its spec; status.abort; pause conditions
	BlueGreen, Routed         bool // the strategy; a canary's trafficRouting
	Replicas                  int  // .spec.replicas
	Pods, Updated, Available  int  // of its status
	Active, Stable            bool // whether the current revision is the active one, and the stable one
}

func rolloutOf(s state.State, w, updated, old int) RolloutHealth {
	f, r := &s.C.Workload[w].Rollout, s.Manifest(w).Rollout
	current := s.RevisionOf(w, f.Current)
	h := RolloutHealth{
		Observed: current >= 0 && current == s.NewClass(w), Aborted: s.AbortedTo(w) >= 0,
		Paused:    state.RolloutPause(s.Get(f.Pause)) != state.NotPaused,
		BlueGreen: r.Spec.Strategy.BlueGreen != nil,
		Replicas:  s.Replicas(w), Pods: updated + old, Updated: updated, Available: s.AvailableOf(w),
		Active: current == s.RevisionOf(w, f.Active), Stable: current == s.RevisionOf(w, f.Stable),
	}
	h.Routed = !h.BlueGreen && r.Spec.Strategy.Canary.TrafficRouting != nil
	return h
}

// Healthy is that phase of argo-rollouts v1.10.1, utils/rollout: CalculateRolloutPhase, which Argo CD takes over; one
// that is paused is suspended to it, and one that is aborted degraded, and neither lets the next wave begin. Which
// strategy waits for pods of the old revision is upstream's: not those that a deadline keeps.
func (h RolloutHealth) Healthy() bool {
	switch {
	case !h.Observed, h.Aborted, h.Paused, h.Updated < h.Replicas, h.Available < h.Updated:
		return false
	case h.BlueGreen && !h.Active, !h.BlueGreen && !h.Routed && h.Pods > h.Updated:
		return false
	}
	return h.Stable
}
