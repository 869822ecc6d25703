package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestHPAWindows: four syncs of upstream's controller in a row, before any window is
// over, with pods and load changed in between. The model may let a window pass that
// upstream's clock does not, so upstream's answer has to be one of its outcomes, given
// the answers before.
func TestHPAWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 8))
	upstream := newUpstreamHPA(t, 5*time.Minute)
	syncs, moved, held := 0, 0, 0
	for i := range loopCases(1500) {
		base := hpaManifest(r)
		base.DeclaresReplicas, base.HPA.Spec.Behavior = true, windows(r)
		head := base // applies write the count as well, so the model remembers
		head.Deployment = webDeployment(r, "v2")
		head.Deployment.Spec.Template.Spec.Containers = slices.Clone(base.Deployment.Spec.Template.Spec.Containers)
		head.Deployment.Spec.Template.Spec.Containers[0].Image = "v2"
		spec := webSpec(base, head, 1)
		spec.Events.Apply = 1
		p := newLoopProblem(t, spec, []int{2})
		memory := p.cfg.Workload[0].Recommended
		if memory == (state.Field{}) {
			continue // no window
		}
		h := base.HPA.Spec
		count := int(*h.MinReplicas) + r.IntN(int(h.MaxReplicas-*h.MinReplicas)+1)
		remembered := []int{count} // what the model may hold
		upstream.forget()
		text := ""
		for range 4 {
			s := p.cfg.New()
			scatter(r, s)
			s.Set(p.cfg.Workload[0].Load, r.IntN(int(state.Loads)))
			s.SetReplicas(0, count)
			want := upstream.again(t, r, s)
			var next []int
			text += describe(s) + fmt.Sprintf("remembered %v; upstream writes %d\n", remembered, want)
			for _, m := range remembered {
				s.Set(memory, m)
				if want == count {
					next = append(next, m) // a sync that changes nothing is no step
				}
				for _, x := range actor.Successors(p.actor(t, "hpa/default/web"), s) {
					if x.To.Replicas(0) == want {
						next = append(next, x.To.Get(memory))
					}
				}
			}
			if len(next) == 0 {
				t.Fatalf("case %d: no outcome of the model is upstream's (%v)\n%s%+v", i, upstream.err, text, h)
			}
			slices.Sort(next)
			remembered = slices.Compact(next)
			syncs++
			if want != count {
				moved++
			}
			if slices.ContainsFunc(remembered, func(m int) bool { return m != want }) {
				held++
			}
			count = want
		}
	}
	t.Logf("%d syncs, %d wrote a count, %d remembered another", syncs, moved, held)
	if moved < syncs/25 || held == 0 {
		t.Error("the generator draws too few cases of some kind")
	}
}

// windows is a behavior with windows, whose policies bind no step; or none, which has a
// window of five minutes for scaling down.
func windows(r *rand.Rand) *autoscalingv2.HorizontalPodAutoscalerBehavior {
	if r.IntN(4) == 0 {
		return nil
	}
	rules := func() *autoscalingv2.HPAScalingRules {
		window := []int32{0, 30, 120, 300}[r.IntN(4)]
		return &autoscalingv2.HPAScalingRules{
			StabilizationWindowSeconds: &window,
			Policies:                   []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PodsScalingPolicy, Value: 1000, PeriodSeconds: 15}},
		}
	}
	return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: rules(), ScaleDown: rules()}
}
