package descheduler

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// nodeAffinity compiles RemovePodsViolatingNodeAffinity.
//
// Upstream: removepodsviolatingnodeaffinity: Deschedule, processNodes; node:
// GetBestNodeWeightGivenPodPreferredAffinity, PodMatchNodeSelector.
func (k *deschedCompiled) nodeAffinity(plugin *deschedPlugin, a *state.NodeAffinityArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	for _, kind := range a.Types {
		bad, weight := make([][]bool, len(k.classes)), make([][]int32, len(k.classes))
		for p := range k.classes {
			pod := k.classes[p].pod
			bad[p] = make([]bool, len(k.nodes))
			if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
				continue
			}
			for n := range k.nodes {
				switch affinity := pod.Spec.Affinity.NodeAffinity; {
				case kind == scheduler.RequiredField && affinity.RequiredDuringSchedulingIgnoredDuringExecution != nil:
					bad[p][n] = !matchesNode(pod, k.nodes[n].object)
				case kind == scheduler.PreferredField:
					weight[p] = append(weight[p], preferredWeight(affinity, k.nodes[n].object))
				}
			}
		}
		plugin.violates = append(plugin.violates, violation{bad: bad, weight: weight})
	}
	plugin.needsFit = true
	plugin.run = removeViolating
	plugin.because = func(k *deschedCompiled, s state.State, p int) []actor.Ref {
		return []actor.Ref{templateRef(k, s, p, "affinity.nodeAffinity")}
	}
	return nil
}

// preferredWeight is upstream's utils.GetNodeWeightGivenPodPreferredAffinity.
func preferredWeight(a *corev1.NodeAffinity, node *corev1.Node) int32 {
	var sum int32
	for _, t := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		ok, err := schedulinghelpers.MatchNodeSelectorTerms(node,
			&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{t.Preference}})
		if err == nil && ok {
			sum += t.Weight
		}
	}
	return sum
}

// nodeTaints compiles RemovePodsViolatingNodeTaints.
//
// Upstream: removepodsviolatingnodetaints: New, Deschedule.
func (k *deschedCompiled) nodeTaints(plugin *deschedPlugin, a *state.NodeTaintsArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	named := func(list []string, t *corev1.Taint) bool {
		return slices.Contains(list, t.Key) || t.Value != "" && slices.Contains(list, t.Key+"="+t.Value)
	}
	counts := func(t *corev1.Taint) bool {
		effect := t.Effect == corev1.TaintEffectNoSchedule ||
			a.PreferNoSchedule && t.Effect == corev1.TaintEffectPreferNoSchedule
		return effect && !named(a.Excluded, t) && (a.Included == nil || named(a.Included, t))
	}
	var v violation
	for p := range k.classes {
		var bad []bool
		for n := range k.nodes {
			bad = append(bad, !toleratesAll(k.classes[p].pod, k.nodes[n].object, counts))
		}
		v.bad, v.moving = append(v.bad, bad), append(v.moving, k.movingTaints(p, counts))
	}
	plugin.violates = []violation{v}
	plugin.run = removeViolating
	plugin.because = func(k *deschedCompiled, s state.State, p int) []actor.Ref {
		return []actor.Ref{templateRef(k, s, p, "tolerations")}
	}
	return nil
}

// removeViolating evicts the pods on nodes that they violate.
func removeViolating(r *descheduling, plugin *deschedPlugin) {
	for i := range plugin.violates {
		clear(r.cand)
		for n := range r.k.nodes {
			if !r.ready[n] {
				continue
			}
			for p := range r.k.classes {
				if plugin.selects[p] && r.live(n, p) > 0 && r.violates(&plugin.violates[i], p, n) &&
					r.evictable(plugin.evictor, p) && r.mayLeave(plugin.evictor, p, n) &&
					(!plugin.needsFit || r.fitsListed(p, n)) {
					r.nominate(n, p)
				}
			}
		}
		r.evictNodes(plugin)
	}
}

// fitsListed is upstream's node.PodFitsAnyNode for a pod of class p on node own.
func (r *descheduling) fitsListed(p, own int) bool {
	for n := range r.k.nodes {
		if r.ready[n] && r.fits(p, own, n) {
			return true
		}
	}
	return false
}

