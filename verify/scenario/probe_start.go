package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// beginning is a set of settled states in which the same workloads lack pods.
type beginning struct {
	lack   []bool // by workload
	states [][]byte
}

// beginnings groups settled states by the workloads that lack pods in them, and keeps those in which no fewer could.
// One that no node takes lacks them in all of them, and is no reason to ask nothing of the others. What a probe asks of
// a workload it asks where that has its pods: otherwise another rule says why it does not run.
func beginnings(p *Problem, settled [][]byte, lacks func(s state.State, w int) bool) []beginning {
	var all []beginning
	for _, b := range settled {
		lack := lack(p, b, lacks)
		i := slices.IndexFunc(all, func(o beginning) bool { return slices.Equal(o.lack, lack) })
		if i < 0 {
			i, all = len(all), append(all, beginning{lack: lack})
		}
		all[i].states = append(all[i].states, b)
	}
	return slices.DeleteFunc(slices.Clone(all), func(b beginning) bool {
		return slices.ContainsFunc(all, func(o beginning) bool { return o.lacksLess(b) })
	})
}

// lack says of each workload of a problem whether it lacks pods in a state.
func lack(p *Problem, b []byte, lacks func(s state.State, w int) bool) []bool {
	out := make([]bool, len(p.Cfg.Spec.Workloads))
	for w := range out {
		out[w] = lacks(state.State{C: p.Cfg, B: b}, w)
	}
	return out
}

// lacksLess reports whether some, but not all, of the workloads lack pods that do in another one, and no other does.
func (b beginning) lacksLess(than beginning) bool {
	for w := range b.lack {
		if b.lack[w] && !than.lack[w] {
			return false
		}
	}
	return !slices.Equal(b.lack, than.lack)
}

// fromRest searches a probe from where workloads have their pods, each time for the rules of these. Where no cluster is
// declared, one on which some workload lacks pods is not the cluster that is there.
func (r *scenarioRun) fromRest(ctx context.Context, name string, p *Problem, settled [][]byte) error {
	for _, b := range beginnings(p, settled, r.lacks) {
		if slices.Contains(b.lack, true) && r.Policy.Cluster.Assumed {
			continue
		}
		own, others := *p, map[judgment]bool{}
		for _, x := range p.bounds {
			others[x.judgment()] = b.lack[x.Workload]
		}
		if own.drop(others); len(own.bounds) == 0 {
			continue
		}
		if err := r.explore(ctx, name, &own, b.states, -1); err != nil {
			return err
		}
	}
	return nil
}

// lacking reports whether some pod of a workload has no node, or waits for a volume, or was never created: what does
// not run is reported by other rules, and cannot be rolled out either.
func lacking(s state.State, w int) bool {
	active := 0
	for _, p := range s.C.ClassesOf[w] {
		active += s.Active(p)
	}
	if k := s.C.Spec.Workloads[w].Kind(); k != state.DaemonSet && !k.Ends() && active < s.Replicas(w) {
		return true
	}
	return pending(s, w)
}

// pending reports whether some pod of a workload has no node, or waits for a volume.
func pending(s state.State, w int) bool {
	return slices.ContainsFunc(s.C.ClassesOf[w], func(p int) bool { return s.Pending(p) > 0 || s.Waiting(p) > 0 })
}

// whoLacks is what a probe asks nothing of.
func (p *probe) whoLacks() func(s state.State, w int) bool {
	if p.lacks == nil {
		return pending
	}
	return p.lacks
}
