package scheduler

import (
	"github.com/kubesettle/kubesettle/verify/state"
)

// decide schedules one pod of class p in the loaded state: it sets v.why, v.feasible,
// the scores and v.best. self is the node that the pod is nominated to, or -1.
//
// Upstream: (*Scheduler).schedulePod: findNodesThatFitPod, prioritizeNodes.
func (k *Compiled) decide(v *View, p, self int) {
	k.filterFor(v, p, self)
	v.best = v.best[:0]
	if len(v.Feasible) <= 1 { // a single node is taken without scores
		v.best = append(v.best, v.Feasible...)
		return
	}
	k.score(v, p)
	top := v.sum[0]
	for _, sum := range v.sum {
		top = max(top, sum)
	}
	for i, n := range v.Feasible {
		if v.sum[i] == top {
			v.best = append(v.best, n)
		}
	}
}

// Filter runs PreFilter and Filter of every plugin for a pod that is nominated nowhere.
func (k *Compiled) Filter(v *View, p int) { k.filterFor(v, p, -1) }

// filterFor is [Compiled.Filter] for a pod that is nominated to node self, or -1. That
// node is taken where it is feasible (evaluateNominatedNode).
func (k *Compiled) filterFor(v *View, p, self int) {
	v.taken = 0
	v.Feasible = v.Feasible[:0]
	k.preFilterSpread(v, p)
	k.preFilterPods(v, p)
	if self >= 0 {
		if code, _ := k.admits(v, p, self, self); code == reasonNone {
			clear(v.why)
			v.Feasible = append(v.Feasible, self)
			return
		}
	}
	for n := range k.Nodes {
		if v.only > 0 && n != v.only-1 {
			v.why[n] = reasonNodeAffinity // PreFilterResult of the node's name
			continue
		}
		code, at := k.admits(v, p, n, self)
		v.why[n], v.at[n] = code, int32(at)
		if code == reasonNone {
			v.Feasible = append(v.Feasible, n)
		}
	}
}

// refusal gives the first plugin that keeps class p from node n, in upstream's order.
func (k *Compiled) refusal(v *View, p, n int) (reasonCode, int) {
	class := &k.Classes[p]
	if code := k.refusedByNode(v, p, n); code != reasonNone {
		return code, 0
	}
	if len(class.conflict) > 0 && v.CountAll(n, class.conflict) > 0 {
		return reasonPorts, 0
	}
	if class.profile.filters(state.NodeResourcesFit) && !k.fits(v, p, n) {
		return reasonResources, 0
	}
	if len(k.Cfg.Uses[p]) > 0 {
		if code, at := k.refusedByVolumes(v, p, n); code != reasonNone {
			return code, at
		}
	}
	if code, at := k.filterSpread(v, p, n); code != reasonNone {
		return code, at
	}
	return k.filterPods(v, p, n)
}

// score runs PreScore, Score and NormalizeScore of every plugin over the feasible nodes
// and sums them up by weight.
//
// Upstream: framework/runtime: RunScorePlugins.
func (k *Compiled) score(v *View, p int) {
	class := &k.Classes[p]
	for s := range scorers {
		v.raw[s], v.final[s] = v.raw[s][:len(v.Feasible)], v.final[s][:len(v.Feasible)]
		clear(v.raw[s])
		clear(v.final[s])
		if class.profile.weight[s] == 0 {
			continue
		}
		switch s {
		case scoreTaints:
			k.scoreStatic(v, s, class.taints, true)
		case scoreNodeAffinity:
			if class.prefers {
				k.scoreStatic(v, s, class.affinity, false)
			}
		case scoreFit:
			k.scoreEach(v, s, p, k.scoreResources)
		case scoreSpread:
			k.scoreSpread(v, p)
		case scorePodAffinity:
			k.scorePods(v, p)
		case scoreBalanced:
			if !class.noBal {
				k.scoreEach(v, s, p, k.scoreBalance)
			}
		case scoreImages:
			for i, n := range v.Feasible {
				v.raw[s][i], v.final[s][i] = class.images[n], class.images[n]
			}
		}
	}
	v.sum = v.sum[:len(v.Feasible)]
	clear(v.sum)
	for s := range scorers {
		for i, x := range v.final[s] {
			v.sum[i] += class.profile.weight[s] * x
		}
	}
}

// scoreEach scores by a resource plugin; invented capacity tells no nodes apart.
func (k *Compiled) scoreEach(v *View, s scorer, p int, score func(*View, int, int) int64) {
	if k.elastic {
		return
	}
	for i, n := range v.Feasible {
		x := score(v, p, n)
		v.raw[s][i], v.final[s][i] = x, x
	}
}

// scoreStatic scores by a number of each node and normalizes.
//
// Upstream: plugins/helper: DefaultNormalizeScore.
func (k *Compiled) scoreStatic(v *View, s scorer, byNode []int64, reverse bool) {
	var most int64
	for i, n := range v.Feasible {
		v.raw[s][i] = byNode[n]
		most = max(most, byNode[n])
	}
	for i, raw := range v.raw[s] {
		x := raw
		if most != 0 {
			x = maxNodeScore * raw / most
		}
		if reverse {
			x = maxNodeScore - x
		}
		v.final[s][i] = x
	}
}

// Decision is how the scheduler would place one pending pod.
type Decision struct {
	Feasible []int         // nodes that pass every filter, ascending
	Why      []Reason      // why each other node does not
	Scores   []PluginScore // by plugin in upstream's order; empty for fewer than two feasible nodes
	Total    []int64       // of each feasible node
	Best     []int         // nodes of the highest total; upstream draws one at random
}

// meant is the node that a pending pod of class p was made for, plus 1: the one that it is
// nominated to or else the first; 0 where its pods may go anywhere.
func (k *Compiled) meant(s state.State, p, self int) int {
	if !s.C.Pods[p].PerNode {
		return 0
	}
	if self >= 0 {
		return self + 1
	}
	for n := range s.C.Nodes {
		if s.Awaited(n, p) > 0 {
			return n + 1
		}
	}
	return 0
}

// PluginScore is the score that one plugin gives each feasible node.
type PluginScore struct {
	Plugin string
	Raw    []int64 // as Score returns it
	Final  []int64 // after NormalizeScore, times the plugin's weight
}

// Decide says how a pod of class p would be placed in s. It is what [Scheduler.Step]
// does, laid open for tests and for words.
func (a *Scheduler) Decide(s state.State, p int) Decision {
	return a.decideFor(s, p, a.K.anySelf(s, p))
}

// decideFor is [Scheduler.Decide] for a pod that is nominated to node self, or -1.
func (a *Scheduler) decideFor(s state.State, p, self int) Decision {
	v := &View{}
	v.Load(a.K, s)
	v.only = a.K.meant(s, p, self)
	a.K.decide(v, p, self)
	d := Decision{
		Feasible: append([]int(nil), v.Feasible...),
		Best:     append([]int(nil), v.best...),
		Why:      a.K.reasons(v, s, p),
	}
	if len(v.Feasible) < 2 {
		return d
	}
	d.Total = append([]int64(nil), v.sum...)
	weight := &a.K.Classes[p].profile.weight
	for i, name := range scorerNames() {
		if weight[i] == 0 {
			continue
		}
		score := PluginScore{Plugin: name, Raw: append([]int64(nil), v.raw[i]...)}
		for _, x := range v.final[i] {
			score.Final = append(score.Final, x*weight[i])
		}
		d.Scores = append(d.Scores, score)
	}
	return d
}
