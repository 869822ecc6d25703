package workloads

import "github.com/kubesettle/kubesettle/verify/state"

// Grows implements [actor.Grower]: the controller will only raise the size of class p's ReplicaSet from then on, and
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
