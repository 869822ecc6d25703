package state

import "slices"

// WatchesStops is a declaration: in which problems an actor tells a pod on deletion from one that is gone, or evicts or
// deletes pods, as a rule then compares pods on deletion. If no actor and no rule does, Terminating is not laid out,
// and a deletion takes the pod at once: whether pods stop sooner or later makes no visible difference. An autoscaler's
// stabilization window passes when pods have stopped; they can always do so at once.
//
// maxPods is that of [NewBuilder].
type WatchesStops func(s *Spec, maxPods int) bool

// lingers reports whether anybody could tell a pod on deletion from one that is gone.
func lingers(s *Spec, maxPods int, watch []WatchesStops) bool {
	return s.Unreduced || s.CountsTerminating || len(watch) == 0 ||
		slices.ContainsFunc(watch, func(w WatchesStops) bool { return w(s, maxPods) })
}

// Declares reports whether a manifest of either version says something.
func (s *Spec) Declares(says func(w *Workload, m *Manifest) bool) bool {
	for i := range s.Workloads {
		w := &s.Workloads[i]
		for v := range w.Manifests {
			if m := &w.Manifests[v]; m.Exists() && says(w, m) {
				return true
			}
		}
	}
	return false
}
