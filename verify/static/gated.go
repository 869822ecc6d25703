package static

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// scaleToZero is the feature gate without which the API server takes no autoscaler that goes to zero.
const scaleToZero = "HPAScaleToZero"

var gates = Analyzer{Name: "gated", Rule: rules.ApplyRejected, Run: zeroes,
	Doc: "a value that a feature gate has to let through"}

// zeroes says which autoscalers go to zero that did not on base, for clusters in which the gate is off.
//
// Upstream v1.36.3: pkg/apis/autoscaling/validation: hpaValidationOptions.MinReplicasLowerBound, which is 0 for updates
// of what has 0; pkg/registry/autoscaling/horizontalpodautoscaler: validationOptionsForHorizontalPodAutoscaler.
func zeroes(p *Pass) []Remark {
	before := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		h, ok := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
		if !ok || o.Hook || h.Spec.MinReplicas == nil || *h.Spec.MinReplicas != 0 {
			continue
		}
		if b := before.counterpart(o); b != nil {
			was, ok := b.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
			if ok && was.Spec.MinReplicas != nil && *was.Spec.MinReplicas == 0 {
				continue
			}
		}
		out = append(out, Remark{
			Object: o, gate: scaleToZero,
			paths: []string{"spec.minReplicas"},
			text: o.ID.String() + ": spec.minReplicas: must be greater than or equal to 1 where the feature gate " +
				scaleToZero + " is off, as it is in this cluster",
			remedies: []Remedy{{Say: "set minReplicas: 1, or switch " + scaleToZero + " on", Object: o,
				Set: []object.Setting{{Path: "spec.minReplicas", Value: 1}}}},
		})
	}
	return out
}

// Events of nodes that a remark may take.
const diskPressure, nodeRemoved = "disk-pressure", "node-removed"

// gatedOff reports whether the policy, or a snapshot, says that a feature gate is off: which version a cluster has is
// not assumed.
func gatedOff(p *policies.Policy, gate string) bool {
	if p == nil {
		return false
	}
	g := p.Cluster.Gated
	_, set := g.Set[gate]
	return (set || g.Minor > 0) && !g.On(gate)
}

// Reached leaves out the remarks that pods keep their old configuration where a controller of the policy restarts them,
// those of a feature gate that is not known to be off, or of a later Kubernetes than the policy's, those that rest on
// nodes where nodes are declared, and those that take a node that goes or runs short where the policy says which events
// nodes see.
func Reached(list []Remark, p *policies.Policy) []Remark {
	declared := p != nil && !p.Cluster.Assumed
	listed := p != nil && (p.Events.Drain != nil || p.Events.NoDrain)
	minor := 0
	if p != nil {
		minor = p.Cluster.Gated.Minor
	}
	for i := range list {
		if r := &list[i]; r.since > 0 && minor > 0 {
			r.Conditional = minor < r.since
		}
	}
	return slices.DeleteFunc(list, func(r Remark) bool {
		switch {
		case r.since > 0 && minor > 0 && minor < r.since:
			return true
		case listed && (r.occasion == diskPressure || r.occasion == nodeRemoved), declared && (r.premise != "" || r.searched):
			return true
		case r.gate != "" && !gatedOff(p, r.gate):
			return true
		}
		return r.Rule == rules.StaleConfig && slices.ContainsFunc(r.causes,
			func(c cause) bool { return slice.RestartsOn(p, r.Object, c.object.ID.String()) })
	})
}
