package verify

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A slice with many pods is searched on rungs: first at reduced scales, smallest first,
// then as declared if it is within the bound (nodes times pods per node). A rung as
// declared that outgrows its states does not count; the largest reduced one that was
// explored in full does, and the result says so.
const (
	// fewPods is the number of pods up to which a slice is searched as declared only.
	fewPods = 8
	// rungStates bounds the states of one search of a slice that has several rungs.
	rungStates = 1_000_000
)

// belowFloor is the rule that the user may give a number of pods.
const belowFloor = "below-floor"

// gaps are the reduced scales that are tried, as the gap of [scale.Reduce].
var gaps = []int{2, 3, 4}

// plan is what is searched for a slice.
type plan struct {
	variant variant // as declared
	rungs   []rung  // smallest numbers first; at least one
}

// rung is a slice at one scale of its numbers.
type rung struct {
	variant    variant
	topologies []scale.Topology
}

// asDeclared says whether nothing was reduced.
func (v variant) asDeclared() bool { return v.gap == 0 }

// plan lays out the rungs of a slice on given node classes.
func (a *analysis) plan(v variant) (plan, error) {
	p := plan{variant: v}
	bound := a.opt.Policy.Bound
	pods := scale.Pods(&v.spec)
	if pods > fewPods {
		for _, gap := range gaps {
			r, err := a.reduced(v, gap)
			if err != nil || r.Pods() >= pods || slices.ContainsFunc(p.rungs, func(o rung) bool { return o.variant.Pods() == r.Pods() }) {
				continue // a slice that cannot be scaled down is searched as declared
			}
			topologies, err := scale.Topologies(r.spec.Classes, max(bound.Nodes, nodesToTell(r)))
			if err != nil {
				return p, err
			}
			p.rungs = append(p.rungs, rung{r, topologies})
		}
	}
	if pods <= bound.Nodes*bound.PodsPerNode || len(p.rungs) == 0 {
		topologies, err := scale.Topologies(v.spec.Classes, bound.Nodes)
		if err != nil {
			return p, err
		}
		p.rungs = append(p.rungs, rung{v, topologies})
	}
	return p, nil
}

// Pods is the most pods that the variant's manifests ask for at once, without surge.
func (v variant) Pods() int { return scale.Pods(&v.spec) }

// nodesToTell is the number of nodes up to which a reduced scale is searched, so that its
// declared topology is among them; 0 where nodes were not scaled.
func nodesToTell(v variant) int {
	largest := scale.Largest(v.spec.Classes).Total()
	if largest == scale.Largest(v.declared.Classes).Total() {
		return 0
	}
	return largest
}

// reduced gives a variant at a reduced scale, with its rules.
func (a *analysis) reduced(v variant, gap int) (variant, error) {
	floor := a.opt.Policy.Intents[belowFloor].MinReady
	further := append(numbersOf(a.checker.rules), floor)
	spec, counts, err := scale.Reduce(&v.spec, gap, further)
	if err != nil {
		return v, err
	}
	out := v
	declared := v.spec
	out.spec, out.gap, out.further, out.declared = *spec, gap, further, &declared
	if floor > 0 || len(a.opt.Policy.Custom) > 0 {
		p := *a.opt.Policy
		p.Intents = maps.Clone(p.Intents)
		in := p.Intents[belowFloor]
		in.MinReady = counts.Of(floor)
		p.Intents[belowFloor] = in
		if p.Custom, err = policies.Scaled(p.Custom, counts.Of); err != nil {
			return v, err
		}
		if out.rules, err = policies.Select(&p, a.opt.Rules); err != nil {
			return v, err
		}
	}
	return out, nil
}

// states bounds one search of the variant.
func (v variant) states() uint64 {
	if v.asDeclared() {
		return searchStates
	}
	return rungStates
}

