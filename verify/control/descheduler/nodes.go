package descheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// nodesMemory is what of the nodes moves, as one cycle sees it: it reads them once.
type nodesMemory struct {
	status  []scheduler.Service // by node
	up      []bool              // by node: there, and ready
	ready   []bool              // by node: up, and selected by the policy
	listed  int                 // nodes that are ready
	domain  []int32             // by node: its domain for the present spread constraint, or -1
	counted []bool              // by node: it makes its domain one of that constraint's
}

// isReady is upstream's node.IsReady.
func isReady(node *corev1.Node) bool {
	return !slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
	})
}

// loadNodes reads which nodes are ready, and which taints the moving ones have.
//
// Upstream: node: ReadyNodesFromInterfaces; an unschedulable node is listed.
func (r *descheduling) loadNodes(s state.State) {
	nodes := len(r.k.nodes)
	r.status, r.up, r.ready = scheduler.Grow(r.status, nodes), scheduler.Grow(r.up, nodes), scheduler.Grow(r.ready, nodes)
	r.domain, r.counted = scheduler.Grow(r.domain, nodes), scheduler.Grow(r.counted, nodes)
	r.listed = 0
	for n := range r.k.nodes {
		r.status[n] = 0
		if r.k.moving {
			r.status[n] = scheduler.ServiceOf(s, n)
		}
		r.up[n] = r.k.nodes[n].ready && r.status[n]&(scheduler.Lost|scheduler.Gone) == 0
		if r.ready[n] = r.up[n] && r.k.nodes[n].listed; r.ready[n] {
			r.listed++
		}
	}
}

// tolerates reports whether pods of class p tolerate the taint of a node that is out of service.
func (r *descheduling) tolerates(p, n int) bool { return r.status[n]&^r.k.classes[p].stands == 0 }

// lands reports whether a pod of class p could run on node n apart from the pods there: it is schedulable, selected and
// tolerated.
func (r *descheduling) lands(p, n int) bool {
	return r.k.classes[p].lands[n] && r.status[n]&scheduler.Cordoned == 0 && r.tolerates(p, n)
}

// place finds each node's domain for a spread constraint.
func (r *descheduling) place(rule *spreadRule) {
	for n, d := range rule.domain {
		r.domain[n] = -1
		if r.ready[n] {
			r.domain[n] = d
		}
		r.counted[n] = rule.eligible[n] && r.ready[n] && r.status[n]&^rule.stands == 0
	}
}

// targets counts the nodes that a duplicate of class p could land on; fewer than 2 are
// none.
func (r *descheduling) targets(plugin *deschedPlugin, p int) int {
	count := 0
	for n, ok := range plugin.target[p] {
		if ok && r.ready[n] && r.tolerates(p, n) {
			count++
		}
	}
	if count < 2 {
		return 0
	}
	return count
}

// violation is one reason to evict pods from the nodes they are on.
type violation struct {
	bad    [][]bool            // by class and node: whatever the state is
	weight [][]int32           // by class and node: bad is a lower weight than the best node's
	moving []scheduler.Service // by class: bad is a node with one of these taints
}

// violates reports whether pods of class p violate node n.
func (r *descheduling) violates(v *violation, p, n int) bool {
	switch {
	case v.bad != nil && v.bad[p][n], v.moving != nil && r.status[n]&v.moving[p] != 0:
		return true
	case v.weight == nil || v.weight[p] == nil:
		return false
	}
	best := int32(0)
	for m, w := range v.weight[p] {
		if r.ready[m] {
			best = max(best, w)
		}
	}
	return best > v.weight[p][n]
}

// movingTaints are the states of service whose taints pods of class p violate.
func (k *deschedCompiled) movingTaints(p int, counts func(*corev1.Taint) bool) scheduler.Service {
	var out scheduler.Service
	for _, is := range scheduler.Tainting() {
		if !toleratesTaints(k.classes[p].pod, scheduler.ServiceTaints(is), counts) {
			out |= is
		}
	}
	return out
}
