package gitops

import (
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Install gives the state in which version v was just applied to an empty cluster: the
// live objects as the API server defaults them, nominal load, no pods, and every event
// budget full. From here the cluster settles on v. A pool that the cluster autoscaler
// sizes has as few nodes as it may.
func Install(c *state.Config, v state.Version) state.State {
	s := c.New()
	s.Set(c.Applied, int(v))
	Refill(s)
	for w := range c.Spec.Workloads {
		s.Set(c.Workload[w].Load, int(state.Nominal))
		if c.Spec.Workloads[w].Manifests[v].Exists() {
			create(s, w, v)
			autoscaling.Recall(s, w, v)
		}
	}
	shrink(s)
	return s
}

// Installs gives the states of [Install] with every choice of nodes that are not there
// yet, as many as may still be added.
func Installs(c *state.Config, v state.Version) []state.State {
	out := []state.State{Install(c, v)}
	for range c.Spec.Events.NodeAdded {
		for _, s := range out {
			out = append(out, without(s)...)
		}
	}
	return out
}

// without gives the states with one node less, of any pool that may shrink.
func without(s state.State) []state.State {
	var out []state.State
	for class := range s.C.Spec.Classes {
		if s.C.Spec.ClusterAutoscaler && s.C.Spec.Classes[class].Autoscaled || !s.Shrinks(class) || s.PresentNodes() < 2 {
			continue
		}
		for n, end := s.C.NodesOf(class); n < end; n++ {
			if !s.Gone(n) {
				t := s.C.New()
				copy(t.B, s.B)
				t.SetTenure(n, state.Absent)
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// shrink leaves autoscaled pools as few nodes as they may have.
func shrink(s state.State) {
	if !s.C.Autoscales() {
		return
	}
	for class := range s.C.Spec.Classes {
		if !s.C.Spec.Classes[class].Autoscaled {
			continue
		}
		for first, end := s.C.NodesOf(class); end > first && s.Shrinks(class); end-- {
			s.SetTenure(end-1, state.Absent)
		}
	}
}

// Refill sets every event budget to what the problem allows, such as in a state that a
// search with events ended in and another one starts from.
func Refill(s state.State) {
	s.Set(s.C.Applies, max(s.C.Spec.Events.Apply, 0))
	s.RefillNodes()
	s.RefillPods()
	for w := range s.C.Spec.Workloads {
		s.Set(s.C.Workload[w].Loads, max(s.C.Spec.Events.LoadChange, 0))
	}
}
