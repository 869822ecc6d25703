package state

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// rollout is a Rollout of Argo Rollouts.
type rollout rollouts.Rollout

func (r *rollout) name() Kind                        { return Rollout }
func (r *rollout) template() *corev1.PodTemplateSpec { return &r.Spec.Template }
func (r *rollout) selector() *metav1.LabelSelector   { return r.Spec.Selector }
func (r *rollout) replicas() **int32                 { return &r.Spec.Replicas }
func (r *rollout) minReady() *int32                  { return &r.Spec.MinReadySeconds }
func (r *rollout) jobs() *batchv1.JobSpec            { return nil }
func (r *rollout) suspend() *bool                    { return nil }

// pace is that of a Deployment where pods share the requests of one Service. With a traffic router, and where a preview
// takes over at once, all pods of both revisions may run at once, and the old ones go when the new ones are ready; a
// canary keeps to maxUnavailable then as well.
func (r *rollout) pace() Pace {
	if b := r.Spec.Strategy.BlueGreen; b != nil {
		return Pace{Surge: &r.Twice, Unavailable: b.MaxUnavailable, at: "spec.strategy.blueGreen"}
	}
	c := r.Spec.Strategy.Canary
	p := Pace{Surge: c.MaxSurge, Unavailable: c.MaxUnavailable, AtLeastOne: true, at: "spec.strategy.canary"}
	if c.TrafficRouting != nil {
		p.Surge = &r.Twice
	}
	return p
}

func (r *rollout) paced() []string {
	switch {
	case r.Spec.Strategy.BlueGreen != nil:
		return []string{"spec.strategy.blueGreen"}
	case r.Spec.Strategy.Canary.TrafficRouting != nil:
		return []string{"spec.strategy.canary.steps", "spec.strategy.canary.dynamicStableScale"}
	}
	return []string{"spec.strategy.canary.maxSurge", "spec.strategy.canary.maxUnavailable", "spec.strategy.canary.steps"}
}

func (r *rollout) aspects() []Aspect {
	return []Aspect{
		{"spec.strategy", &r.Spec.Strategy, "new strategy"},
		{"spec.minReadySeconds", &r.Spec.MinReadySeconds, ""},
		{"spec.paused", &r.Spec.Paused, ""},
		{"spec.progressDeadlineAbort", &r.Spec.ProgressDeadlineAbort, ""},
	}
}

// StepCounts are the numbers of pods that a manifest names beside its replicas and shares, to be changed in place.
func (m *Manifest) StepCounts() []*int32 {
	if m.Rollout == nil {
		return nil
	}
	var out []*int32
	add := func(n *int32) {
		if n != nil {
			out = append(out, n)
		}
	}
	if b := m.Rollout.Spec.Strategy.BlueGreen; b != nil {
		add(b.PreviewReplicaCount)
		return out
	}
	c := m.Rollout.Spec.Strategy.Canary
	add(c.MinPodsPerReplicaSet)
	for i := range c.Steps {
		if s := c.Steps[i].SetCanaryScale; s != nil {
			add(s.Replicas)
		}
	}
	return out
}
