package judge

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

const (
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
)

// preferTogether makes a wish of required affinity to other pods.
func preferTogether(p patient) []remedy {
	affinity, ok := slice.ValueAt(p.workload.Content, "spec", "template", "spec", "affinity",
		"podAffinity").(map[string]any)
	if !ok {
		return nil
	}
	terms, _ := affinity[required].([]any)
	if len(terms) == 0 {
		return nil
	}
	had, _ := affinity[preferred].([]any)
	wishes := slices.Clone(had)
	for _, t := range terms {
		wishes = append(wishes, map[string]any{"weight": 100, "podAffinityTerm": t})
	}
	path := p.pathOfPod() + ".affinity.podAffinity."
	return p.of("prefer nodes with such a pod (preferredDuringScheduling…) instead of requiring them",
		"the pods may land on different nodes",
		object.Setting{Path: path + required}, object.Setting{Path: path + preferred, Value: wishes})
}

// requireOrForget is for a wish of where to run that one loop acts on and another does not: without it they
// agree, and so they do where it is required.
func requireOrForget(p patient) []remedy {
	a := p.manifest.Pod().Affinity
	if a == nil {
		return nil
	}
	base := p.pathOfPod() + ".affinity"
	content, _ := slice.ValueAt(p.workload.Content, strings.Split(base, ".")...).(map[string]any)
	var out []remedy
	for _, kind := range []string{"nodeAffinity", "podAffinity"} {
		one, _ := content[kind].(map[string]any)
		terms, _ := one[preferred].([]any)
		if len(terms) == 0 {
			continue
		}
		if kind == "podAffinity" && one[required] == nil {
			var list []any
			for _, t := range terms {
				term, _ := t.(map[string]any)
				list = append(list, term["podAffinityTerm"])
			}
			out = append(out, p.of("require the nodes with such a pod instead of preferring them, so that all loops agree where the pods belong", "a pod waits where there is none",
				object.Setting{Path: base + "." + kind + "." + preferred}, object.Setting{Path: base + "." + kind + "." + required,
					Value: list})...)
		}
		path := base + "." + kind + "." + preferred
		why := ", which not every loop follows"
		if kind == "podAffinity" {
			why = ", which draws the pods onto few nodes"
		}
		switch {
		case len(one) == 1 && len(content) == 1:
			path = base
		case len(one) == 1:
			path = base + "." + kind
		}
		out = append(out, p.of("remove the preferred "+kind+why, "pods run on any node that fits",
			object.Setting{Path: path})...)
	}
	return out
}

// spreadAnew asks for a spread over nodes where there is none.
func spreadAnew(p patient) []remedy {
	if len(kube.Spreads(p.manifest.Pod())) > 0 || p.manifest.Kind() == state.DaemonSet ||
		len(p.manifest.Template().Labels) == 0 || p.workload.ID.Kind == "CronJob" {
		return nil
	}
	labels := slice.ValueAt(p.workload.Content, "spec", "selector", "matchLabels")
	if labels == nil {
		return nil
	}
	one := map[string]any{"maxSkew": 1, "topologyKey": corev1.LabelHostname, "whenUnsatisfiable": "DoNotSchedule",
		"nodeTaintsPolicy": "Honor", "labelSelector": map[string]any{"matchLabels": labels}}
	if p.manifest.Deployment != nil {
		one["matchLabelKeys"] = []any{appsv1.DefaultDeploymentUniqueLabelKey}
	}
	return p.of("spread the pods over nodes (topologySpreadConstraints, maxSkew 1), which keeps them off a single node",
		"a pod waits where no node keeps the spread",
		object.Setting{Path: p.pathOfPod() + ".topologySpreadConstraints", Value: []any{one}})
}

