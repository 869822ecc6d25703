package workloads

import "github.com/kubesettle/kubesettle/verify/state"

// Steady reports whether a sync writes the same whether or not the ReplicaSets that have
// something to do have done it already, and does not resize one that has; where one is
// about to create pods (-1: none is meant), that a sync writes nothing at all.
func (d *Deployment) Steady(s state.State, creates int) bool {
	var first [setsPerWorkload]written
	classes := s.C.ClassesOf[d.Workload]
	for done := range 1 << len(classes) { // a set of ReplicaSets that are done
		y := deploymentSync{rollout: &d.versions[s.VersionOf(d.Workload)]}
		if !y.exists || y.recreate {
			return false
		}
		y.read(s, d.Workload)
		now := y.sizes()
		possible := true
		for i, p := range classes {
			uneven := s.Active(p) != s.Get(s.C.Class[p].Size)
			if uneven && s.C.FirstReady(p) != state.Ready {
				return false // which of its pods go decides how many are available
			}
			if done&(1<<i) != 0 {
				rs := &y.sets[i]
				possible = possible && uneven
				rs.pods, rs.available = rs.size, min(rs.available, rs.size)
			}
		}
		if !possible {
			continue
		}
		y.syncDeployment()
		then := y.sizes()
		if done == 0 {
			first = then
		}
		if then != first || creates >= 0 && y.changed {
			return false
		}
		for i, p := range classes {
			if now[i].size != then[i].size && s.Active(p) != s.Get(s.C.Class[p].Size) {
				return false
			}
		}
	}
	return true
}

// written is what a sync writes of one ReplicaSet.
type written struct {
	exists             bool
	size, desired, max int32
}

func (y *deploymentSync) sizes() (out [setsPerWorkload]written) {
	for i := range y.sets {
		rs := &y.sets[i]
		out[i] = written{rs == y.newRS || rs == y.oldRS, rs.size, rs.desired, rs.max}
	}
	return out
}
