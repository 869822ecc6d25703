package control

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// service is what of a node moves: what the node controllers write on it while it is
// cordoned, lost or under pressure.
type service uint8

const (
	cordoned    service = 1 << iota // spec.unschedulable, and the taint that follows it
	lost                            // node.kubernetes.io/unreachable
	deleting                        // ToBeDeletedByClusterAutoscaler
	gone                            // the node is not there: tolerated by nobody
	diskShort                       // node.kubernetes.io/disk-pressure
	memoryShort                     // node.kubernetes.io/memory-pressure
)

// tainting lists what of a node puts taints on it.
func tainting() [5]service { return [...]service{cordoned, lost, deleting, diskShort, memoryShort} }

// toBeDeleted is the taint that the cluster autoscaler puts on a node that it removes.
const toBeDeleted = "ToBeDeletedByClusterAutoscaler"

// karpenterDisrupted is the taint that Karpenter puts on a node that it takes away.
const karpenterDisrupted = "karpenter.sh/disrupted"

// serviceTaints are the taints that the node lifecycle controller keeps on a node.
//
// Upstream: pkg/controller/nodelifecycle: nodeConditionToTaintKeyStatusMap,
// doNoScheduleTaintingPass, markNodeForTainting with UnreachableTaintTemplate.
func serviceTaints(is service) []corev1.Taint {
	var out []corev1.Taint
	if is&cordoned != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&lost != 0 {
		out = append(out,
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule},
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
	}
	if is&deleting != 0 {
		out = append(out, corev1.Taint{Key: toBeDeleted, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&diskShort != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule})
	}
	if is&memoryShort != 0 {
		out = append(out, corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule})
	}
	return out
}

// taints is how many taints a node in such a service has.
func (is service) taints() int {
	count := 0
	for rest := is & (cordoned | deleting | diskShort | memoryShort); rest != 0; rest &= rest - 1 {
		count++
	}
	if is&lost != 0 {
		count += 2
	}
	return count
}

// serviceOf reads which taints node n has for its service, and whether it is there.
func serviceOf(s state.State, n int) service {
	var out service
	if s.Cordoned(n) {
		out |= cordoned
	}
	if s.Down(n) {
		out |= lost
	}
	if s.Tenure(n) == state.ScalingDown {
		out |= deleting
	}
	if s.Gone(n) {
		out |= gone
	}
	if p := s.Pressure(n); p != 0 {
		if p&state.DiskPressure != 0 {
			out |= diskShort
		}
		if p&state.MemoryPressure != 0 {
			out |= memoryShort
		}
	}
	return out
}

// standsService gives what of a node out of service class p's pods tolerate.
func standsService(pod *corev1.Pod) service {
	var out service
	for _, is := range tainting() {
		tolerates := true
		for _, t := range serviceTaints(is) {
			tolerates = tolerates && corev1helpers.TolerationsTolerateTaint(noLog(), pod.Spec.Tolerations, &t, false)
		}
		if tolerates {
			out |= is
		}
	}
	return out
}

// loadService reads which nodes are out of service, where that can be at all.
func (v *view) loadService(k *compiled, s state.State) {
	if !k.moving {
		return
	}
	v.service = grow(v.service, len(k.nodes))
	for n := range k.nodes {
		v.service[n] = serviceOf(s, n)
	}
}

// tainted says whether node n has a taint for its service that class p does not tolerate.
func (k *compiled) tainted(v *view, p, n int) bool {
	return k.moving && v.service[n]&^k.classes[p].stands != 0
}

// refusedByNode gives the first of the plugins NodeUnschedulable, TaintToleration and
// NodeAffinity that keeps class p from node n.
func (k *compiled) refusedByNode(v *view, p, n int) reasonCode {
	code := k.classes[p].static[n]
	if k.moving && v.service[n]&gone != 0 {
		return reasonGone
	}
	if !k.tainted(v, p, n) || code == reasonUnschedulable {
		return code
	}
	if k.classes[p].profile.filters(state.NodeUnschedulable) && v.service[n]&^k.classes[p].stands&cordoned != 0 {
		return reasonUnschedulable
	}
	if k.classes[p].profile.filters(state.TaintToleration) {
		return reasonTaint
	}
	return code
}

// honors says whether a constraint leaves node n out: it is not there, or its taints are
// looked at.
func (k *compiled) honors(v *view, p int, t *spreadTerm, n int) bool {
	return k.moving && v.service[n]&gone != 0 || !t.ignoresTaints && k.tainted(v, p, n)
}

// leastInService is the fewest pods in a domain of a constraint, and how many domains it
// has, without nodes that it leaves out.
func (k *compiled) leastInService(v *view, p int, t *spreadTerm, counts []int64) (least int64, domains int) {
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
