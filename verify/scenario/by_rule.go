package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// RuleSize is the size at which a rule was verified on a slice.
type RuleSize struct {
	Rule        string
	Pods, Nodes int // at most
	// Declared says that it was with the declared number of pods, and Bound what ended the search.
	Declared bool
	Bound    search.Bound
}

// ByRule gives the sizes at which the rules that say something of a slice were verified, by their names. Where the
// slice was not searched to the end as declared, rules that do not look at where pods are may be verified so on their
// own: with each workload by itself, at the least and the largest declared number of nodes.
func (c *Checker) ByRule(ctx context.Context, sr *SliceResult) []RuleSize {
	var out []RuleSize
	declared, whole := sr.Variant.unscaled(), sr.Variant.AsDeclared() && Complete(sr.Cov)
	var left map[string]bool
	var more Coverage
	if !whole {
		left = c.leftToWhole(ctx, declared, &more)
	}
	for _, r := range c.Rules {
		if _, says := sr.Cov.asked[r.ID]; !says {
			continue
		}
		size := RuleSize{Rule: r.ID, Pods: sr.Cov.MaxPods, Nodes: sr.MaxNodes,
			Declared: sr.Variant.AsDeclared(), Bound: sr.Cov.Bound}
		if asks, tried := left[r.ID]; tried && !asks {
			size = RuleSize{Rule: r.ID, Pods: more.MaxPods, Nodes: scale.Largest(declared.Spec.Classes).Total(), Declared: true,
				Bound: search.Complete}
		}
		if sr.Cov.InPart(r.ID) && size.Bound == search.Complete {
			size.Bound = search.StateBound
		}
		out = append(out, size)
	}
	sr.Cov.addWork(more)
	return out
}

// leftToWhole says of each rule that says something of a variant whether a search of each workload by itself leaves
// any of it to the whole.
func (c *Checker) leftToWhole(ctx context.Context, v Variant, work *Coverage) map[string]bool {
	if pods := v.Pods(); pods*pods > apartStates { // about what a rollout by itself takes
		return nil
	}
	own := *c
	own.lonely = true
	head := v.only(state.Head)
	if v.Has(state.Base) {
		head = v.Change()
	}
	sizes := []scale.Topology{scale.Largest(v.Spec.Classes), scale.Least(v.Spec.Classes)}
	for _, t := range slices.CompactFunc(sizes, func(a, b scale.Topology) bool { return slices.Equal(a, b) }) {
		if own.Expired() {
			return nil
		}
		_, cov, err := own.Scenarios(ctx, head, t)
		if err != nil {
			return nil
		}
		work.addWork(cov)
		work.MaxPods = max(work.MaxPods, cov.MaxPods)
		work.asks(cov)
	}
	return work.asked
}
