package descheduler

import (
	"math"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// spreadMemory is the working of the topology spread plugin on one constraint.
type spreadMemory struct {
	size   []int  // by domain: pods that count; -1: no eligible node and no pod
	below  []bool // by node: in a domain below the ideal average
	rest   []int  // by node, class and phase: pods that the domains still have
	picked []int  // the same: pods picked for this constraint
	chosen []int  // the same: pods picked for any constraint
	slot   []int  // domains by size, ascending: present size
	origin []int  // the same: size at first
	holder []int  // the same: the domain, where it matters already, or -1
	given  []bool // by domain: stands in holder
}

// removeUnspread picks pods for every constraint that some evictable pod declares and
// then evicts them in any order.
func removeUnspread(r *descheduling, plugin *deschedPlugin) {
	groups := len(r.cand)
	r.rest, r.picked, r.chosen = scheduler.Grow(r.rest, groups), scheduler.Grow(r.picked,
		groups), scheduler.Grow(r.chosen, groups)
	r.below = scheduler.Grow(r.below, len(r.k.nodes))
	clear(r.chosen)
	for i := range plugin.constraints {
		rule := &plugin.constraints[i]
		if r.declared(plugin, rule) && r.measure(plugin, rule) {
			r.balance(plugin, rule)
			r.merge()
		}
	}
	for n := range r.k.nodes {
		for p := range r.k.classes {
			for i := range state.LivePhases {
				if at := r.at(n, p, i); r.chosen[at] > 0 && r.mayLeave(plugin.evictor, p, n) {
					r.cand[at] = r.chosen[at]
				}
			}
		}
	}
	r.evictPods(plugin, 0, len(r.k.nodes))
}

// counts reports whether the plugin looks at the pods of class p.
func (r *descheduling) counts(plugin *deschedPlugin, p int) bool {
	return plugin.selects[p] && r.evictable(plugin.evictor, p)
}

// declared reports whether a pod that the plugin looks at declares the constraint.
func (r *descheduling) declared(plugin *deschedPlugin, rule *spreadRule) bool {
	for _, p := range rule.owners {
		if !r.counts(plugin, p) {
			continue
		}
		for n := range r.k.nodes {
			if r.ready[n] && r.live(n, p) > 0 {
				return true
			}
		}
	}
	return false
}

// measure counts pods by domain and reports whether the domains are out of balance.
func (r *descheduling) measure(plugin *deschedPlugin, rule *spreadRule) bool {
	r.place(rule)
	r.size = scheduler.Grow(r.size, rule.domains)
	for d := range r.size {
		r.size[d] = -1
	}
	clear(r.rest)
	clear(r.picked)
	for n, d := range r.domain {
		if d < 0 {
			continue
		}
		if r.counted[n] {
			r.size[d] = max(r.size[d], 0)
		}
		for p := range r.k.classes {
			live := r.live(n, p)
			if live == 0 || !rule.match[p] || !r.counts(plugin, p) {
				continue
			}
			r.size[d] = max(r.size[d], 0) + live
			for i, ph := range state.LivePhases {
				r.rest[r.at(n, p, i)] = r.now.On(n, p, ph)
			}
		}
	}
	least, most := math.MaxInt32, 0
	for _, size := range r.size {
		if size >= 0 {
			least, most = min(least, size), max(most, size)
		}
	}
	return most-least > int(rule.identity.maxSkew)
}

// balance picks pods from the larger domains, as upstream's balanceDomains. Domains of
// equal size come in any order; which one stands at a place is chosen when it first
// gives pods away.
func (r *descheduling) balance(plugin *deschedPlugin, rule *spreadRule) {
	r.given = scheduler.Grow(r.given, rule.domains)
	clear(r.given)
	r.slot = r.slot[:0]
	sum := 0
	for _, size := range r.size {
		if size >= 0 {
			r.slot, sum = append(r.slot, size), sum+size
		}
	}
	slices.Sort(r.slot)
	r.origin = append(r.origin[:0], r.slot...)
	r.holder = scheduler.Grow(r.holder, len(r.slot))
	for i := range r.holder {
		r.holder[i] = -1
	}
	average := float64(sum) / float64(len(r.slot))
	for n, d := range r.domain {
		r.below[n] = d >= 0 && r.counted[n] && r.size[d] >= 0 && float64(r.size[d]) < average
	}
	i, j := 0, len(r.slot)-1
	for i < j {
		if float64(r.slot[j]) <= average {
			j--
		}
		skew := float64(r.slot[j] - r.slot[i])
		if int32(skew) <= rule.identity.maxSkew {
			i++
			continue
		}
		above := math.Ceil(float64(r.slot[j]) - average)
		short := math.Ceil(average - float64(r.slot[i]))
		half := math.Ceil((skew - float64(rule.identity.maxSkew)) / 2)
		move := int(math.Min(math.Min(above, short), half))
		if move <= 0 {
			i++
			continue
		}
		if r.holder[j] < 0 {
			r.holder[j] = r.chooseDomain(rule, r.origin[j])
		}
		r.pick(plugin, rule, int32(r.holder[j]), move)
		r.slot[j] -= move
		r.slot[i] += move
	}
}

// chooseDomain gives one of the domains of a size that no place has yet.
func (r *descheduling) chooseDomain(rule *spreadRule, size int) int {
	options := 0
	for d := range r.size {
		if r.isDomainOption(rule, d, size) {
			options++
		}
	}
	chosen := r.choose(options)
	for d := range r.size {
		if !r.isDomainOption(rule, d, size) {
			continue
		}
		if chosen == 0 {
			r.given[d] = true
			return d
		}
		chosen--
	}
	panic("control: no domain of the size that a domain has")
}

// isDomainOption reports whether a domain may be chosen next. Domains of one node each that only a name tells from the
// one before are left out.
func (r *descheduling) isDomainOption(rule *spreadRule, d, size int) bool {
	if r.given[d] || r.size[d] != size {
		return false
	}
	n := r.onlyNode(rule, d)
	if n <= 0 || !r.alike(n) {
		return true
	}
	before := int(r.domain[n-1])
	return before < 0 || r.given[before] || r.onlyNode(rule, before) < 0 || r.mixes(n)
}

// onlyNode is the node of a domain that has one, or -1.
func (r *descheduling) onlyNode(rule *spreadRule, d int) int {
	only := -1
	for n, x := range r.domain {
		if int(x) == d {
			if only >= 0 {
				return -1
			}
			only = n
		}
	}
	return only
}

// mixes reports whether earlier constraints picked different pods of node n and the one
// before.
func (r *descheduling) mixes(n int) bool {
	per := len(r.k.classes) * len(state.LivePhases)
	return !slices.Equal(r.chosen[n*per:(n+1)*per], r.chosen[(n-1)*per:n*per])
}

// pick takes count pods of domain d from the back of upstream's list: those that fit a
// node below the average first; of these, those without node selector or affinity; of
// these, those of higher priority. Which of equal pods go is a choice.
func (r *descheduling) pick(plugin *deschedPlugin, rule *spreadRule, d int32, count int) {
	for count > 0 {
		best, total := int64(math.MinInt64), 0
		for n, x := range r.domain {
			for p := range r.k.classes {
				rest := 0
				for i := range state.LivePhases {
					rest += r.rest[r.at(n, p, i)]
				}
				if x != d || rest == 0 {
					continue
				}
				switch key := r.giveRank(p, n); {
				case key > best:
					best, total = key, rest
				case key == best:
					total += rest
				}
			}
		}
		if total == 0 {
			panic("control: a domain has fewer pods than were counted")
		}
		take := min(count, total)
		r.pickTier(plugin, rule, d, best, take, total)
		count -= take
	}
}

// pickTier takes some of the total pods of one rank.
func (r *descheduling) pickTier(plugin *deschedPlugin, rule *spreadRule, d int32, rank int64, take, total int) {
	for n, x := range r.domain {
		if x != d {
			continue
		}
		for p := range r.k.classes {
			for i := range state.LivePhases {
				at := r.at(n, p, i)
				have := r.rest[at]
				if have == 0 || r.giveRank(p, n) != rank {
					continue
				}
				total -= have
				least, most := max(0, take-total), min(have, take)
				k := least + r.choose(most-least+1)
				take -= k
				r.rest[at] -= k
				if !plugin.balanceFit || r.fitsAnother(p, n, r.below) {
					r.picked[at] += k
				}
			}
		}
	}
}

// giveRank orders pods by when they are given away: higher first.
//
// Upstream: sortDomains and the stable sort in balanceDomains.
func (r *descheduling) giveRank(p, n int) int64 {
	rank := int64(r.k.classes[p].priority) + 1<<32
	if !r.k.classes[p].bound {
		rank += 1 << 34
	}
	if r.fitsAnother(p, n, r.below) {
		rank += 1 << 36
	}
	return rank
}

// merge adds the pods picked for a constraint to those picked for others: the same ones
// or different ones.
func (r *descheduling) merge() {
	for n := range r.k.nodes {
		for p := range r.k.classes {
			for i, ph := range state.LivePhases {
				at := r.at(n, p, i)
				a, b := r.chosen[at], r.picked[at]
				least, most := max(a, b), min(a+b, r.now.On(n, p, ph))
				r.chosen[at] = least + r.choose(most-least+1)
			}
		}
	}
}