// keepOnNode is for an agent of every node that its own node evicts.
func keepOnNode(p patient) []remedy {
	if p.manifest.Kind() != state.DaemonSet || p.workload.ID.Namespace != "kube-system" ||
		p.manifest.Pod().PriorityClassName != "" {
		return nil
	}
	return p.of("set priorityClassName: system-node-critical, so that the kubelet evicts other pods first",
		"it may preempt other pods", object.Setting{Path: p.pathOfPod() + ".priorityClassName",
			Value: "system-node-critical"})
}

// calmDescheduler changes the configuration of the descheduler that evicts: it stands in no manifest that is
// rendered, so that the order is in words.
func calmDescheduler(p patient) []remedy {
	if p.descheduler == nil {
		return nil
	}
	var out []remedy
	tune := func(say, cost string, change func(d *state.Descheduler)) {
		out = append(out, remedy{say: say, cost: cost, object: p.workload, tune: func(s *state.Spec) {
			d := *s.Descheduler
			d.Profiles = slices.Clone(d.Profiles)
			for i := range d.Profiles {
				of := &d.Profiles[i]
				of.Deschedule, of.Balance = slices.Clone(of.Deschedule), slices.Clone(of.Balance)
			}
			change(&d)
			s.Descheduler = &d
		}})
	}
	each := func(d *state.Descheduler, change func(*state.DeschedulerPlugin)) {
		for i := range d.Profiles {
			for _, list := range [][]state.DeschedulerPlugin{d.Profiles[i].Deschedule, d.Profiles[i].Balance} {
				for k := range list {
					change(&list[k])
				}
			}
		}
	}
	fits := true
	for i := range p.descheduler.Profiles {
		fits = fits && p.descheduler.Profiles[i].Evictor.NodeFit
	}
	if !fits {
		tune("set nodeFit: true in the descheduler's DefaultEvictor, so it evicts only pods that fit on another node", "",
			func(d *state.Descheduler) {
				for i := range d.Profiles {
					d.Profiles[i].Evictor.NodeFit = true
				}
			})
	}
	each(p.descheduler, func(x *state.DeschedulerPlugin) {
		switch a := x.Args.(type) {
		case *state.SpreadArgs:
			if !slices.Contains(a.Constraints, corev1.ScheduleAnyway) {
				return
			}
			tune("remove ScheduleAnyway from the constraints of the descheduler's "+x.Name+": the scheduler may ignore it",
				"pods stay unevenly spread where the spread is a wish", func(d *state.Descheduler) {
					each(d, func(y *state.DeschedulerPlugin) {
						if b, ok := y.Args.(*state.SpreadArgs); ok {
							c := *b
							c.Constraints = []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule}
							y.Args = &c
						}
					})
				})
		case *state.NodeAffinityArgs:
			if !slices.Contains(a.Types, preferred) {
				return
			}
			tune("let the descheduler's "+x.Name+" look at required affinity only (nodeAffinityType)",
				"pods stay on nodes that are not preferred", func(d *state.Descheduler) {
					each(d, func(y *state.DeschedulerPlugin) {
						if b, ok := y.Args.(*state.NodeAffinityArgs); ok {
							c := *b
							c.Types = []string{required}
							y.Args = &c
						}
					})
				})
		case *state.LowNodeUtilizationArgs:
			for _, to := range []float64{70, 90} {
				if a.Deviation || a.TargetThresholds[corev1.ResourceCPU] >= to {
					continue
				}
				tune(fmt.Sprintf("raise targetThresholds of the descheduler's %s to %v %%, above the share of a node that one of these pods requests", x.Name, to), "busy nodes are relieved later", func(d *state.Descheduler) {
					each(d, func(y *state.DeschedulerPlugin) {
						if b, ok := y.Args.(*state.LowNodeUtilizationArgs); ok {
							c := *b
							c.TargetThresholds = state.ResourceThresholds{}
							for r := range b.TargetThresholds {
								c.TargetThresholds[r] = max(b.TargetThresholds[r], to)
							}
							y.Args = &c
						}
					})
				})
			}
		}
	})
	return out
}
