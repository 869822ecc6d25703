package descheduler

import (
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// verdict of one eviction request.
type deschedVerdict uint8

const (
	evictedPod     deschedVerdict = iota
	refusedPod                    // by the API server or the limit of a namespace: the next pod may go
	nodeExhausted                 // maxNoOfPodsToEvictPerNode
	totalExhausted                // maxNoOfPodsToEvictTotal
)

// request asks for the eviction of one pod.
//
// Upstream: evictions: (*PodEvictor).EvictPod, evictPod.
func (r *descheduling) request(plugin *deschedPlugin, n, p int, ph state.Phase) deschedVerdict {
	ns := r.k.classes[p].namespace
	verdict := evictedPod
	switch policy := r.k.policy; {
	case reached(policy.MaxTotal, r.total):
		verdict = totalExhausted
	case reached(policy.MaxPerNode, r.perNode[n]):
		verdict = nodeExhausted
	case reached(policy.MaxPerNamespace, r.perNamespace[ns]):
		verdict = refusedPod
	default:
		switch r.k.api.Ask(r.now, p, ph) {
		case objects.EvictionRefused:
			verdict = refusedPod
		case objects.EvictionUncertain:
			if r.choose(2) == 1 {
				// Takes nothing from anybody: no order matters but to a plugin that
				// then turns to another pod.
				r.refused = r.refused || plugin.use != nil
				return refusedPod
			}
		}
	}
	if verdict != evictedPod {
		r.refused = true
		return verdict
	}
	objects.Disrupt(r.now, n, p, ph)
	r.total++
	r.perNode[n]++
	r.perNamespace[ns]++
	return evictedPod
}

// reached reports whether a limit allows no further eviction.
func reached(limit *int, evicted int) bool { return limit != nil && evicted+1 > *limit }

// at is the place of a group of like pods in r.cand.
func (r *descheduling) at(n, p, phase int) int {
	return (n*len(r.k.classes)+p)*len(state.LivePhases) + phase
}

// nominate wants to evict all live pods of class p on node n.
func (r *descheduling) nominate(n, p int) {
	for i, ph := range state.LivePhases {
		r.cand[r.at(n, p, i)] = r.now.On(n, p, ph)
	}
}

// live counts the pods of class p on node n that are not on deletion.
func (r *descheduling) live(n, p int) int {
	return r.now.LiveOn(n, p)
}

// nominateSome wants to evict any count pods of class p on node n.
func (r *descheduling) nominateSome(n, p, count int) {
	rest := r.live(n, p)
	for i, ph := range state.LivePhases {
		have := r.now.On(n, p, ph)
		rest -= have
		least, most := max(0, count-rest), min(have, count)
		x := least + r.choose(most-least+1)
		r.cand[r.at(n, p, i)] = x
		count -= x
	}
}

// evictNodes evicts the nominated pods node by node, in any order of the nodes, and of
// the pods within each. It stops where the total is exhausted.
func (r *descheduling) evictNodes(plugin *deschedPlugin) {
	for n := range r.left {
		r.left[n] = r.isNominated(n)
		if r.left[n] && r.careful && r.isFree(n) { // no order matters
			r.left[n] = false
			r.evictPods(plugin, n, n+1)
		}
	}
	for n := r.nextNode(); n >= 0; n = r.nextNode() {
		if r.evictPods(plugin, n, n+1) == totalExhausted {
			return
		}
	}
}

func (r *descheduling) isNominated(n int) bool {
	for p := range r.k.classes {
		for i := range state.LivePhases {
			if r.cand[r.at(n, p, i)] > 0 {
				return true
			}
		}
	}
	return false
}

// isFree reports whether the nominated pods of node n share no limit with those of others.
func (r *descheduling) isFree(n int) bool {
	if r.k.policy.MaxTotal != nil || r.k.policy.MaxPerNamespace != nil {
		return false
	}
	for p := range r.k.classes {
		for i, ph := range state.LivePhases {
			if ph.IsReady() && r.cand[r.at(n, p, i)] > 0 && r.k.api.Covered(r.now, p) {
				return false
			}
		}
	}
	return true
}

// nextNode takes one of the nodes in r.left, or gives -1. Of equal nodes the first stands for all.
func (r *descheduling) nextNode() int {
	options := 0
	for n := range r.left {
		if r.isOption(n) {
			options++
		}
	}
	if options == 0 {
		return -1
	}
	chosen := 0
	if r.careful {
		chosen = r.choose(options)
	}
	for n := range r.left {
		if !r.isOption(n) {
			continue
		}
		if chosen == 0 {
			r.left[n] = false
			return n
		}
		chosen--
	}
	return -1
}

func (r *descheduling) isOption(n int) bool {
	if !r.left[n] {
		return false
	}
	return n == 0 || !r.left[n-1] || !r.alike(n)
}

// alike reports whether node n and the one before it are twins, at first and now.
func (r *descheduling) alike(n int) bool {
	return r.from.Twin(n) && r.before.Twin(n) && r.now.Twin(n)
}

// evictPods evicts the nominated pods of nodes from first to end-1 in any order. As refusals last, the outcomes of all
// orders are the largest sets that the limits and the API server allow.
func (r *descheduling) evictPods(plugin *deschedPlugin, first, end int) deschedVerdict {
	last := evictedPod
	for n := first; n < end; n++ {
		for p := range r.k.classes {
			for i, ph := range state.LivePhases {
				count := r.cand[r.at(n, p, i)]
				if r.careful {
					count = r.share(group{n, p, ph}, count, first, end)
				}
				for range count {
					v := r.request(plugin, n, p, ph)
					if v == evictedPod {
						r.cand[r.at(n, p, i)]--
					} else if last = v; v == totalExhausted {
						return v
					}
				}
			}
		}
	}
	if r.careful {
		r.dead = r.dead || r.moreWouldGo(first, end)
	}
	return last
}

// share chooses how many of count nominated pods go, of those nominated on nodes from
// first to end-1. Those that the API server is uncertain about are left to it.
func (r *descheduling) share(g group, count, first, end int) int {
	if count == 0 || g.phase == state.Starting && r.k.api.Ask(r.now, g.p, g.phase) == objects.EvictionUncertain {
		return count
	}
	room := r.room(g.n, g.p, g.phase, count)
	return room - r.choose(room-r.least(g, count, room, first, end)+1)
}

// least is how many pods of a group go at least in a largest set: fewer than room do
// only where others exhaust a limit.
func (r *descheduling) least(g group, count, room, first, end int) int {
	least := room
	scope := func(limit int, in func(o group) bool) {
		others := -count
		for n := first; n < end; n++ {
			for p := range r.k.classes {
				for i, ph := range state.LivePhases {
					if c := r.cand[r.at(n, p, i)]; c > 0 && in(group{n, p, ph}) {
						others += c
					}
				}
			}
		}
		least = min(least, max(limit-others, 0))
	}
	policy := r.k.policy
	if policy.MaxTotal != nil {
		scope(*policy.MaxTotal-r.total, func(group) bool { return true })
	}
	if policy.MaxPerNode != nil {
		scope(*policy.MaxPerNode-r.perNode[g.n], func(o group) bool { return o.n == g.n })
	}
	if ns := r.k.classes[g.p].namespace; policy.MaxPerNamespace != nil {
		scope(*policy.MaxPerNamespace-r.perNamespace[ns], func(o group) bool { return r.k.classes[o.p].namespace == ns })
	}
	if g.phase.IsReady() && r.k.api.Covered(r.now, g.p) {
		scope(r.k.api.Room(r.now, g.p, 1<<30),
			func(o group) bool { return o.phase.IsReady() && r.k.api.Share(r.now, g.p, o.p) })
	}
	return least
}

// room is how many of count pods the limits and the API server let go now.
func (r *descheduling) room(n, p int, ph state.Phase, count int) int {
	limit := func(max *int, evicted int) {
		if max != nil {
			count = min(count, *max-evicted)
		}
	}
	limit(r.k.policy.MaxTotal, r.total)
	limit(r.k.policy.MaxPerNode, r.perNode[n])
	limit(r.k.policy.MaxPerNamespace, r.perNamespace[r.k.classes[p].namespace])
	switch {
	case count <= 0:
		return 0
	case ph.IsReady():
		return r.k.api.Room(r.now, p, count)
	case r.now.Bad(p) && r.k.api.Ask(r.now, p, ph) == objects.EvictionRefused:
		return 0
	}
	return count
}

// moreWouldGo reports whether a nominated pod could still be evicted, so that the present
// set is not one of the largest.
func (r *descheduling) moreWouldGo(first, end int) bool {
	for n := first; n < end; n++ {
		for p := range r.k.classes {
			for i, ph := range state.LivePhases {
				count := r.cand[r.at(n, p, i)]
				if count == 0 || ph == state.Starting && r.k.api.Ask(r.now, p, ph) == objects.EvictionUncertain {
					continue
				}
				if r.room(n, p, ph, count) > 0 {
					return true
				}
			}
		}
	}
	return false
}
