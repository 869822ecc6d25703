package scenario

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
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

// ByRule gives the sizes at which the rules that apply to a slice were verified, by their names. If the slice was not
// searched to the end as declared, rules that ignore the nodes of pods may be verified so on their own: with each
// workload by itself, at the least and the largest declared number of nodes.
func (c *Checker) ByRule(ctx context.Context, sr *SliceResult) []RuleSize {
	var out []RuleSize
	declared, whole := sr.Variant.unscaled(), sr.Variant.AsDeclared() && Complete(sr.Cov)
	var left map[string]bool
	var more Coverage
	if !whole {
		left = c.leftToWhole(ctx, declared, &more)
		if !slices.ContainsFunc(sr.seen, func(s Seen) bool { return s.Pods.Some }) {
			sr.seen = more.seen
		}
	}
	for _, r := range c.Rules {
		_, says := sr.Cov.asked[r.ID]
		asks, tried := left[r.ID]
		if !says && !tried { // where the memory ran out early, only the workloads by themselves were asked
			continue
		}
		size := RuleSize{Rule: r.ID, Pods: sr.Cov.MaxPods, Nodes: sr.MaxNodes,
			Declared: sr.Variant.AsDeclared(), Bound: sr.Cov.Bound}
		if tried && !asks {
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
	own.lonely, own.foresees = true, v.Has(state.Base)
	head := v.only(state.Head)
	if v.Has(state.Base) {
		head = v.Change()
	}
	sizes := []scale.Topology{scale.Largest(v.Spec.Classes), scale.Least(v.Spec.Classes)}
	for i, t := range slices.CompactFunc(sizes, func(a, b scale.Topology) bool { return slices.Equal(a, b) }) {
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
		if i == 0 {
			work.seen = cov.seen
		} else {
			work.seen = joinSeen(work.seen, cov.seen)
		}
	}
	return work.asked
}

// Certified lists the Deployments of a slice that was searched to the end without a finding that may gate, and whose
// rollout is the one that package certificate proves things of: from base at rest, to as many replicas, by
// RollingUpdate, with nothing beside it that changes numbers of pods or keeps them from a node.
func (c *Checker) Certified(sr *SliceResult) ([]finding.Certified, error) {
	v := sr.Variant
	firm := func(x Violation) bool { return !x.Bound.Property.Soft }
	if !sr.Whole() || slices.ContainsFunc(slices.Concat(sr.Head, sr.Base), firm) || !v.Has(state.Base) ||
		c.Timing != actor.Realistic {
		return nil, nil
	}
	change := v.Change()
	p, err := NewProblem(&change.Spec, scale.Largest(v.Spec.Classes), c.Rules, c.Timing)
	if err != nil || !control.Apart(p.Cfg, p.loops) {
		return nil, err
	}
	var out []finding.Certified
	for w := range v.Spec.Workloads {
		wl := &v.Spec.Workloads[w]
		base, m := &wl.Manifests[state.Base], &wl.Manifests[state.Head]
		_, changed := v.Changed[w]
		if !changed || !rolls(base) || !rolls(m) || len(wl.Sizes) > 0 || m.Replicas() != base.Replicas() {
			continue
		}
		zero, pace := intstr.FromInt32(0), m.Pace()
		up, down := intstr.ValueOrDefault(pace.Surge, zero), intstr.ValueOrDefault(pace.Unavailable, zero)
		out = append(out, finding.Certified{Workload: wl.ID, MaxSurge: up.String(), MaxUnavailable: down.String()})
	}
	return out, nil
}

// rolls reports whether a manifest is a Deployment that is rolled out by RollingUpdate, with a number of replicas that
// only the manifest sets.
func rolls(m *state.Manifest) bool {
	if !m.Exists() || m.Kind() != state.Deployment || m.HPA != nil || m.VPA != nil || m.Paused() || m.Replicas() == 0 {
		return false
	}
	pace := m.Pace()
	return !pace.AtOnce && !pace.Awaits && !pace.Keeps
}
