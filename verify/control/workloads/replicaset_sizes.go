package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// deleteOne deletes one surplus pod of a ReplicaSet whose pods have several sizes, any of
// those that rank first; the next one goes in the next step.
func (r *ReplicaSetLoop) deleteOne(s state.State, next *actor.Emit) {
	members := s.C.Members(r.Class)
	for _, p := range members {
		if s.Pending(p) > 0 {
			f := s.C.Class[p].Pending
			t := next.Copy(s)
			t.Set(f, t.Get(f)-1)
			next.Move(objects.Done)
			return
		}
	}
	for _, phases := range [...][]state.Phase{state.LivePhases[:1], state.ReadyPhases[:]} {
		most := int64(-1)
		for _, p := range members {
			for n := range s.C.Nodes {
				if anyOf(s, n, p, phases) {
					most = max(most, r.rankOf(s, n, phases))
				}
			}
		}
		if most < 0 {
			continue
		}
		for _, p := range members {
			for n := range s.C.Nodes {
				if s.Twin(n) || !anyOf(s, n, p, phases) || r.rankOf(s, n, phases) != most {
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

// rankOf is upstream's rank of a pod on node n, which does not matter while it starts.
func (r *ReplicaSetLoop) rankOf(s state.State, n int, phases []state.Phase) int64 {
	if phases[0] == state.Starting {
		return 0
	}
	return r.related(s, n)
}

func anyOf(s state.State, n, p int, phases []state.Phase) bool {
	for _, ph := range phases {
		if s.On(n, p, ph) > 0 {
			return true
		}
	}
	return false
}
