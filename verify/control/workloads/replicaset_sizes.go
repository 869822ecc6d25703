package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// deleteAny deletes one surplus pod of several classes, any of those that rank first; the
// next one goes in the next step. related is upstream's rank of a ready pod by its node.
func deleteAny(s state.State, classes []int, related func(s state.State, n int) int64, next *actor.Emit) {
	for _, p := range classes {
		if s.Pending(p) > 0 {
			f := s.C.Class[p].Pending
			t := next.Copy(s)
			t.Set(f, t.Get(f)-1)
			next.Move(objects.Done)
			return
		}
	}
	for _, phases := range [...][]state.Phase{state.LivePhases[:1], state.ReadyPhases[:]} {
		rank := func(n int) int64 {
			if phases[0] == state.Starting {
				return 0 // which of them run already is unknown
			}
			return related(s, n)
		}
		most := int64(-1)
		for _, p := range classes {
			for n := range s.C.Nodes {
				if anyOf(s, n, p, phases) {
					most = max(most, rank(n))
				}
			}
		}
		if most < 0 {
			continue
		}
		for _, p := range classes {
			for n := range s.C.Nodes {
				if s.Twin(n) || !anyOf(s, n, p, phases) || rank(n) != most {
					continue
				}
				for _, ph := range phases {
					if s.On(n, p, ph) > 0 {
						t := next.Copy(s)
						objects.Evict(t, n, p, ph)
						next.Move(objects.Done)
					}
				}
			}
		}
		return
	}
}

func anyOf(s state.State, n, p int, phases []state.Phase) bool {
	for _, ph := range phases {
		if s.On(n, p, ph) > 0 {
			return true
		}
	}
	return false
}
