package scenario

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// unschedulableRule is the rule for pods that wait for a node forever.
const unschedulableRule = rules.Unschedulable

// asideShrink is the search of a pool that gives up a node.
const asideShrink = "the removal of a node from a pool over zones"

// shrinks searches the removal of one node where the policy says nothing of nodes that go, and declares a pool that
// may have fewer nodes than it has zones: a volume of one zone may be left without a node then. A range of sizes says
// that nodes come and go; where each zone has a pool of its own, one stays in each.
func (r *scenarioRun) shrinks(ctx context.Context, v Variant) error {
	if !v.Maintained || v.Spec.Events.NodeRemoved > 0 || v.SparsePool() == "" || !zonal(v.Spec.Claims) {
		r.cov.closeAside(asideShrink, AllClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.Rules), func(rule rules.Rule) bool { return rule.ID != unschedulableRule })
	return r.aside(ctx, asideShrink, ScenarioSteady, v.shrunk(), state.Head, own)
}

// shrunk gives head alone, with one node that is removed.
func (v Variant) shrunk() Variant {
	v = v.only(state.Head)
	v.Spec.Events = state.Events{NodeRemoved: 1}
	return v
}

// Shrinks reports whether a violation is of a pool that gives up a node of its own accord.
func (v Violation) Shrinks() bool { return v.aside == asideShrink }

// SparsePool names a pool that may have fewer nodes than it has zones, and into whose zones no autoscaler brings nodes
// back; "": there is none.
func (v Variant) SparsePool() string {
	zones := map[string]map[string]bool{}
	for _, c := range v.Spec.Classes {
		if c.Pool == "" || c.Autoscaled || c.Elastic || c.Karpenter != nil || c.PoolMax <= c.PoolMin {
			continue
		}
		if zones[c.Pool] == nil {
			zones[c.Pool] = map[string]bool{}
		}
		zones[c.Pool][c.Node.Labels[corev1.LabelTopologyZone]] = true
		if len(zones[c.Pool]) > max(c.PoolMin, 1) {
			return c.Pool
		}
	}
	return ""
}

// zonal reports whether a claim's volume can be used in the zone alone in which it is made.
func zonal(claims []state.Claim) bool {
	return slices.ContainsFunc(claims, func(c state.Claim) bool { return c.Reach == state.WithinZone })
}
