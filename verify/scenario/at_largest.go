package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// Largest are what searches at the largest topology of a slice gave, each searched once
// however many findings ask for it; nil keeps none. It is not safe for concurrent use.
type Largest map[largestKey]Outcome

// largestKey is a slice at one scale of its numbers.
type largestKey struct {
	slice   *slice.Slice
	gap     int
	premise string
}

func (v Variant) LargestKey() largestKey { return largestKey{v.Slice, v.gap, v.Premise()} }

// Keep takes in the tasks that were searched at their largest topology, to the end or to where a search
// there would run out of states as well.
func (l Largest) Keep(tasks []Task, outcomes []Outcome) {
	if l == nil {
		return
	}
	for i, j := range tasks {
		o := outcomes[i]
		alike := o.Cov.Bound == search.StateBound && j.states == 0 && !j.beyond && !j.probes && j.Variant.AsDeclared()
		if o.done && o.Err == nil && (o.Cov.Bound == search.Complete || alike) &&
			slices.Equal(j.Topology, scale.Largest(j.Variant.Spec.Classes)) {
			l[j.Variant.LargestKey()] = o
		}
	}
}

// largestStates bounds the search there: as that of the slice, where it was searched at several scales.
func (v Variant) largestStates() uint64 {
	if v.unscaled().Pods() > FewPods {
		return scalingStates
	}
	return v.States()
}

// AtLargest looks for a violation at the largest topology as well.
func (c *Checker) AtLargest(ctx context.Context, v Variant, k Key,
	largest scale.Topology) (found Violation, shows Answer) {
	o, known := c.Largest[v.LargestKey()]
	if !known && c.Expired() {
		return Violation{}, Undecided
	}
	if !known {
		o = c.Within(min(v.largestStates(), c.Budget.States)).Both(ctx, Task{Variant: v, Topology: largest})
		if c.Largest != nil {
			c.Largest[v.LargestKey()] = o
		}
	}
	i := slices.IndexFunc(o.Head, func(x Violation) bool { return x.Key() == k })
	switch {
	case o.Err != nil:
		return Violation{}, Undecided
	case i >= 0:
		return o.Head[i], Yes
	case o.Cov.Bound != search.Complete:
		return Violation{}, Undecided
	}
	return Violation{}, No
}
