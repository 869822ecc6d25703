package static

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var ranks = Analyzer{Name: "default-priority", Rule: rules.PreemptionCascade, Run: outranked, Compares: true,
	Doc: "a default priority that comes after the pods"}

// outranked says which PriorityClass comes to be the default of pods that run already without it: these keep the
// priority that they were created with, and every new one may take their place.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/priority: (*Plugin).admitPod, at creation alone.
func outranked(p *Pass) []Remark {
	before := p.where().objects[state.Base]
	was, known := int32(0), false
	for _, o := range before {
		if c := defaultClass(o); c != nil && (!known || c.Value < was) {
			was, known = c.Value, true // the lowest of several counts
		}
	}
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		c := defaultClass(o)
		if c == nil || c.Value <= was || c.PreemptionPolicy != nil && *c.PreemptionPolicy == corev1.PreemptNever {
			continue
		}
		out = append(out, Remark{
			Object: o, Conditional: true,
			paths: []string{"globalDefault", "value", "preemptionPolicy"},
			text: fmt.Sprintf("new pods have priority %d of PriorityClass %s by default, and may preempt any that runs already, with %d",
				c.Value, o.ID.Name, was),
			premise: "nodes are full",
			remedies: []Remedy{{
				Say:  "set preemptionPolicy: Never until all pods have been created again",
				Cost: "a pod of this class waits for room", Object: o,
				Set: []object.Setting{{Path: "preemptionPolicy", Value: string(corev1.PreemptNever)}},
			}},
		})
	}
	return out
}

// defaultClass is the PriorityClass of pods that name none; nil: an object is none.
func defaultClass(o *object.Object) *schedulingv1.PriorityClass {
	if c, ok := o.Typed.(*schedulingv1.PriorityClass); ok && c.GlobalDefault {
		return c
	}
	return nil
}
