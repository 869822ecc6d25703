package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A slice with many pods has several scalings: as declared if it is within the bound (nodes times pods per node), or
// may be searched workload by workload, and no sizes of pods are merged; and reduced scales. It is searched as declared
// first. Where that outgrows its states, the reduced scales are searched, smallest first; the largest that was explored
// in full counts, and the result says so.
const (
	// FewPods is the number of pods up to which a slice is searched as declared only.
	FewPods = 8
	// scalingStates bounds the states of one search of a slice that has several scalings.
	scalingStates = 1_000_000
	// manyPods is the number of pods up to which a slice is searched as declared, workload by workload.
	manyPods = 200
)

// gaps are the reduced scales that are tried, as the gap of [scale.Reduce].
var gaps = []int{2, 3, 4}

// Plan lists the searches for a slice.
type Plan struct {
	variant  Variant          // as declared
	scalings []scaling        // smallest numbers first; at least one
	few      []scale.Topology // with few nodes
	assumed  bool             // no cluster was declared
	nodes    int              // the most that are searched
}

// declares reports whether one of the scalings is as declared.
func (p *Plan) declares() bool { return p.scalings[len(p.scalings)-1].variant.AsDeclared() }

// scaling is a slice at one scale of its numbers.
type scaling struct {
	variant    Variant
	topologies []scale.Topology
	// many says that there are more pods than the bound takes, so that only searches of workloads by themselves may come
	// to their end (see apart.go): nothing is left in part then, or the scaling does not count.
	many bool
}

// AsDeclared reports whether nothing was reduced.
func (v Variant) AsDeclared() bool { return v.gap == 0 }

// Plan lays out the scalings of a slice on given node classes.
func (c *Checker) Plan(v Variant) (Plan, error) {
	p := Plan{variant: v, few: c.fewNodes(v), assumed: c.Policy.Cluster.Assumed, nodes: c.Policy.Bound.Nodes}
	bound := c.Policy.Bound
	pods := scale.Pods(&v.Spec)
	if pods > FewPods {
		for _, gap := range gaps {
			r, err := c.reduced(v, gap)
			if err != nil || r.Pods() >= pods ||
				slices.ContainsFunc(p.scalings, func(o scaling) bool { return o.variant.Pods() == r.Pods() }) {
				continue // a slice that cannot be scaled down is searched as declared
			}
			topologies, err := c.topologies(r.Spec.Classes, max(bound.Nodes, nodesToTell(r)))
			if err != nil {
				return p, err
			}
			p.scalings = append(p.scalings, scaling{r, topologies, false})
		}
	}
	within := pods <= bound.Nodes*bound.PodsPerNode
	many := pods <= manyPods && bound.PodsPerNode >= policies.Default().Bound.PodsPerNode // no smaller one is asked for
	if (within || many) && !autoscaling.Thinned(&v.Spec) || len(p.scalings) == 0 {
		topologies, err := c.topologies(v.Spec.Classes, bound.Nodes)
		if err != nil {
			return p, err
		}
		p.scalings = append(p.scalings, scaling{v, topologies, !within && len(p.scalings) > 0})
	}
	return p, nil
}

// topologies are the sizes of a cluster that are searched: of one that is known as it is, its own.
func (c *Checker) topologies(classes []state.NodeClass, bound int) ([]scale.Topology, error) {
	if c.Policy.Cluster.Snapshot == nil &&
		!slices.ContainsFunc(classes, func(c state.NodeClass) bool { return c.Beside != nil }) {
		return scale.Topologies(classes, bound)
	}
	least, largest := scale.Least(classes), scale.Largest(classes)
	if slices.Equal(least, largest) || slices.ContainsFunc(classes, func(c state.NodeClass) bool { return c.Autoscaled }) {
		return []scale.Topology{largest}, nil // nodes that may come are there, and absent
	}
	return []scale.Topology{least, largest}, nil
}

// Pods is the most pods that the variant's manifests ask for at once, without surge.
func (v Variant) Pods() int { return scale.Pods(&v.Spec) }

// nodesToTell is the number of nodes up to which a reduced scale is searched, so that its
// declared topology is among them; 0 where nodes were not scaled.
func nodesToTell(v Variant) int {
	largest := scale.Largest(v.Spec.Classes).Total()
	if largest == scale.Largest(v.declared.Classes).Total() {
		return 0
	}
	return largest
}

// reduced gives a variant at a reduced scale, with its rules.
func (c *Checker) reduced(v Variant, gap int) (Variant, error) {
	floor := c.Policy.Intents[rules.BelowFloor].MinReady
	further := append(numbersOf(c.Rules), floor)
	spec, counts, err := scale.Reduce(&v.Spec, gap, further)
	if err != nil {
		return v, err
	}
	out := v
	declared := v.Spec
	out.Spec, out.gap, out.further, out.declared = *spec, gap, further, &declared
	if floor > 0 || len(c.Policy.Custom) > 0 {
		p := *c.Policy
		p.Intents = maps.Clone(p.Intents)
		in := p.Intents[rules.BelowFloor]
		in.MinReady = counts.Of(floor)
		p.Intents[rules.BelowFloor] = in
		if p.Custom, err = policies.Scaled(p.Custom, counts.Of); err != nil {
			return v, err
		}
		if out.rules, err = policies.Select(&p, c.Only); err != nil {
			return v, err
		}
	}
	return out, nil
}

// States bounds one search of the variant.
func (v Variant) States() uint64 {
	if v.AsDeclared() {
		return SearchStates
	}
	return scalingStates
}

