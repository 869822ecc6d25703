package judge

import (
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// constraints are the hard spread constraints of the pods, by index.
func (p patient) constraints(hard bool) []int {
	var out []int
	for _, c := range kube.Spreads(p.manifest.Pod()) {
		if c.Hard() == hard {
			out = append(out, c.Index)
		}
	}
	return out
}

func (p patient) constraint(i int, field string, value any) object.Setting {
	return object.Setting{Path: p.pathOfPod() + ".topologySpreadConstraints[" + strconv.Itoa(i) + "]." + field,
		Value: value}
}

// each sets a field of every listed constraint.
func (p patient) each(list []int, field string, value any) []object.Setting {
	var out []object.Setting
	for _, i := range list {
		out = append(out, p.constraint(i, field, value))
	}
	return out
}

// countRevisionsApart spreads the pods of each revision on their own.
func countRevisionsApart(p patient) []remedy {
	list := slices.DeleteFunc(p.constraints(true), func(i int) bool {
		return kube.Spreads(p.manifest.Pod())[i].Apart()
	})
	if p.manifest.Deployment == nil || len(list) == 0 {
		return nil
	}
	return p.of("add matchLabelKeys: [pod-template-hash] to the spread, so that the pods of the old revision are not counted", "",
		p.each(list, "matchLabelKeys", []any{appsv1.DefaultDeploymentUniqueLabelKey})...)
}

// countUsableNodes leaves nodes out of a spread that take no pod.
func countUsableNodes(p patient) []remedy {
	list := slices.DeleteFunc(p.constraints(true), func(i int) bool {
		return kube.Spreads(p.manifest.Pod())[i].HonorsTaints()
	})
	if len(list) == 0 {
		return nil
	}
	return p.of("add nodeTaintsPolicy: Honor to the spread, so that nodes that take no pod are not counted", "",
		p.each(list, "nodeTaintsPolicy", "Honor")...)
}

// spreadSoftly turns a requirement into a preference.
func spreadSoftly(p patient) []remedy {
	list := p.constraints(true)
	if len(list) == 0 {
		return nil
	}
	soft := func(list ...int) []remedy {
		set := p.each(list, "whenUnsatisfiable", "ScheduleAnyway")
		for _, i := range list {
			if kube.Spreads(p.manifest.Pod())[i].MinDomains != nil {
				set = append(set, p.constraint(i, "minDomains", nil))
			}
		}
		return p.of("use ScheduleAnyway instead of DoNotSchedule", "pods may end up unevenly spread", set...)
	}
	var out []remedy
	for _, i := range list {
		out = append(out, soft(i)...)
	}
	if len(list) > 1 {
		out = append(out, soft(list...)...)
	}
	return out
}

// spreadHard turns a preference into a requirement.
func spreadHard(p patient) []remedy {
	list := p.constraints(false)
	if len(list) == 0 {
		return nil
	}
	return p.of("use DoNotSchedule instead of ScheduleAnyway", "a pod waits where no node keeps the spread",
		p.each(list, "whenUnsatisfiable", "DoNotSchedule")...)
}

// preferApart makes a wish of required anti-affinity.
func preferApart(p patient) []remedy {
	affinity, ok := slice.ValueAt(p.workload.Content, "spec", "template", "spec", "affinity",
		"podAntiAffinity").(map[string]any)
	if !ok {
		return nil
	}
	required, _ := affinity["requiredDuringSchedulingIgnoredDuringExecution"].([]any)
	if len(required) == 0 {
		return nil
	}
	preferred, _ := affinity["preferredDuringSchedulingIgnoredDuringExecution"].([]any)
	preferred = slices.Clone(preferred)
	for _, t := range required {
		preferred = append(preferred, map[string]any{"weight": 100, "podAffinityTerm": t})
	}
	path := p.pathOfPod() + ".affinity.podAntiAffinity."
	return p.of("prefer nodes without such a pod (preferredDuringScheduling…) instead of requiring them",
		"two of the pods may share a node",
		object.Setting{Path: path + "requiredDuringSchedulingIgnoredDuringExecution"}, object.Setting{Path: path +
			"preferredDuringSchedulingIgnoredDuringExecution", Value: preferred})
}

// tolerateLess keeps a toleration of everything from the taint that a cordon sets.
func tolerateLess(p patient) []remedy {
	var set []object.Setting
	for i, t := range p.manifest.Pod().Tolerations {
		if t.Key == "" && t.Operator == corev1.TolerationOpExists && t.Effect == "" {
			set = append(set, object.Setting{Path: fmt.Sprintf("%s.tolerations[%d].effect", p.pathOfPod(), i),
				Value: "NoExecute"})
		}
	}
	if len(set) == 0 {
		return nil
	}
	return p.of("tolerate NoExecute taints only (effect: NoExecute), so that a cordoned node takes no new pod; name the other taints that it must tolerate", "nodes with another NoSchedule taint take no pod", set...)
}

// neverPreempt lets pods of a class wait in place of evicting others.
func neverPreempt(p patient) []remedy {
	var out []remedy
	for _, o := range p.beside {
		if c, ok := o.Typed.(*schedulingv1.PriorityClass); ok &&
			(c.PreemptionPolicy == nil || *c.PreemptionPolicy != corev1.PreemptNever) {
			out = append(out, changing("set preemptionPolicy: Never in PriorityClass "+c.Name+", so that its pods wait for room and preempt no others",
				"its pods may wait", o,
				[]object.Setting{{Path: "preemptionPolicy", Value: "Never"}}))
		}
	}
	return out
}

// leaveToScheduler takes the name of a node out.
func leaveToScheduler(p patient) []remedy {
	if p.manifest.Pod().NodeName == "" {
		return nil
	}
	return p.of("remove nodeName, so that the scheduler finds a node with room", "the pod may run on another node",
		object.Setting{Path: p.pathOfPod() + ".nodeName"})
}
