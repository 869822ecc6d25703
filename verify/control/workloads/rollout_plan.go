package workloads

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rolloutPlan is what one version declares of a Rollout, compiled.
type rolloutPlan struct {
	exists, paused bool
	steps          int // which steps these are, for status.currentStepHash: 1 or 2
	// canary is all but what moves; its Steps are nil with blueGreen.
	canary             Canary
	surge, unavailable state.Share
	// keepsAborted is that abortScaleDownDelaySeconds is 0, setsAborted that it is set.
	keepsAborted, setsAborted bool
	delays                    bool // scaleDownDelaySeconds is not 0
	blueGreen                 bool
	preview                   int32 // previewReplicaCount; -1: none
	waits                     bool  // a blue-green pause: for autoPromotionSeconds, or for somebody
	waitsFor                  bool  // autoPromotionSeconds is set
	byHand                    bool  // autoPromotionEnabled is false
}

func sameSteps(a, b *state.Manifest) bool {
	x, y := a.Rollout.Spec.Strategy.Canary, b.Rollout.Spec.Strategy.Canary
	if x == nil || y == nil {
		return x == y
	}
	return equality.Semantic.DeepEqual(x.Steps, y.Steps)
}

func compileRolloutPlan(m *state.Manifest) (rolloutPlan, error) {
	spec := &m.Rollout.Spec
	p := rolloutPlan{exists: true, paused: spec.Paused, preview: -1, delays: true}
	p.canary.MaxWeight = 100
	pace := m.Pace()
	if b := spec.Strategy.BlueGreen; b != nil {
		p.blueGreen = true
		p.preview = orLess(b.PreviewReplicaCount)
		p.byHand, p.waitsFor = b.AutoPromotionEnabled != nil && !*b.AutoPromotionEnabled, b.AutoPromotionSeconds > 0
		p.waits = p.byHand || p.waitsFor
		p.delays = b.ScaleDownDelaySeconds == nil || *b.ScaleDownDelaySeconds > 0
		p.abortDelay(b.AbortScaleDownDelaySeconds)
		return p, nil
	}
	c := spec.Strategy.Canary
	p.canary.Routed, p.canary.Dynamic = c.TrafficRouting != nil, c.DynamicStableScale && c.TrafficRouting != nil
	if c.MinPodsPerReplicaSet != nil {
		p.canary.MinPods = *c.MinPodsPerReplicaSet
	}
	if c.TrafficRouting != nil && c.TrafficRouting.MaxTrafficWeight != nil {
		if p.canary.MaxWeight = *c.TrafficRouting.MaxTrafficWeight; p.canary.MaxWeight < 1 || p.canary.MaxWeight > 10000 {
			return p, fmt.Errorf("spec.strategy.canary.trafficRouting.maxTrafficWeight: %d: %w",
				p.canary.MaxWeight, actor.ErrUnmodeled)
		}
	}
	p.delays = c.ScaleDownDelaySeconds == nil || *c.ScaleDownDelaySeconds > 0
	p.abortDelay(c.AbortScaleDownDelaySeconds)
	for i := range c.Steps {
		s, out := &c.Steps[i], CanaryStep{SetWeight: -1, ScaleWeight: -1, ScaleReplicas: -1}
		switch {
		case s.Pause != nil:
			out.Pause, out.PauseEnds = true, s.Pause.Duration != nil
		case s.SetCanaryScale != nil:
			out.SetsScale, out.MatchesWeight = true, s.SetCanaryScale.MatchTrafficWeight
			out.ScaleWeight, out.ScaleReplicas = orLess(s.SetCanaryScale.Weight), orLess(s.SetCanaryScale.Replicas)
		case s.SetWeight != nil:
			out.SetWeight = *s.SetWeight
		default:
			out.Something = true
		}
		if w := max(out.SetWeight, out.ScaleWeight); w > p.canary.MaxWeight {
			return p, fmt.Errorf("spec.strategy.canary.steps[%d]: a weight of %d: %w", i, w, actor.ErrUnmodeled)
		}
		p.canary.Steps = append(p.canary.Steps, out)
	}
	var err error
	if p.unavailable, err = shareOf(pace.Unavailable); err != nil {
		return p, fmt.Errorf("%s: %w", pace.UnavailableField(), err)
	}
	if p.surge, err = shareOf(c.MaxSurge); err != nil {
		return p, fmt.Errorf("%s: %w", pace.SurgeField(), err)
	}
	return p, nil
}

// orLess is a number that need not be set; -1: it is not.
func orLess(n *int32) int32 {
	if n == nil {
		return -1
	}
	return *n
}

// abortDelay notes the result of GetAbortScaleDownDelaySecondsOrDefault.
func (p *rolloutPlan) abortDelay(seconds *int32) {
	p.setsAborted = seconds != nil
	p.keepsAborted = seconds != nil && *seconds == 0 && (p.blueGreen || p.canary.Routed)
	p.canary.AbortKeeps = p.keepsAborted
}
