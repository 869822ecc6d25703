package control_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/rollouts"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rolloutOf makes a Rollout of a Deployment: rollout [steps=20,pause,hold,scale2] [routed] [dynamic] [abort=SECONDS]
// [deadline], or rollout blue [hand] [preview=N].
func rolloutOf(d *appsv1.Deployment, flags []string, opt map[string]string) *rollouts.Rollout {
	r := &rollouts.Rollout{ObjectMeta: d.ObjectMeta, Twice: intstr.FromString("100%")}
	r.Spec.Replicas, r.Spec.Selector, r.Spec.Template = d.Spec.Replicas, d.Spec.Selector, d.Spec.Template
	r.Spec.ProgressDeadlineAbort = slices.Contains(flags, "deadline")
	asked := func(key string) *int32 {
		n := int32(number(opt, key, -1))
		if n < 0 {
			return nil
		}
		return &n
	}
	if slices.Contains(flags, "blue") {
		auto := !slices.Contains(flags, "hand")
		r.Spec.Strategy.BlueGreen = &rollouts.BlueGreen{
			PreviewReplicaCount: asked("preview"), AutoPromotionEnabled: &auto, AbortScaleDownDelaySeconds: asked("abort"),
			MaxUnavailable: d.Spec.Strategy.RollingUpdate.MaxUnavailable,
		}
		return r
	}
	c := &rollouts.Canary{
		MaxSurge: d.Spec.Strategy.RollingUpdate.MaxSurge, MaxUnavailable: d.Spec.Strategy.RollingUpdate.MaxUnavailable,
		DynamicStableScale: slices.Contains(flags, "dynamic"), AbortScaleDownDelaySeconds: asked("abort"),
	}
	if slices.Contains(flags, "routed") {
		c.TrafficRouting = &rollouts.TrafficRouting{}
	}
	for _, word := range strings.Split(opt["steps"], ",") {
		minute := intstr.FromString("1m")
		n, _ := strconv.Atoi(strings.TrimPrefix(word, "scale"))
		of := int32(n)
		switch {
		case word == "":
		case word == "pause":
			c.Steps = append(c.Steps, rollouts.Step{Pause: &rollouts.Pause{Duration: &minute}})
		case word == "hold":
			c.Steps = append(c.Steps, rollouts.Step{Pause: &rollouts.Pause{}})
		case strings.HasPrefix(word, "scale"):
			c.Steps = append(c.Steps, rollouts.Step{SetCanaryScale: &rollouts.SetCanaryScale{Replicas: &of}})
		default:
			c.Steps = append(c.Steps, rollouts.Step{SetWeight: &of})
		}
	}
	r.Spec.Strategy.Canary = c
	return r
}

// someStatus gives a Rollout any status.
func (s *script) someStatus(t state.State, r *rand.Rand, w int) {
	f := &s.cfg.Workload[w].Rollout
	revisions := len(s.cfg.ClassesOf[w]) + 1
	for _, x := range []struct {
		field state.Field
		n     int
	}{
		{f.Stable, revisions}, {f.Current, revisions}, {f.Weighed, revisions}, {f.Active, revisions}, {f.Steps, 3}, {f.Step, 3},
		{f.Pause, 3}, {f.Abort, 2}, {f.Checked, 2}, {f.Weight, 102}, {f.Due[0], 3}, {f.Due[1], 3},
	} {
		if x.field.Laid() {
			t.Set(x.field, r.IntN(x.n))
		}
	}
}
