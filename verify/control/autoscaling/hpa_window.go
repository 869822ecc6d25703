package autoscaling

import "github.com/kubesettle/kubesettle/verify/state"

// Upstream remembers every recommendation of the last window with its time. Here the
// window holds one count, that of [state.State.Recommended], and passes as a whole: at a sync
// after which it holds the new recommendation only.

// slowWindow is the window, in seconds, from which on it outlasts the start and stop of
// pods: it passes when the kubelet has nothing left to do for the workload. A shorter one
// passes at any moment.
const slowWindow = 60

// remembers reports whether the windows' value can differ from the live count: there is another writer, or it follows a
// recommendation in several steps.
func (h *HPA) remembers(c *state.Config) bool {
	wl := &c.Spec.Workloads[h.Workload]
	applied := c.Spec.Events.Apply > 0 || c.Spec.GitOps != nil && c.Spec.GitOps.SelfHeal
	written := applied && (wl.Manifests[state.Base].DeclaresReplicas || wl.Manifests[state.Head].DeclaresReplicas)
	for v := range h.versions {
		a := &h.versions[v]
		stepwise := !a.limits.declared && a.max > max(2*a.min, 4)
		if a.exists && (a.limits.upWindow > 0 || a.limits.downWindow > 0 && (written || stepwise)) {
			return true
		}
	}
	return false
}

// Recall sets what the windows of workload w hold once version v is installed.
func Recall(s state.State, w int, v state.Version) {
	if f := s.C.Workload[w].Recommended; f != (state.Field{}) && s.C.Spec.Workloads[w].Manifests[v].HPA != nil {
		s.Set(f, s.Replicas(w))
	}
}

// within keeps a recommendation in the bounds, beyond which it makes no difference.
func (a *autoscaler) within(n int32) int32 { return min(max(n, a.min), a.max) }

// passes reports whether the window that a recommendation has to wait for can have passed.
func (l *scaling) passes(want, current int32, quiet bool) bool {
	var window int32
	switch {
	case want < current:
		window = l.downWindow
	case want > current:
		window = l.upWindow
	default:
		window = max(l.downWindow, l.upWindow)
	}
	return window > 0 && (window < slowWindow || quiet)
}

// stabilize is stabilizeRecommendation, or where spec.behavior is declared
// stabilizeRecommendationWithBehaviors; held is what the windows hold.
func (l *scaling) stabilize(d *decision, current, held int32, passed bool) {
	want := d.replicas
	if passed {
		d.recommended = want
		return
	}
	up, down := want, want
	if l.upWindow > 0 {
		up = min(up, held)
	}
	if l.downWindow > 0 {
		down = max(down, held)
	}
	switch {
	case l.upWindow == 0:
		d.recommended = down
	case l.downWindow == 0:
		d.recommended = up
	default:
		d.recommended = held
	}
	d.replicas = down
	if l.declared {
		d.replicas = min(max(current, up), down)
	}
	d.stabilized = d.replicas != want
}
