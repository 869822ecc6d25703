package verify

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
)

// lifts are what searches at the largest topology of a slice gave, each searched once
// however many findings ask for it; nil keeps none. It is not safe for concurrent use.
type lifts map[liftKey]outcome

// liftKey is a slice at one scale of its numbers.
type liftKey struct {
	slice *slice
	gap   int
}

func (v variant) liftKey() liftKey { return liftKey{v.slice, v.gap} }

// keep takes in the jobs that were searched to the end at their largest topology.
func (l lifts) keep(jobs []job, outcomes []outcome) {
	if l == nil {
		return
	}
	for i, j := range jobs {
		o := outcomes[i]
		if o.done && o.err == nil && o.cov.bound == search.Complete && slices.Equal(j.topology, scale.Largest(j.variant.spec.Classes)) {
			l[j.variant.liftKey()] = o
		}
	}
}

// lift looks for a violation at the largest topology as well; decided is false where the
// budget ran out before it could be told.
func (c *checker) lift(ctx context.Context, v variant, k key, largest scale.Topology) (found violation, shows, decided bool) {
	o, known := c.lifts[v.liftKey()]
	if !known {
		o = c.within(v.states()).both(ctx, job{variant: v, topology: largest})
		if c.lifts != nil {
			c.lifts[v.liftKey()] = o
		}
	}
	if o.err != nil {
		return violation{}, false, false
	}
	if i := slices.IndexFunc(o.head, func(x violation) bool { return x.key() == k }); i >= 0 {
		return o.head[i], true, true
	}
	return violation{}, false, o.cov.bound == search.Complete
}
