package scenario

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// drained gives head alone, with one drain, which every upgrade of a cluster brings, and one change of load, if the
// policy does not mention drains: without a failure beside it, so that no workload is blamed for having a budget. It
// runs if a drain can show something; see [drainTells].
func (v Variant) drained() (Variant, rules.Facets) {
	alone := v.only(state.Head)
	alone.Spec.Events = state.Events{Drain: 1, DrainConcurrency: 1, LoadChange: min(v.Spec.Events.LoadChange, 1)}
	switch {
	case !v.Maintained:
		return alone, 0
	case v.Rebudgeted:
		return alone, all
	case slices.ContainsFunc(alone.Spec.Workloads, drainTells):
		return alone, rules.Undrained | rules.Evicted
	}
	return alone, 0
}

// drainTells reports whether a drain can come to no end because of a workload: a budget may
// hold its pods, or they come back to the node, as they tolerate that it takes none.
func drainTells(w state.Workload) bool {
	m := w.Manifests[state.Head]
	if !m.Exists() || m.Kind() == state.DaemonSet || m.Kind().Ends() {
		return false
	}
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return len(m.PDBs) > 0 || slices.ContainsFunc(m.Pod().Tolerations, func(t corev1.Toleration) bool {
		return (t.Key == "" || t.Key == cordon.Key) && (t.Effect == "" || t.Effect == cordon.Effect) &&
			(t.Operator == corev1.TolerationOpExists || t.Key == cordon.Key)
	})
}

// lost gives head alone, with one node that is lost, where a webhook guards the pods that answer for it, and the policy
// does not mention nodes that go. It is the one probe of a lost node, which every cluster sees some day, because here
// nothing comes back by itself. After an earlier drain, the pods of two nodes may stand on the lost one, however the
// scheduler had placed them.
func (v Variant) lost() (Variant, rules.Facets) {
	asks := v.Maintained && v.Spec.Events.NodeFailure == 0 && deadlocks(v.Spec.Admission.Webhooks)
	v = v.only(state.Head)
	v.Spec.Events = state.Events{NodeFailure: 1, Drain: 1, DrainConcurrency: 1}
	if !asks {
		return v, 0
	}
	return v, all
}

// deadlocks reports whether some webhooks of head are asked about the pods of all that answer for them, so that none of
// these comes back on its own once all are gone: one that guards itself, two that guard each other, or more in a ring.
func deadlocks(hooks []state.Webhook) bool {
	closed := slices.DeleteFunc(slices.Clone(hooks), func(h state.Webhook) bool { return h.Guards[state.Head] == nil })
	for {
		kept := slices.DeleteFunc(slices.Clone(closed), func(h state.Webhook) bool {
			return slices.ContainsFunc(h.Servers, func(w int) bool {
				return !slices.ContainsFunc(closed, func(by state.Webhook) bool { return by.Guards[state.Head][w][state.Head] })
			})
		})
		if len(kept) == len(closed) {
			return len(kept) > 0
		}
		closed = kept
	}
}

// shrunk gives head alone, with one node that is removed, if the policy does not mention nodes that go, and declares a
// pool that may have fewer nodes than it has zones: a volume of one zone may be left without a node then. A range of
// sizes says that nodes come and go; if each zone has a separate pool, one stays in each.
func (v Variant) shrunk() (Variant, rules.Facets) {
	asks := v.Maintained && v.Spec.Events.NodeRemoved == 0 && v.SparsePool() != "" && zonal(v.Spec.Claims)
	v = v.only(state.Head)
	v.Spec.Events = state.Events{NodeRemoved: 1}
	if !asks {
		return v, 0
	}
	return v, all
}

// SparsePool names a pool that may have fewer nodes than it has zones, and into whose zones no autoscaler brings nodes
// back; "": there is none.
func (v Variant) SparsePool() string {
	zones := map[string]map[string]bool{}
	for _, c := range v.Spec.Classes {
		if c.Pool == "" || c.Autoscaled || c.Elastic || c.Karpenter != nil || c.PoolMax <= c.PoolMin {
			continue
		}
		if zones[c.Pool] == nil {
			zones[c.Pool] = map[string]bool{}
		}
		zones[c.Pool][c.Node.Labels[corev1.LabelTopologyZone]] = true
		if len(zones[c.Pool]) > max(c.PoolMin, 1) {
			return c.Pool
		}
	}
	return ""
}

// zonal reports whether a claim's volume can be used in the zone alone in which it is made.
func zonal(claims []state.Claim) bool {
	return slices.ContainsFunc(claims, func(c state.Claim) bool { return c.Reach == state.WithinZone })
}

// overrun gives head alone, with one CronJob whose Jobs do not end.
func (v Variant) overrun() (Variant, rules.Facets) {
	asks := v.Dropped.Overlap && v.Spec.Events.JobOverrun == 0
	v = v.only(state.Head)
	v.Spec.Events = state.Events{JobOverrun: 1}
	if !asks {
		return v, 0
	}
	return v, all
}

// idleMemory is the share of its requested memory that a pod is assumed to use without load, in percent: requests that
// fit a program are mostly used.
const idleMemory = 60

// idle gives head alone, with a load that comes and goes, over memory that stays in use.
func (v Variant) idle() (Variant, rules.Facets) {
	was, dropped := v.Spec.Events, v.Dropped.Memory
	v = v.only(state.Head)
	v.Spec.Events = state.Events{LoadChange: min(was.LoadChange, 2), IdleMemory: idleMemory}
	if !dropped || was.IdleMemory > 0 || was.LoadChange == 0 {
		return v, 0
	}
	return v, all
}

// running gives head alone, with events that take pods away: one of each kind that the policy declares. A Job is done
// once a cluster has settled, so events find none of its pods there. If the loss of a pod shows more than its
// replacement, the events may happen from head's start on.
func (v Variant) running() (Variant, rules.Facets) {
	e := v.Spec.Events
	v = v.only(state.Head)
	v.Spec.Events = state.Events{
		Drain: min(e.Drain, 1), DrainConcurrency: 1, IgnorePDB: e.IgnorePDB, KeepsBare: e.KeepsBare,
		NodeFailure: min(e.NodeFailure, 1), OutOfService: e.OutOfService,
		SpotReclaim: min(e.SpotReclaim, 1), SpotLost: e.SpotLost,
	}
	if e.Drain+e.NodeFailure+e.SpotReclaim == 0 {
		return v, 0
	}
	var asked rules.Facets
	if slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		m := &w.Manifests[state.Head]
		return m.Exists() && m.DiesOfDisruption()
	}) {
		asked |= rules.Unreplaced
	}
	if slices.ContainsFunc(v.Spec.Quotas, func(q state.Quota) bool {
		in := q.Queues[state.Head]
		return in != nil && in.Ready != nil && in.Ready.Block && in.Ready.NoRecovery
	}) {
		asked |= rules.Unplaced
	}
	return v, asked
}

// beginning is a set of settled states in which the same workloads lack pods.
type beginning struct {
	lack   []bool // by workload
	states [][]byte
}

// beginnings groups settled states by the workloads that lack pods in them, and keeps those in which no fewer could. A
// workload that fits on no node lacks pods in all of them, and does not keep the others from being probed. A probe
// looks at a workload in states in which it has its pods: otherwise another rule says why it does not run.
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

// lacking reports whether some pod of a workload has no node, or waits for a volume, or was never created: a pod that
// does not run is reported by other rules, and cannot be rolled out either.
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

// whoLacks are the workloads that a probe does not look at.
func (p *probe) whoLacks() func(s state.State, w int) bool {
	if p.lacks == nil {
		return pending
	}
	return p.lacks
}
