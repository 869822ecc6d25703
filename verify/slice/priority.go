package slice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// priorities are the PriorityClasses that a version declares.
type priorities struct {
	objects  map[string]*object.Object // by name
	fallback string                    // of pods that name none; "" is none
	spec     state.Spec                // the same, as head's
}

// newPriorities gathers PriorityClasses.
//
// Upstream: plugin/pkg/admission/priority: (*Plugin).getDefaultPriorityClass: of several
// defaults the one with the lowest value.
func newPriorities(objects map[string]*object.Object) priorities {
	p := priorities{objects: objects,
		spec: state.Spec{PriorityClasses: map[string]int32{}, NeverPreempt: map[string]bool{}}}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		class := objects[name].Typed.(*schedulingv1.PriorityClass)
		p.spec.PriorityClasses[name] = class.Value
		if class.PreemptionPolicy != nil && *class.PreemptionPolicy == corev1.PreemptNever {
			p.spec.NeverPreempt[name] = true
		}
		if class.GlobalDefault && (p.fallback == "" || class.Value < p.spec.PriorityClasses[p.fallback]) {
			p.fallback = name
		}
	}
	p.spec.DefaultPriority[state.Head] = p.fallback
	return p
}

// of is the PriorityClass that the pods of a workload get; nil where it is not among
// the objects.
func (p *priorities) of(pod *corev1.PodSpec) *object.Object {
	if name := pod.PriorityClassName; name != "" {
		return p.objects[name]
	}
	return p.objects[p.fallback]
}

// admit gives a pod the priority and the preemptionPolicy of its class, or says why it is refused: it has others. Of a
// class that is not among the objects nothing is known.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/priority: (*Plugin).admitPod, establishPriority.
func (p *priorities) admit(pod *corev1.PodSpec) *state.Refusal {
	own, policy := pod.Priority, pod.PreemptionPolicy
	class := cmp.Or(pod.PriorityClassName, p.fallback)
	named := &corev1.Pod{Spec: corev1.PodSpec{PriorityClassName: class}}
	value, known := scheduler.PriorityOf(&p.spec, named, state.Head)
	if !known {
		return nil
	}
	of := corev1.PreemptLowerPriority
	if p.spec.NeverPreempt[class] {
		of = corev1.PreemptNever
	}
	pod.PriorityClassName, pod.Priority, pod.PreemptionPolicy = class, &value, &of
	const text = "forbidden: the %s (%v) must not be provided in pod spec; priority admission controller computed %v from " +
		"the given PriorityClass name"
	r := &state.Refusal{}
	switch {
	case own != nil && *own != value:
		r.Text, r.Own = fmt.Sprintf(text, "integer value of priority", *own, value), "spec.template.spec.priority"
	case policy != nil && *policy != of:
		r.Text = fmt.Sprintf(text, "string value of PreemptionPolicy", *policy, of)
		r.Own = "spec.template.spec.preemptionPolicy"
	default:
		return nil
	}
	if o := p.objects[class]; o != nil {
		r.With = o.ID.String()
	}
	return r
}

// prioritize enters the PriorityClasses of both versions; head's win.
func prioritize(spec *state.Spec, sides [2]side) {
	spec.PriorityClasses, spec.NeverPreempt = map[string]int32{}, map[string]bool{}
	for v := range sides {
		p := &sides[v].priorities
		for name, value := range p.spec.PriorityClasses {
			spec.PriorityClasses[name] = value
			spec.NeverPreempt[name] = p.spec.NeverPreempt[name]
		}
		spec.DefaultPriority[v] = p.fallback
	}
}

// outranks reports whether pods of high, in a version, are scheduled before pods of low, in
// another, and may take their place if their preemptionPolicy lets them.
func outranks(high *object.Object, of side, low *object.Object, in side) bool {
	p, q := templateOf(high), templateOf(low)
	a, known := scheduler.Priority(&of.priorities.spec, p, state.Head)
	b, also := scheduler.Priority(&in.priorities.spec, q, state.Head)
	return known && also && a > b && scheduler.Compete(p, q)
}

// Limited reports whether the capacity of some nodes is known, so that pods can run out of it.
func Limited(p *policies.Policy) bool {
	return len(p.Cluster.Nodes) > 0 ||
		slices.ContainsFunc(p.Cluster.Pools, func(pool policies.NodePool) bool { return !pool.Elastic })
}
