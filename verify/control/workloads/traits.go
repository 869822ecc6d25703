package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
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

// conflicts reports whether a quota has no room left for what a sync made.
func (r *ReplicaSetLoop) conflicts(s, view, after state.State) bool {
	return overdraws(r.quotas, s, view, after, s.C.Members(r.Class))
}

// conflicts reports whether a quota has no room left for what a sync made.
func (x *statefulSet) conflicts(s, view, after state.State) bool {
	return overdraws(x.quotas, s, view, after, s.C.ClassesOf[x.workload])
}

// conflicts reports whether a quota has no room left for what a sync made.
func (d *daemonSet) conflicts(s, view, after state.State) bool {
	return overdraws(d.quotas, s, view, after, s.C.ClassesOf[d.workload])
}

// conflicts reports whether a quota has no room left for what a sync made.
func (j *jobLoop) conflicts(s, view, after state.State) bool {
	return overdraws(j.loop.quotas, s, view, after, []int{j.class})
}

// conflicts reports whether the API server refuses an update: scaleReplicaSet updates what the lister gave, and the
// ReplicaSet's status may be another one by now.
func (d *Deployment) conflicts(s, view, after state.State) bool {
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

// minds reports whether a sync that has something to write, or will have, reads how many pods a ReplicaSet has.
func (d *Deployment) minds(s state.State, step actor.Early, class int) bool {
	return step == actor.Create && s.C.Pods[class].Workload == d.Workload && !d.Steady(s, class)
}

// leads is the step of it that may go first.
func (d *Deployment) leads(s state.State) (actor.Early, int) {
	if d.Steady(s, -1) {
		return actor.Resize, -1
	}
	return 0, -1
}

// commutes: creations of several ReplicaSets commute except for the room in a quota, and on a
// node that was named for the pods.
func (r *ReplicaSetLoop) commutes(c *state.Config) actor.Early {
	if r.Node >= 0 || len(c.Spec.Quotas) > 0 {
		return actor.Resize
	}
	return actor.Resize | actor.Create
}

// leads is the step of it that may go first.
func (r *ReplicaSetLoop) leads(s state.State) (actor.Early, int) {
	if s.Active(r.Class) < s.Get(s.C.Class[r.Class].Size) {
		return actor.Create, r.Class
	}
	return 0, -1
}

// ends says when it has come to its end, where only its manifests decide on its replicas: it creates no pod any
// more. Either its new ReplicaSet has all replicas, and old ones only shrink from then on (see [Deployment.Grows] for
// what keeps the new one as it is); or it has nothing to do, and no pod will start that could give it something to do.
func (d *Deployment) ends(c *state.Config, calm bool) (w int, ended func(state.State) bool, ok bool) {
	classes := c.ClassesOf[d.Workload]
	grows := make([]func(state.State) bool, len(classes))
	for i, p := range classes {
		grows[i] = d.Grows(c, p, calm)
		ok = ok || grows[i] != nil
	}
	grown := func(s state.State) bool {
		now := s.NewClass(d.Workload)
		for i, p := range classes {
			if p == now {
				return grows[i] != nil && s.Get(c.Class[p].Size) >= s.Replicas(d.Workload) && grows[i](s)
			}
		}
		return false
	}
	return d.Workload, func(s state.State) bool {
		for _, p := range classes {
			if s.Active(p) < s.Get(c.Class[p].Size) {
				return false
			}
		}
		return grown(s) || d.rests(s)
	}, ok
}

// rests reports, of a state in which no sync loop has anything to do, whether it stays so for the Deployment: no pod of
// its will start, and it does not wait for pods to stop.
func (d *Deployment) rests(s state.State) bool {
	if s.Get(s.C.Applies)+s.Get(s.C.Reverts) > 0 || s.StepsLeft() > 0 || d.versions[s.VersionOf(d.Workload)].recreate {
		return false
	}
	for _, p := range s.C.ClassesOf[d.Workload] {
		if s.Count(p, state.Starting) > 0 && !s.Bad(p) && !s.Stranded(p) ||
			s.Count(p, state.Warming)+s.Count(p, state.Fresh) > 0 {
			return false
		}
	}
	return true
}

// Grows says when the controller will only raise the size of class p's ReplicaSet from then on, and
// this one has no pod too many, so that its pods stay as far as these two go. It is a property that lasts: the last
// version is applied, nobody else sets replicas, the ReplicaSet is the new one and no larger than they are, and every
// ReplicaSet with pods knows their number.
func (d *Deployment) Grows(c *state.Config, p int, calm bool) func(state.State) bool {
	w := d.Workload
	wl := &c.Spec.Workloads[w]
	if c.Pods[p].Workload != w || c.Pods[p].Set != p || wl.Autoscaled() || len(wl.Sizes) > 0 ||
		c.Restarts(w) || c.Scales(w) || c.Remedies() || !calm && c.Spec.Events.Rollback {
		return nil
	}
	for v := range d.versions {
		m := &wl.Manifests[v]
		if d.versions[v].paused || len(m.Rivals) > 0 || m.KEDA != nil || m.VPA != nil {
			return nil
		}
	}
	return func(s state.State) bool {
		if !calm && s.Get(c.Applies)+s.Get(c.Reverts) > 0 || s.StepsLeft() > 0 || s.NewClass(w) != p {
			return false
		}
		size, replicas := s.Get(c.Class[p].Size), s.Replicas(w)
		if size > replicas || s.Active(p) > size {
			return false
		}
		for _, q := range c.ClassesOf[w] {
			if f := &c.Class[q]; s.Get(f.Size) > 0 && s.Get(f.Desired) != replicas {
				return false
			}
		}
		return true
	}
}

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
