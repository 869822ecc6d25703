package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// overdraws reports whether a sync on a view makes more pods of one class than the quotas have room for, which the API
// server counts as they are.
func overdraws(quotas *admission.Quotas, s, view, after state.State, classes []int) bool {
	for _, p := range classes {
		if made := after.Pending(p) - view.Pending(p); made > 0 && quotas != nil && quotas.Room(s, p, made) < made {
			return true
		}
	}
	return false
}

// Conflicts implements [actor.Conflicting].
func (r *ReplicaSetLoop) Conflicts(s, view, after state.State) bool {
	return overdraws(r.quotas, s, view, after, s.C.Members(r.Class))
}

// Conflicts implements [actor.Conflicting].
func (x *statefulSet) Conflicts(s, view, after state.State) bool {
	return overdraws(x.quotas, s, view, after, s.C.ClassesOf[x.workload])
}

// Conflicts implements [actor.Conflicting].
func (d *daemonSet) Conflicts(s, view, after state.State) bool {
	return overdraws(d.quotas, s, view, after, s.C.ClassesOf[d.workload])
}

// Conflicts implements [actor.Conflicting].
func (j *jobLoop) Conflicts(s, view, after state.State) bool {
	return overdraws(j.loop.quotas, s, view, after, []int{j.class})
}

// Sees implements [actor.Lagging]: its pods, and those that its ranking of victims counts.
func (r *ReplicaSetLoop) Sees(c *state.Config) []int { return c.ClassesOf[r.Workload] }

// Expects implements [actor.Lagging]: SatisfiedExpectations before manageReplicas.
func (*ReplicaSetLoop) Expects() bool { return true }

// Reports implements [actor.Reporting]: calculateStatus.
func (r *ReplicaSetLoop) Reports() int { return r.Class }

// Sees implements [actor.Lagging]: the status of its ReplicaSets.
func (d *Deployment) Sees(c *state.Config) []int { return c.ClassesOf[d.Workload] }

// Expects implements [actor.Lagging]: a second write of a ReplicaSet from the same view is refused.
func (*Deployment) Expects() bool { return true }

// Conflicts implements [actor.Conflicting]: scaleReplicaSet updates what the lister gave, so that the API server
// refuses it where the ReplicaSet's status is another one by now.
func (d *Deployment) Conflicts(s, view, after state.State) bool {
	for _, p := range s.C.ClassesOf[d.Workload] {
		f := &s.C.Class[p]
		same := view.Get(f.Size) == after.Get(f.Size) && view.Get(f.Desired) == after.Get(f.Desired) &&
			view.Get(f.Max) == after.Get(f.Max)
		if s.C.Pods[p].Set != p || same {
			continue
		}
		if view.Get(f.Exists) == 1 && (view.ActiveIn(p) != s.ActiveIn(p) || view.AvailableIn(p) != s.AvailableIn(p)) {
			return true
		}
	}
	return false
}

// Sees implements [actor.Lagging].
func (x *statefulSet) Sees(c *state.Config) []int { return c.ClassesOf[x.workload] }

// Expects implements [actor.Lagging]: the consistency store holds a sync until the informer has what the last one
// wrote.
func (*statefulSet) Expects() bool { return true }

// Sees implements [actor.Lagging]: its pods.
func (d *daemonSet) Sees(c *state.Config) []int { return c.ClassesOf[d.workload] }

// Expects implements [actor.Lagging]: SatisfiedExpectations, before updateDaemonSet and once more before rollingUpdate.
func (*daemonSet) Expects() bool { return true }

// Sees implements [actor.Lagging]: its pods, and by them what has succeeded: the status of a Job has no other writer.
func (j *jobLoop) Sees(*state.Config) []int { return []int{j.class} }

// Expects implements [actor.Lagging]: SatisfiedExpectations before manageJob.
func (*jobLoop) Expects() bool { return true }
