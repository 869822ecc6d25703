package static

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// inAnother is the remark on an autoscaler without a target, or a selector without pods, whose release has a workload
// of that kind and name, or with these labels, in one other namespace; false: it has none, or several, or the namespace
// of either may be given when it is applied. was says that base had it too.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler: (*HorizontalController).reconcileAutoscaler (the target
// is one of the autoscaler's own namespace).
func inAnother(r Remark, was bool, head *aimIndex, of *object.Rendered) (Remark, bool) {
	o := r.Object
	if o.Hook || !slice.Places(of, o) {
		return r, false
	}
	means := func(t *object.Object) bool { return meansByLabels(o, t) }
	if selectorOf(o) == nil {
		ref := slice.Scaled(o)
		means = func(t *object.Object) bool {
			return t.ID.Kind == ref.Kind && t.ID.Name == ref.Name && (ref.Group == "" || t.ID.Group == ref.Group)
		}
	}
	var found *object.Object
	for _, t := range head.objects {
		if t.Hook || !means(t) {
			continue
		}
		if found != nil || t.ID.Namespace == o.ID.Namespace || t.ID.Namespace == "" || !slice.Places(of, t) {
			return r, false
		}
		found = t
	}
	if found == nil {
		return r, false
	}
	r.Rule, r.status = rules.DanglingTarget, finding.New
	r.paths = []string{"metadata.namespace", "spec." + slice.ScaledBy(o)}
	r.causes = []cause{{found, []string{"metadata.namespace"}}}
	r.text = fmt.Sprintf("%s has no target in its namespace: %s is in %s, and it acts on none of another namespace", o.ID,
		shortID(found), found.ID.Namespace)
	r.remedies = []Remedy{{Say: "have it in the namespace " + found.ID.Namespace, Object: o,
		Set: []object.Setting{{Path: "metadata.namespace", Value: found.ID.Namespace}}}}
	if selectorOf(o) != nil && was {
		r.remedies = byHand("move it to " + found.ID.Namespace + " with what leads to it, or take it away")
	}
	return r, true
}

// meansByLabels reports whether a selector is written for the pods of a workload, apart from its namespace.
func meansByLabels(o, t *object.Object) bool {
	sel, pods := selectorOf(o), podLabels(t)
	return len(sel) > 0 && alike(sel, pods) && labels.SelectorFromSet(sel).Matches(labels.Set(pods))
}
