package slice

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// outside are pods of one workload beside the slice, of one priority.
type outside struct {
	id       string
	priority int32
}

// hold notes the workloads that are held still though something may move them. on are the pods on each node.
func (sl *Slice) hold(p *policies.Policy, on func(node string) []outside) {
	sl.holdMoved(p, on)
	sl.holdPreempted(p, on)
}

// holdMoved notes those on the nodes that the slice meets, where a loop or an event clears nodes.
func (sl *Slice) holdMoved(p *policies.Policy, on func(node string) []outside) {
	var movers []any
	if !p.Events.NoDrain {
		movers = append(movers, "drain")
	}
	if p.Controllers.Descheduler != nil {
		movers = append(movers, "descheduler")
	}
	if slices.ContainsFunc(p.Cluster.Pools,
		func(pool policies.NodePool) bool { return pool.Autoscaled && !pool.Derived }) {
		movers = append(movers, "autoscaler")
	}
	held := map[string]bool{}
	for _, n := range p.Cluster.Nodes {
		for _, o := range on(n.Name) {
			held[o.id] = true
		}
	}
	if len(movers) == 0 || len(held) == 0 {
		return
	}
	sl.Notes = finding.AppendNew(sl.Notes,
		finding.Say(finding.HeldStill, movers...).With(slices.Sorted(maps.Keys(held))...))
}

// holdPreempted notes those whose pods one of the slice may preempt, as it outranks them on a node that lacks its
// requests.
func (sl *Slice) holdPreempted(p *policies.Policy, on func(node string) []outside) {
	by, top := sl.preempts()
	if by == "" {
		return
	}
	held := map[string]bool{}
	for _, n := range p.Cluster.Nodes {
		b := p.Cluster.Beside[n.Name]
		if b == nil || !sl.crowdedBy(n, b) {
			continue
		}
		for _, o := range on(n.Name) {
			if o.priority < top {
				held[o.id] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(held)) {
		sl.Notes = finding.AppendNew(sl.Notes, finding.Say(finding.PreemptedLeftOut, by).On(id))
	}
}

// preempts is the workload of a slice with the highest priority of those whose pods preempt, and this
// priority; "" where none does.
func (sl *Slice) preempts() (workload string, priority int32) {
	priority = math.MinInt32
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		for v := range w.Manifests {
			m := &w.Manifests[v]
			if !m.Exists() {
				continue
			}
			pod := &corev1.Pod{Spec: *m.Pod()}
			if scheduler.NeverPreempts(&sl.Spec, pod, state.Version(v)) {
				continue
			}
			if n, ok := scheduler.PriorityOf(&sl.Spec, pod, state.Version(v)); ok && (workload == "" || n > priority) {
				workload, priority = w.ID, n
			}
		}
	}
	return workload, priority
}
