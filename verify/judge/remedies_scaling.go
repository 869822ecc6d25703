package judge

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// utilization are the metrics of an autoscaler that measure a resource in percent of its request, by index.
func utilization(h *autoscalingv2.HorizontalPodAutoscaler, of corev1.ResourceName) []int {
	var out []int
	for i, m := range h.Spec.Metrics {
		if m.Resource != nil && m.Resource.Name == of && m.Resource.Target.Type == autoscalingv2.UtilizationMetricType {
			out = append(out, i)
		}
	}
	return out
}

// measureCPU scales on CPU where memory alone is measured, and each container says how much CPU it takes.
func measureCPU(p patient) []remedy {
	var asks []object.Setting
	for i, c := range p.manifest.Pod().Containers {
		if _, ok := c.Resources.Requests[corev1.ResourceCPU]; !ok {
			asks = append(asks, object.Setting{Path: fmt.Sprintf("%s.containers[%d].resources", p.pathOfPod(), i),
				Value: map[string]any{"requests": map[string]any{"cpu": leastCPU}}})
		}
	}
	say, cost := "scale on CPU instead of memory, which processes rarely give back", "memory no longer triggers scaling"
	var also []change
	if len(asks) > 0 {
		say += fmt.Sprintf(", and give each container a CPU request (here %s: use its real demand)", leastCPU)
		cost += ", and the nodes keep that much CPU free for each pod"
		also = []change{{p.workload, asks}}
	}
	var out []remedy
	for _, o := range p.hpas() {
		h := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
		for _, i := range utilization(h, corev1.ResourceMemory) {
			if len(h.Spec.Metrics) == 1 {
				out = append(out, remedy{say: say, cost: cost, object: o, also: also,
					set: []object.Setting{{Path: fmt.Sprintf("spec.metrics[%d].resource.name", i), Value: "cpu"}}})
			}
		}
	}
	return out
}

// fullest is the utilization that a target is raised to, in percent of the request.
const fullest = 80

// raiseTarget lets pods be fuller before more of them come.
func raiseTarget(p patient) []remedy {
	var out []remedy
	for _, o := range p.hpas() {
		h := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
		for i, m := range h.Spec.Metrics {
			if m.Resource == nil || m.Resource.Target.AverageUtilization == nil ||
				*m.Resource.Target.AverageUtilization >= fullest {
				continue
			}
			out = append(out, remedy{say: fmt.Sprintf("raise the %s target to %d %% of the request, above what an idle pod uses",
				m.Resource.Name, fullest), cost: "pods run fuller before more are added", object: o,
				set: []object.Setting{{Path: fmt.Sprintf("spec.metrics[%d].resource.target.averageUtilization", i),
					Value: fullest}}})
		}
	}
	return out
}

// scaleUpLater waits for a start-up spike to pass; scaleDownSlowly takes one pod at a time away.
func scaleUpLater(p patient) []remedy {
	return p.behave("scaleUp", map[string]any{"stabilizationWindowSeconds": 180},
		"set behavior.scaleUp.stabilizationWindowSeconds: 180, so that the CPU of pods that start does not count as load", "a real rise in load is followed 3 minutes later")
}

func scaleDownSlowly(p patient) []remedy {
	one := []any{map[string]any{"type": "Pods", "value": 1, "periodSeconds": 60}}
	return p.behave("scaleDown", map[string]any{"policies": one}, "scale down by one pod a minute (behavior.scaleDown.policies), so that the spread can be kept", "pods that are not needed stay longer")
}

func (p patient) behave(way string, rules map[string]any, say, cost string) []remedy {
	var out []remedy
	for _, o := range p.hpas() {
		if !declares(o, "spec", "behavior", way) {
			out = append(out, remedy{say: say, cost: cost, object: o,
				set: []object.Setting{{Path: "spec.behavior", Value: map[string]any{way: rules}}}})
		}
	}
	return out
}

// wakeUp gives a workload that its manifest keeps at none the least that its autoscaler keeps.
func wakeUp(p patient) []remedy {
	f := p.manifest.ReplicasField()
	if f == nil || *f == nil || **f != 0 {
		return nil
	}
	hpas := p.hpas()
	if len(hpas) == 0 {
		return nil
	}
	least := int32(1)
	if m := hpas[0].Typed.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MinReplicas; m != nil {
		least = max(*m, 1)
	}
	return p.of(fmt.Sprintf("set replicas: %d: at 0 the autoscaler is switched off", least), "",
		object.Setting{Path: "spec.replicas", Value: int(least)})
}

// oneAutoscaler leaves one of several autoscalers of a workload, which measures all their metrics.
func oneAutoscaler(p patient) []remedy {
	hpas := p.hpas()
	if len(hpas) < 2 {
		return nil
	}
	first, _ := slice.ValueAt(hpas[0].Content, "spec", "metrics").([]any)
	metrics := slices.Clone(first)
	for _, o := range hpas[1:] {
		more, _ := slice.ValueAt(o.Content, "spec", "metrics").([]any)
		metrics = append(metrics, more...)
	}
	return []remedy{{say: fmt.Sprintf("put all metrics into %s, and remove %s: Kubernetes stops autoscalers that share pods", hpas[0].ID, names(hpas[1:])), object: hpas[0], drop: hpas[1:],
		set: []object.Setting{{Path: "spec.metrics", Value: metrics}}}}
}

