package scenario

import (
	"bytes"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// The state that a snapshot shows is one that a change starts from, beside those that base could
// settle in: a placement that the scheduler would not choose today is still the one that is there.

// liveStart is the cluster as it is, as a state of a problem that has all of its nodes, or of one
// workload's by itself, whose only node stands for them; nil where there is none.
func (v Variant) liveStart(p *Problem) []byte {
	if v.Slice.Live == nil || !v.AsDeclared() {
		return nil
	}
	c := p.Cfg
	nodes := map[string]int{} // by itself a workload has one, the first
	if !p.alone {
		for n := range c.Nodes {
			nodes[c.Nodes[n].Name] = n
		}
		for _, class := range c.Spec.Classes {
			if slices.ContainsFunc(class.Names, func(name string) bool { _, ok := nodes[name]; return !ok }) {
				return nil
			}
		}
	}
	s := gitops.Install(c, state.Base)
	for w, live := range v.Slice.Live {
		if p.alone && w != p.only {
			continue // it does not move
		}
		if live != nil && !setLive(s, w, live, nodes) {
			return nil
		}
	}
	c.Canon(s.B)
	return s.B
}

// setLive enters the live state of workload w; false where it does not fit the state.
func setLive(s state.State, w int, live *snapshot.Workload, nodes map[string]int) bool {
	c := s.C
	m := &c.Spec.Workloads[w].Manifests[state.Base]
	p := c.ByVersion[w][state.Base]
	if live.Replicas != nil && m.ReplicasField() != nil {
		if *live.Replicas > c.MaxPods {
			return false
		}
		s.SetReplicas(w, *live.Replicas)
		autoscaling.Recall(s, w, state.Base)
	}
	if m.Kind() == state.Deployment {
		n := s.Replicas(w)
		f := &c.Class[p]
		s.Set(f.Exists, 1)
		s.Set(f.Size, n)
		s.Set(f.Desired, n)
		s.Set(f.Max, min(n+m.Pace().SurgeOf(n), c.MaxPods))
	}
	for _, pods := range live.Pods {
		if m.Kind() == state.StatefulSet {
			if !setOrdinals(s, w, &pods, nodes) {
				return false
			}
			continue
		}
		if pods.Pending > 0 && !c.Pods[p].PerNode { // a DaemonSet's are made again
			s.Set(c.Class[p].Pending, s.Pending(p)+pods.Pending)
		}
		for _, on := range pods.On {
			if on.Total() > c.MaxPods {
				return false
			}
			n := nodes[on.Node]
			s.Add(n, p, state.Ready, on.Ready)
			s.Add(n, p, state.Starting, on.Starting)
			if on.Terminating > 0 && c.HasPhase(p, state.Terminating) {
				s.Add(n, p, state.Terminating, on.Terminating)
			}
		}
	}
	return s.Existing(p) <= c.MaxPods
}

// setOrdinals enters pods of a StatefulSet; false where they do not fit the state.
func setOrdinals(s state.State, w int, pods *snapshot.Pods, nodes map[string]int) bool {
	class := func(ordinal int) int {
		for _, p := range s.C.ClassesOf[w] {
			if s.C.Pods[p].InBase && s.C.Pods[p].Ordinal == ordinal {
				return p
			}
		}
		return -1
	}
	for _, o := range pods.PendingOrdinals {
		p := class(o)
		if p < 0 || s.Existing(p) > 0 {
			return false
		}
		s.Set(s.C.Class[p].Pending, 1)
	}
	for _, on := range pods.On {
		if len(on.Ordinals) != on.Total() {
			return false
		}
		for _, o := range on.Ordinals {
			p := class(o)
			if p < 0 || s.Existing(p) > 0 {
				return false
			}
			phase := state.Ready
			switch { // which of several is which is not told: one phase for all, or no start
			case on.Ready == on.Total():
			case on.Starting == on.Total():
				phase = state.Starting
			case on.Terminating == on.Total():
				if phase = state.Terminating; !s.C.HasPhase(p, phase) {
					continue
				}
			default:
				return false
			}
			s.Add(nodes[on.Node], p, phase, 1)
		}
	}
	return true
}

// FromLive reports whether a violation starts from the cluster as it is.
func (v Violation) FromLive() bool {
	if v.Problem == nil || v.Problem.Live == nil {
		return false
	}
	start := slices.Clone(v.Start)
	v.Problem.Cfg.Canon(start)
	return bytes.Equal(start, v.Problem.Live)
}

// withState adds a state to a list that may have it.
func withState(list [][]byte, b []byte) [][]byte {
	if slices.ContainsFunc(list, func(o []byte) bool { return bytes.Equal(o, b) }) {
		return list
	}
	return append(list, b)
}