// again scales a variant, whose manifests are as declared, down as another one was.
func (v variant) again(like variant) (variant, error) {
	if like.asDeclared() {
		return v, nil
	}
	spec, _, err := scale.Reduce(&v.spec, like.gap, like.further)
	if err != nil {
		return v, err
	}
	declared := v.spec
	v.spec, v.declared, v.gap, v.further, v.rules = *spec, &declared, like.gap, like.further, like.rules
	return v, nil
}

// unscaled gives the variant as declared.
func (v variant) unscaled() variant {
	if v.declared != nil {
		v.spec, v.declared, v.gap, v.rules = *v.declared, nil, 0, nil
	}
	return v
}

// settleRungs makes one result a slice of what its rungs gave: that of the scale as
// declared, if it was explored in full, else that of the largest reduced one that was,
// with what was seen as declared.
func settleRungs(plans []plan, rungs [][]sliceResult) []sliceResult {
	out := make([]sliceResult, len(plans))
	for i := range plans {
		out[i] = settleRung(rungs[i])
	}
	return out
}

func settleRung(rungs []sliceResult) sliceResult {
	last := rungs[len(rungs)-1]
	if len(rungs) == 1 || last.err != nil || last.variant.asDeclared() && complete(last.cov) {
		return last
	}
	top := -1
	for i, r := range rungs {
		if r.err == nil && complete(r.cov) && !r.variant.asDeclared() {
			top = i
		}
	}
	if top < 0 { // not even the smallest
		return last
	}
	out := rungs[top]
	out.head, out.base = nil, nil
	out.baseClosed = map[place]int{}
	for _, r := range rungs {
		if out.cut == nil {
			out.cut = r.cut
		}
	}
	for _, r := range rungs[:top+1] { // smallest first
		out.head, out.base = append(out.head, r.head...), append(out.base, r.base...)
		maps.Copy(out.baseClosed, r.baseClosed)
		out.declared = out.declared || r.declared
		out.sizes = max(out.sizes, r.sizes)
	}
	for i := range out.head {
		v := &out.head[i]
		v.passing = !slices.ContainsFunc(rungs[top].head, func(o violation) bool { return o.key() == v.key() })
	}
	for _, r := range rungs[:top] {
		out.cov.addWork(r.cov)
	}
	if last.variant.asDeclared() {
		out.cov.addWork(last.cov)
		out.head, out.base = instead(out.head, last.head), instead(out.base, last.base)
		maps.Copy(out.baseClosed, last.baseClosed)
		out.declared = out.declared || last.declared
		out.tried = last.cov.bound
	}
	return out
}

// instead gives the violations that were found as declared, and of have the others.
func instead(have, declared []violation) []violation {
	out := slices.Clone(declared)
	for _, v := range have {
		if !slices.ContainsFunc(declared, func(o violation) bool { return o.key() == v.key() }) {
			out = append(out, v)
		}
	}
	return out
}

// addWork adds what was done for a scale that is not the one the result speaks of.
func (c *coverage) addWork(d coverage) {
	c.states += d.states
	c.transitions += d.transitions
	c.searches += d.searches
}

// standIns lists whose replicas were reduced: "default/web 500 as 7".
func (v variant) standIns() []ReducedCount {
	var out []ReducedCount
	for i := range v.spec.Workloads {
		one := func(s *state.Spec) int {
			return scale.Pods(&state.Spec{Workloads: s.Workloads[i : i+1]})
		}
		if v.declared == nil || one(&v.spec) == one(v.declared) {
			continue
		}
		out = append(out, ReducedCount{Workload: v.spec.Workloads[i].ID, Declared: one(v.declared), Verified: one(&v.spec)})
	}
	return out
}

// reducedTo says in words what a reduced scale stands for.
func reducedTo(counts []ReducedCount) string {
	words := ""
	for i, c := range counts {
		if i > 0 {
			words += ", "
		}
		words += fmt.Sprintf("%d pods of %s as %d", c.Declared, workloadName(c.Workload), c.Verified)
	}
	return words
}

// timeRanOut says whether the rung as declared was cut off by the clock.
func (r *sliceResult) timeRanOut() bool {
	return r.tried == search.TimeBound || r.tried == search.Cancelled
}