// oneBudget leaves one of several budgets of a pod.
func oneBudget(p patient) []remedy {
	budgets := p.budgets()
	if len(budgets) < 2 {
		return nil
	}
	var out []remedy
	for i, o := range budgets {
		rest := slices.Delete(slices.Clone(budgets), i, i+1)
		out = append(out, remedy{say: fmt.Sprintf("let %s alone cover these pods: remove %s or narrow its selector, as the eviction API refuses pods with several budgets", o.ID, names(rest)), object: o, drop: rest})
	}
	return out
}

func names(list []*object.Object) string {
	s := ""
	for i, o := range list {
		if i > 0 {
			s += " and "
		}
		s += o.ID.String()
	}
	return s
}

// vertical are the VerticalPodAutoscalers of the workload.
func (p patient) vertical() []*object.Object {
	return p.named(func(o *object.Object) bool {
		return o.ID.Kind == "VerticalPodAutoscaler" && o.ID.Namespace == p.workload.ID.Namespace &&
			slice.ValueAt(o.Content, "spec", "targetRef", "name") == p.workload.ID.Name &&
			slice.ValueAt(o.Content, "spec", "targetRef", "kind") == p.workload.ID.Kind
	})
}

// leaveOneMetric has a VerticalPodAutoscaler set only resources that no HorizontalPodAutoscaler measures.
func leaveOneMetric(p patient) []remedy {
	if len(p.hpas()) == 0 {
		return nil
	}
	free := map[corev1.ResourceName]bool{corev1.ResourceCPU: true, corev1.ResourceMemory: true}
	for _, o := range p.hpas() {
		for r := range free {
			if len(utilization(o.Typed.(*autoscalingv2.HorizontalPodAutoscaler), r)) > 0 {
				free[r] = false
			}
		}
	}
	var left []any
	for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if free[r] {
			left = append(left, string(r))
		}
	}
	var out []remedy
	for _, o := range p.vertical() {
		if len(left) == 1 && !declares(o, "spec", "resourcePolicy") {
			policy := map[string]any{"containerPolicies": []any{map[string]any{"containerName": "*",
				"controlledResources": left}}}
			out = append(out, remedy{say: fmt.Sprintf("let the VerticalPodAutoscaler set %s only: the other is what the HorizontalPodAutoscaler scales on", left[0]), object: o,
				set: []object.Setting{{Path: "spec.resourcePolicy", Value: policy}}})
		}
	}
	return out
}

// onlyRecommend keeps a VerticalPodAutoscaler from evicting pods.
func onlyRecommend(p patient) []remedy {
	var out []remedy
	for _, o := range p.vertical() {
		if slice.ValueAt(o.Content, "spec", "updatePolicy", "updateMode") != "Off" {
			out = append(out, remedy{say: "set updateMode: Off, so that the VerticalPodAutoscaler recommends and evicts no pod",
				cost: "requests are changed by hand", object: o,
				set: []object.Setting{{Path: "spec.updatePolicy", Value: map[string]any{"updateMode": "Off"}}}})
		}
	}
	return out
}

// longestRun ends a Job that hangs, in seconds.
const longestRun = 3600

// forbidOverlap lets no run of a CronJob start beside another, nor any hang forever.
func forbidOverlap(p patient) []remedy {
	c, ok := p.workload.Typed.(*batchv1.CronJob)
	if !ok {
		return nil
	}
	var set []object.Setting
	if c.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent {
		set = append(set, object.Setting{Path: "spec.concurrencyPolicy", Value: "Forbid"})
	}
	if len(set) > 0 {
		return append(p.of("set concurrencyPolicy: Forbid, so runs do not overlap",
			"a run that is due while another goes on is skipped", set...),
			p.of(fmt.Sprintf("set concurrencyPolicy: Forbid and activeDeadlineSeconds: %d, so runs do not overlap or hang forever", longestRun), "a run that is due while another goes on is skipped",
				append(set, object.Setting{Path: "spec.jobTemplate.spec.activeDeadlineSeconds", Value: longestRun})...)...)
	}
	return nil
}

// limitWhatIsAsked gives a container whose request passes the limit that a LimitRange fills in an explicit limit.
func limitWhatIsAsked(p patient) []remedy {
	var set []object.Setting
	for i, c := range p.manifest.Pod().Containers {
		limits := map[string]any{}
		for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			asked, ok := c.Resources.Requests[r]
			if _, limited := c.Resources.Limits[r]; ok && !limited && p.defaultLimitBelow(r, asked.MilliValue()) {
				limits[string(r)] = asked.String()
			}
		}
		if len(limits) > 0 {
			set = append(set, object.Setting{Path: fmt.Sprintf("%s.containers[%d].resources.limits", p.pathOfPod(), i),
				Value: limits})
		}
	}
	if len(set) == 0 {
		return nil
	}
	return p.of("give the container its own limit, at least its request: the LimitRange's default is lower", "",
		set...)
}

// defaultLimitBelow reports whether a LimitRange of the namespace fills in a limit below so much, in thousandths.
func (p patient) defaultLimitBelow(r corev1.ResourceName, milli int64) bool {
	return slices.ContainsFunc(p.beside, func(o *object.Object) bool {
		l, ok := o.Typed.(*corev1.LimitRange)
		return ok && o.ID.Namespace == p.workload.ID.Namespace &&
			slices.ContainsFunc(l.Spec.Limits, func(i corev1.LimitRangeItem) bool {
				d, ok := i.Default[r]
				return ok && d.MilliValue() < milli
			})
	})
}
