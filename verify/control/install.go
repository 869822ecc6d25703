package control

import "github.com/kubesettle/kubesettle/verify/state"

// Install gives the state in which version v was just applied to an empty cluster: the
// live objects as the API server defaults them, nominal load, no pods, and every event
// budget full. From here the cluster settles on v.
func Install(c *state.Config, v state.Version) state.State {
	s := c.New()
	s.Set(c.Applied, int(v))
	Refill(s)
	for w := range c.Spec.Workloads {
		s.Set(c.Workload[w].Load, int(state.Nominal))
		if c.Spec.Workloads[w].Manifests[v].Exists() {
			create(s, w, v)
			recall(s, w, v)
		}
	}
	return s
}

// Refill sets every event budget to what the problem allows, such as in a state that a
// search with events ended in and another one starts from.
func Refill(s state.State) {
	s.Set(s.C.Applies, max(s.C.Spec.Events.Apply, 0))
	s.RefillNodes()
	for w := range s.C.Spec.Workloads {
		s.Set(s.C.Workload[w].Loads, max(s.C.Spec.Events.LoadChange, 0))
	}
}
