package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Commutes implements [actor.Commuter]: a controller reads and writes what belongs to its own workload.
func (*Deployment) Commutes(*state.Config) actor.Early { return actor.Resize | actor.Create }

// Minds implements [actor.Moody]: a sync that has something to write, or will have, reads how many pods a ReplicaSet
// has.
func (d *Deployment) Minds(s state.State, step actor.Early, class int) bool {
	return step == actor.Create && s.C.Pods[class].Workload == d.Workload && !d.Steady(s, class)
}

// Leads implements [actor.Leader].
func (d *Deployment) Leads(s state.State) (actor.Early, int) {
	if d.Steady(s, -1) {
		return actor.Resize, -1
	}
	return 0, -1
}

// Wakes implements [actor.Waker].
func (d *Deployment) Wakes(*state.Config) actor.Work { return actor.Work{Workload: d.Workload} }

// Works implements [actor.Worker].
func (d *Deployment) Works(*state.Config) actor.Work { return actor.Work{Workload: d.Workload} }

// Commutes implements [actor.Commuter]: creations of several ReplicaSets commute but for the room in a quota, and on a
// node that was named for the pods.
func (r *ReplicaSetLoop) Commutes(c *state.Config) actor.Early {
	if r.Node >= 0 || len(c.Spec.Quotas) > 0 {
		return actor.Resize
	}
	return actor.Resize | actor.Create
}

// Leads implements [actor.Leader].
func (r *ReplicaSetLoop) Leads(s state.State) (actor.Early, int) {
	if s.Active(r.Class) < s.Get(s.C.Class[r.Class].Size) {
		return actor.Create, r.Class
	}
	return 0, -1
}

// Wakes implements [actor.Waker]: its pods are its Deployment's, and the scheduler's.
func (r *ReplicaSetLoop) Wakes(*state.Config) actor.Work {
	return actor.Work{Workload: r.Workload, Places: true}
}

// Works implements [actor.Worker].
func (r *ReplicaSetLoop) Works(*state.Config) actor.Work { return actor.Work{Workload: r.Workload} }
