package verify

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostOrphans bounds the notices about one release.
const mostOrphans = 10

// orphans says which objects of head aim at nothing any more because the change removes
// what they aimed at. Nothing of it breaks a rule: it is said, and gates nothing.
func orphans(p pair) []string {
	base, head := p.objects(state.Base), p.objects(state.Head)
	var out []string
	more := 0
	for _, o := range head {
		if !targeting(o) {
			continue
		}
		i := slices.IndexFunc(base, func(b *render.Object) bool { return b.ID.String() == o.ID.String() })
		if i < 0 {
			continue
		}
		was := slices.IndexFunc(base, func(t *render.Object) bool { return aims(base[i], t) })
		if was < 0 || slices.ContainsFunc(head, func(t *render.Object) bool { return aims(o, t) }) || successor(base[was], base, head) != nil {
			continue // see [dangling] for what is still there in another form
		}
		if len(out) == mostOrphans {
			more++
			continue
		}
		where := o.Locate("metadata.name")
		out = append(out, fmt.Sprintf("%s (%s:%d) is left with nothing to act on: %s was removed",
			o.ID, where.File, max(where.StartLine, 1), base[was].ID))
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%s: %d more objects are left with nothing to act on", p.id, more))
	}
	return out
}

// targeting says whether an object is of a kind that acts on workloads.
func targeting(o *render.Object) bool {
	switch o.Typed.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler, *policyv1.PodDisruptionBudget, *corev1.Service:
		return true
	}
	return scales(o)
}

// aims says whether an object acts on a workload: an autoscaler by its reference, a
// budget or a Service by the labels of its pods.
func aims(o, target *render.Object) bool {
	if o.Hook || target.Hook || o.ID.Namespace != target.ID.Namespace {
		return false
	}
	switch t := o.Typed.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		ref := t.Spec.ScaleTargetRef
		return ref.Kind == target.ID.Kind && ref.Name == target.ID.Name
	case *policyv1.PodDisruptionBudget:
		sel, err := metav1.LabelSelectorAsSelector(t.Spec.Selector)
		return err == nil && !sel.Empty() && selects(sel, target)
	case *corev1.Service:
		return len(t.Spec.Selector) > 0 && selects(labels.SelectorFromSet(t.Spec.Selector), target)
	}
	return scales(o) && target.ID.String() == scaled(o).String()
}

// scaled is the workload that an object of an unknown kind sets the size of.
func scaled(o *render.Object) render.ObjectID {
	id := render.ObjectID{Group: "apps", Kind: "Deployment", Namespace: o.ID.Namespace}
	for _, field := range []string{"scaleTargetRef", "targetRef"} {
		if name, ok := valueAt(o.Content, "spec", field, "name").(string); ok {
			id.Name = name
			if kind, ok := valueAt(o.Content, "spec", field, "kind").(string); ok {
				id.Kind = kind
			}
			if v, ok := valueAt(o.Content, "spec", field, "apiVersion").(string); ok {
				id.Group, _, _ = strings.Cut(v, "/")
			}
			return id
		}
	}
	return id
}

func selects(sel labels.Selector, o *render.Object) bool {
	template, ok := valueAt(o.Content, "spec", "template", "metadata", "labels").(map[string]any)
	if o.ID.Kind == "Pod" && o.ID.Group == "" {
		template, ok = valueAt(o.Content, "metadata", "labels").(map[string]any)
	}
	set := labels.Set{}
	for k, v := range template {
		set[k] = fmt.Sprint(v)
	}
	return ok && sel.Matches(set)
}