// again scales a variant, whose manifests are as declared, down as another one was.
func (v Variant) again(like Variant) (Variant, error) {
	if like.AsDeclared() {
		return v, nil
	}
	spec, _, err := scale.Reduce(&v.Spec, like.gap, like.further)
	if err != nil {
		return v, err
	}
	declared := v.Spec
	v.Spec, v.declared, v.gap, v.further, v.rules = *spec, &declared, like.gap, like.further, like.rules
	return v, nil
}

// unscaled gives the variant as declared.
func (v Variant) unscaled() Variant {
	if v.declared != nil {
		v.Spec, v.declared, v.gap, v.rules = *v.declared, nil, 0, nil
	}
	return v
}

// settleScalings makes one result for each slice from its scalings: that of the scale as declared, if it was explored
// in full, else that of the largest reduced one that was, with the findings as declared.
func settleScalings(plans []Plan, scalings [][]SliceResult) []SliceResult {
	out := make([]SliceResult, len(plans))
	for i := range plans {
		out[i] = settleScaling(scalings[i])
	}
	return out
}

func settleScaling(scalings []SliceResult) SliceResult {
	last := scalings[len(scalings)-1]
	if len(scalings) == 1 || last.settles() {
		return last
	}
	top := -1
	for i, r := range scalings {
		if r.Err == nil && Complete(r.Cov) && !r.Variant.AsDeclared() {
			top = i
		}
	}
	if top < 0 { // not even the smallest
		return last
	}
	out := scalings[top]
	out.Head, out.Base = nil, nil
	out.BaseClosed = map[Place]int{}
	for _, r := range scalings {
		if out.Cut == nil {
			out.Cut = r.Cut
		}
	}
	for _, r := range scalings[:top+1] { // smallest first
		out.Head, out.Base = append(out.Head, r.Head...), append(out.Base, r.Base...)
		out.Own = append(out.Own, r.Own...)
		maps.Copy(out.BaseClosed, r.BaseClosed)
		out.Declared = out.Declared || r.Declared
		out.sizes = max(out.sizes, r.sizes)
	}
	for i := range out.Head {
		v := &out.Head[i]
		v.Passing = !slices.ContainsFunc(scalings[top].Head, func(o Violation) bool { return o.Key() == v.Key() })
	}
	for _, r := range scalings[:top] {
		out.Cov.addWork(r.Cov)
	}
	if last.Variant.AsDeclared() {
		out.Cov.addWork(last.Cov)
		out.Head, out.Base = instead(out.Head, last.Head), append(slices.Clone(last.Base), out.Base...)
		maps.Copy(out.BaseClosed, last.BaseClosed)
		out.Declared = out.Declared || last.Declared
		out.tried = last.Cov.Bound
	}
	return out
}

// settles reports whether the result of the last scaling needs none of a reduced scale.
func (sr *SliceResult) settles() bool {
	return sr.Err != nil || sr.Variant.AsDeclared() && Complete(sr.Cov) &&
		!(sr.many && (len(sr.Cov.Cut) > 0 || sr.preferredCut || sr.Cut != nil))
}

// instead gives the violations that were found as declared, and those of have that none of these covers: a search as
// declared that was cut off may have met only a milder one. Base keeps them all, as each is compared with the
// violations at the same place.
func instead(have, declared []Violation) []Violation {
	out := slices.Clone(declared)
	for _, v := range have {
		if !slices.ContainsFunc(declared, func(o Violation) bool { return o.Covers(v) }) {
			out = append(out, v)
		}
	}
	return out
}

// addWork adds the work for scales other than that of the result.
func (c *Coverage) addWork(d Coverage) {
	c.States += d.States
	c.Transitions += d.Transitions
	c.searches += d.searches
	c.addInPart(d.inPart)
}

// StandIns lists whose replicas were reduced: "default/web 500 as 7".
func (v Variant) StandIns() []finding.ReducedCount {
	var out []finding.ReducedCount
	for i := range v.Spec.Workloads {
		one := func(s *state.Spec) int {
			return scale.Pods(&state.Spec{Workloads: s.Workloads[i : i+1]})
		}
		if v.declared == nil || one(&v.Spec) == one(v.declared) {
			continue
		}
		out = append(out, finding.ReducedCount{Workload: v.Spec.Workloads[i].ID, Declared: one(v.declared),
			Verified: one(&v.Spec)})
	}
	return out
}

// ReducedTo says in words which sizes a reduced scale stands for.
func ReducedTo(counts []finding.ReducedCount) string {
	words := ""
	for i, c := range counts {
		if i > 0 {
			words += ", "
		}
		words += fmt.Sprintf("%d pods of %s as %d", c.Declared, WorkloadName(c.Workload), c.Verified)
	}
	return words
}

// TimeRanOut reports whether the scaling as declared was cut off by the clock.
func (r *SliceResult) TimeRanOut() bool {
	return r.tried == search.TimeBound || r.tried == search.Cancelled
}

// WorkloadName is the "namespace/name" of a workload's ID.
func WorkloadName(id string) string {
	for i := range id {
		if id[i] == ' ' {
			return id[i+1:]
		}
	}
	return id
}

// numbersOf are those that the user's own rules compare pods with.
func numbersOf(rules []rules.Rule) []int {
	var out []int
	for _, r := range rules {
		if r.Scope != nil {
			out = append(out, r.Scope.Numbers...)
		}
	}
	return out
}
