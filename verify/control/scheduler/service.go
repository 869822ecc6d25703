package scheduler

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Service is what of a node moves: what the node controllers write on it while it is
// cordoned, lost or under pressure.
type Service uint8

const (
	Cordoned    Service = 1 << iota // spec.unschedulable, and the taint that follows it
	Lost                            // node.kubernetes.io/unreachable
	Deleting                        // ToBeDeletedByClusterAutoscaler
	Gone                            // the node is not there: no pod tolerates it
	DiskShort                       // node.kubernetes.io/disk-pressure
	MemoryShort                     // node.kubernetes.io/memory-pressure
)

// Tainting lists what of a node puts taints on it.
func Tainting() [5]Service { return [...]Service{Cordoned, Lost, Deleting, DiskShort, MemoryShort} }

// ToBeDeleted is the taint that the cluster autoscaler puts on a node that it removes.
const ToBeDeleted = "ToBeDeletedByClusterAutoscaler"

// KarpenterDisrupted is the taint that Karpenter puts on a node that it takes away.
const KarpenterDisrupted = "karpenter.sh/disrupted"

// ServiceTaints are the taints that the node lifecycle controller keeps on a node.
//
// Upstream: pkg/controller/nodelifecycle: nodeConditionToTaintKeyStatusMap,
// doNoScheduleTaintingPass, markNodeForTainting with UnreachableTaintTemplate.
func ServiceTaints(is Service) []corev1.Taint {
	var out []corev1.Taint
	if is&Cordoned != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&Lost != 0 {
		out = append(out,
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule},
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
	}
	if is&Deleting != 0 {
		out = append(out, corev1.Taint{Key: ToBeDeleted, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&DiskShort != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&MemoryShort != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule})
	}
	return out
}

// Taints is how many taints a node in such a service has.
func (is Service) Taints() int {
	count := 0
	for rest := is & (Cordoned | Deleting | DiskShort | MemoryShort); rest != 0; rest &= rest - 1 {
		count++
	}
	if is&Lost != 0 {
		count += 2
	}
	return count
}

// ServiceOf reads which taints node n has for its service, and whether it is there.
func ServiceOf(s state.State, n int) Service {
	var out Service
	if s.Cordoned(n) {
		out |= Cordoned
	}
	if s.Down(n) {
		out |= Lost
	}
	if s.Tenure(n) == state.ScalingDown {
		out |= Deleting
	}
	if s.Gone(n) {
		out |= Gone
	}
	if p := s.Pressure(n); p != 0 {
		if p&state.DiskPressure != 0 {
			out |= DiskShort
		}
		if p&state.MemoryPressure != 0 {
			out |= MemoryShort
		}
	}
	return out
}

// StandsService gives what of a node out of service class p's pods tolerate.
func StandsService(pod *corev1.Pod) Service {
	var out Service
	for _, is := range Tainting() {
		tolerates := true
		for _, t := range ServiceTaints(is) {
			tolerates = tolerates && corev1helpers.TolerationsTolerateTaint(objects.NoLog(), pod.Spec.Tolerations, &t, false)
		}
		if tolerates {
			out |= is
		}
	}
	return out
}

// loadService reads which nodes are out of service, where that can be at all.
func (v *View) loadService(k *Compiled, s state.State) {
	if !k.moving {
		return
	}
	v.service = Grow(v.service, len(k.Nodes))
	for n := range k.Nodes {
		v.service[n] = ServiceOf(s, n)
	}
}

// tainted reports whether node n has a taint for its service that class p does not tolerate.
func (k *Compiled) tainted(v *View, p, n int) bool {
	return k.moving && v.service[n]&^k.Classes[p].stands != 0
}

// refusedByNode gives the first of the plugins NodeUnschedulable, TaintToleration and
// NodeAffinity that keeps class p from node n.
func (k *Compiled) refusedByNode(v *View, p, n int) reasonCode {
	code := k.Classes[p].static[n]
	if k.moving && v.service[n]&Gone != 0 {
		return reasonGone
	}
	if !k.tainted(v, p, n) || code == reasonUnschedulable {
		return code
	}
	if k.Classes[p].profile.filters(state.NodeUnschedulable) && v.service[n]&^k.Classes[p].stands&Cordoned != 0 {
		return reasonUnschedulable
	}
	if k.Classes[p].profile.filters(state.TaintToleration) {
		return reasonTaint
	}
	return code
}

// honors reports whether a constraint leaves node n out: it is not there, or its taints are
// looked at.
func (k *Compiled) honors(v *View, p int, t *spreadTerm, n int) bool {
	return k.moving && v.service[n]&Gone != 0 || !t.ignoresTaints && k.tainted(v, p, n)
}

// leastInService is the fewest pods in a domain of a constraint, and how many domains it
// has, without nodes that it leaves out.
func (k *Compiled) leastInService(v *View, p int, t *spreadTerm, counts []int64) (least int64, domains int) {
	key := &k.keys[t.key]
	v.mark()
	least = math.MaxInt32
	for n, ok := range t.eligible {
		if !ok || k.honors(v, p, t, n) {
			continue
		}
		if d := key.domain[n]; v.seen[d] != v.epoch {
			v.seen[d] = v.epoch
			domains++
			least = min(least, counts[d])
		}
	}
	return least, domains
}
