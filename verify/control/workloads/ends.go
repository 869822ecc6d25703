package workloads

import "github.com/kubesettle/kubesettle/verify/state"

// Ends implements [actor.Ender], where nothing but its manifests decides on its replicas: it creates no pod any more.
// Either its new ReplicaSet has all replicas, and old ones only shrink from then on (see [Deployment.Grows] for what
// keeps the new one as it is); or it has nothing to do, and no pod will start that could give it something to do.
func (d *Deployment) Ends(c *state.Config, calm bool) (w int, ended func(state.State) bool, ok bool) {
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

// Ends implements [actor.Ender], under a Deployment that has come to it: it deletes what is too many of its own pods.
func (r *ReplicaSetLoop) Ends(*state.Config, bool) (w int, ended func(state.State) bool, ok bool) {
	return r.Workload, nil, r.Node < 0 && !r.unranked
}
