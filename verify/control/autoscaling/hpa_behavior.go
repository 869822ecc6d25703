package autoscaling

import (
	"math"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/verify/state"
)

// defaultTolerance is --horizontal-pod-autoscaler-tolerance.
const defaultTolerance = 0.1

// scaling is how fast an HPA may scale: spec.behavior, compiled.
type scaling struct {
	tolerance tolerances
	declared  bool // false where spec.behavior is absent: upstream's older limits hold
	up, down  scalingRules
	// upWindow and downWindow are the stabilization windows, in seconds.
	upWindow, downWindow int32
}

// defaultDownWindow is --horizontal-pod-autoscaler-downscale-stabilization, in seconds.
const defaultDownWindow = 300

// scalingRules is one direction of spec.behavior as defaulted.
type scalingRules struct {
	disabled bool
	minimum  bool // selectPolicy Min
	policies []scalingPolicy
}

type scalingPolicy struct {
	percent bool
	value   int32
}

// compileBehavior compiles spec.behavior; nil pointers in it get upstream's defaults
// (pkg/apis/autoscaling/v2: GenerateHPAScaleUpRules, GenerateHPAScaleDownRules), which flags may set.
func compileBehavior(b *autoscalingv2.HorizontalPodAutoscalerBehavior, flags state.HPAFlags) scaling {
	tolerance, window := float64(defaultTolerance), int32(defaultDownWindow)
	if flags.Tolerance != nil {
		tolerance = *flags.Tolerance
	}
	if flags.DownWindow != nil {
		window = *flags.DownWindow
	}
	s := scaling{tolerance: tolerances{down: tolerance, up: tolerance}, downWindow: window}
	if b == nil {
		return s
	}
	s.declared = true
	s.up = compileRules(b.ScaleUp, scalingPolicy{value: 4}, scalingPolicy{percent: true, value: 100})
	s.down = compileRules(b.ScaleDown, scalingPolicy{percent: true, value: 100})
	if b.ScaleUp != nil && b.ScaleUp.StabilizationWindowSeconds != nil {
		s.upWindow = *b.ScaleUp.StabilizationWindowSeconds
	}
	if b.ScaleDown != nil && b.ScaleDown.StabilizationWindowSeconds != nil {
		s.downWindow = *b.ScaleDown.StabilizationWindowSeconds
	}
	if b.ScaleUp != nil && b.ScaleUp.Tolerance != nil { // tolerancesForHpa
		s.tolerance.up = b.ScaleUp.Tolerance.AsApproximateFloat64()
	}
	if b.ScaleDown != nil && b.ScaleDown.Tolerance != nil {
		s.tolerance.down = b.ScaleDown.Tolerance.AsApproximateFloat64()
	}
	return s
}

func compileRules(r *autoscalingv2.HPAScalingRules, defaults ...scalingPolicy) scalingRules {
	out := scalingRules{policies: defaults}
	if r == nil {
		return out
	}
	if r.SelectPolicy != nil {
		out.disabled = *r.SelectPolicy == autoscalingv2.DisabledPolicySelect
		out.minimum = *r.SelectPolicy == autoscalingv2.MinChangePolicySelect
	}
	if r.Policies != nil {
		out.policies = nil
		for _, p := range r.Policies {
			out.policies = append(out.policies,
				scalingPolicy{percent: p.Type == autoscalingv2.PercentScalingPolicy, value: p.Value})
		}
	}
	return out
}

// normalize limits a decision that is stabilized, with no scale events in the policies'
// periods.
func (s *scaling) normalize(d *decision, current, low, high int32) {
	if s.declared {
		s.byRate(d, current, low, high)
		return
	}
	byRules(d, current, low, high)
}

// byRules is convertDesiredReplicasWithRules.
func byRules(d *decision, current, low, high int32) {
	limit, why := high, limitedMax
	if up := int32(math.Max(2.0*float64(current), 4.0)); high > up { // calculateScaleUpLimit
		limit, why = up, limitedRate
	}
	switch {
	case d.replicas < low:
		d.replicas, d.reason = low, limitedMin
	case d.replicas > limit:
		d.replicas, d.reason = limit, why
	}
}

// byRate is convertDesiredReplicasWithBehaviorRate.
func (s *scaling) byRate(d *decision, current, low, high int32) {
	switch {
	case d.replicas > current:
		limit, why := high, limitedMax
		if up := max(s.up.upLimit(current), current); high > up {
			limit, why = up, limitedRate
		}
		if d.replicas > limit {
			d.replicas, d.reason = limit, why
		}
	case d.replicas < current:
		limit, why := low, limitedMin
		if down := min(s.down.downLimit(current), current); low < down {
			limit, why = down, limitedRate
		}
		if d.replicas < limit {
			d.replicas, d.reason = limit, why
		}
	}
}

// upLimit is calculateScaleUpLimitWithScalingRules without events.
func (r *scalingRules) upLimit(current int32) int32 {
	if r.disabled {
		return current
	}
	result := int32(math.MinInt32)
	if r.minimum {
		result = math.MaxInt32
	}
	for _, p := range r.policies {
		proposed := current + p.value
		if p.percent {
			proposed = int32(math.Ceil(float64(current) * (1 + float64(p.value)/100)))
		}
		if r.minimum {
			result = min(result, proposed)
		} else {
			result = max(result, proposed)
		}
	}
	return result
}

// downLimit is calculateScaleDownLimitWithBehaviors without events.
func (r *scalingRules) downLimit(current int32) int32 {
	if r.disabled {
		return current
	}
	result := int32(math.MaxInt32)
	if r.minimum {
		result = math.MinInt32
	}
	for _, p := range r.policies {
		proposed := current - p.value
		if p.percent {
			proposed = int32(float64(current) * (1 - float64(p.value)/100))
		}
		if r.minimum {
			result = max(result, proposed)
		} else {
			result = min(result, proposed)
		}
	}
	return result
}