// antiAffinity compiles RemovePodsViolatingInterPodAntiAffinity.
//
// Upstream: removepodsviolatinginterpodantiaffinity: Deschedule.
func (k *deschedCompiled) antiAffinity(plugin *deschedPlugin, a *state.AntiAffinityArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	plugin.run = removeAntiAffine
	plugin.because = func(k *deschedCompiled, s state.State, p int) []actor.Ref {
		return []actor.Ref{templateRef(k, s, p, scheduler.PodAffinityField(true, scheduler.RequiredField))}
	}
	return nil
}

// removeAntiAffine evicts pods that repel an assigned pod, one after the other: an evicted pod no longer repels others.
// A pod that repels none at its turn will not later, so only the order of those that do matters.
func removeAntiAffine(r *descheduling, plugin *deschedPlugin) {
	for n := range r.left {
		r.left[n] = r.ready[n] && r.anyAntiAffine(plugin, n)
	}
	ordered := r.careful
	r.careful = true // the order of nodes matters in any case
	for n := r.nextNode(); n >= 0; n = r.nextNode() {
		if r.removeAntiAffineOn(plugin, n) == totalExhausted {
			break
		}
	}
	r.careful = ordered
}

func (r *descheduling) anyAntiAffine(plugin *deschedPlugin, n int) bool {
	for p := range r.k.classes {
		if r.live(n, p) > 0 && r.isAntiAffine(plugin, n, p) {
			return true
		}
	}
	return false
}

// removeAntiAffineOn goes through the pods of node n by priority and quality of service.
func (r *descheduling) removeAntiAffineOn(plugin *deschedPlugin, n int) deschedVerdict {
	for p := range r.k.classes {
		r.nominate(n, p)
	}
	for {
		best, options := int64(0), 0
		for p := range r.k.classes {
			for i := range state.LivePhases {
				rank := r.k.classes[p].rank
				if r.cand[r.at(n, p, i)] == 0 || options > 0 && rank > best || !r.isAntiAffine(plugin, n, p) {
					continue
				}
				if options == 0 || rank < best {
					best, options = rank, 0
				}
				options++
			}
		}
		if options == 0 {
			break
		}
		if v := r.evictChosen(plugin, n, best, r.choose(options)); v == nodeExhausted || v == totalExhausted {
			clear(r.cand)
			return v
		}
	}
	clear(r.cand)
	return evictedPod
}

// evictChosen evicts a pod of the chosen one among the groups of a rank on node n.
func (r *descheduling) evictChosen(plugin *deschedPlugin, n int, rank int64, chosen int) deschedVerdict {
	for p := range r.k.classes {
		for i, ph := range state.LivePhases {
			at := r.at(n, p, i)
			if r.cand[at] == 0 || r.k.classes[p].rank != rank || !r.isAntiAffine(plugin, n, p) {
				continue
			}
			if chosen == 0 {
				r.cand[at]--
				return r.request(plugin, n, p, ph)
			}
			chosen--
		}
	}
	return refusedPod
}

// isAntiAffine reports whether a live pod of class p on node n is to be evicted: one of its
// terms names an assigned pod in its topology. Pods on deletion are assigned, too, but
// those evicted in this run are not.
//
// Upstream: utils: CheckPodsWithAntiAffinityExist, hasSameLabelValue.
func (r *descheduling) isAntiAffine(plugin *deschedPlugin, n, p int) bool {
	class := &r.k.classes[p]
	if len(class.anti) == 0 || !plugin.selects[p] || !r.evictable(plugin.evictor, p) || !r.mayLeave(plugin.evictor, p, n) {
		return false
	}
	for i := range class.anti {
		t := &class.anti[i]
		for m := range r.k.nodes {
			if !r.ready[m] || m != n && !r.sameDomain(t, n, m) {
				continue
			}
			for _, q := range t.match {
				if !plugin.selects[q] {
					continue
				}
				others := r.held(m, q) - r.evictedSince(r.before, m, q)
				if q == p && m == n {
					others--
				}
				if others > 0 {
					return true
				}
			}
		}
	}
	return false
}

func (r *descheduling) sameDomain(t *antiTerm, a, b int) bool {
	return t.has[a] && t.has[b] && r.k.nodes[a].object.Labels[t.key] == r.k.nodes[b].object.Labels[t.key]
}

// templateRef names a field of a pod template.
func templateRef(k *deschedCompiled, s state.State, p int, field string) actor.Ref {
	v := objects.Version(k.cfg, p)
	if k.cfg.Pods[p].InBase && s.VersionOfClass(p) == state.Base {
		v = state.Base
	}
	return actor.Ref{Object: k.workload(p).ID, Version: v, Field: fmt.Sprintf("spec.template.spec.%s", field)}
}
