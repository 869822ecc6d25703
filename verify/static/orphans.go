package static

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// MostOrphans bounds the notices about one release.
const MostOrphans = 10

// Orphans says which objects of head aim at nothing any more because the change removes
// what they aimed at. Nothing of it breaks a rule: it is said, and gates nothing.
func Orphans(p slice.Pair) []finding.Note {
	base, head := newAimIndex(p.Objects(state.Base)), newAimIndex(p.Objects(state.Head))
	fresh := newcomers(base, head)
	var out []finding.Note
	more := 0
	for _, o := range head.objects {
		b := base.counterpart(o)
		if b == nil || !Targeting(o) {
			continue
		}
		was := base.aimed(b, everything)
		if was == nil || head.aimed(o, everything) != nil || fresh.successor(was) != nil {
			continue // see [dangling] for what is still there in another form
		}
		if len(out) == MostOrphans {
			more++
			continue
		}
		where := o.Locate("metadata.name")
		out = append(out, finding.Say(finding.ActsOnNothing, was.ID).On(o.ID.String()).
			At(where.File, max(where.StartLine, 1)))
	}
	if more > 0 {
		out = append(out, finding.Say(finding.MoreActOnNothing, more).In(p.ID))
	}
	return out
}

// Aimless names the objects that the change brings to act on pods, and that act on none that were rendered: what they
// do to others is not known.
func Aimless(ch *object.Changes) []finding.Note {
	if ch.Base == nil {
		return nil
	}
	var names []string
	var all *aimIndex
	for i := range ch.Changes {
		o := ch.Changes[i].Head
		if ch.Changes[i].Kind != object.Added || o.Hook || !picks(o) {
			continue
		}
		if all == nil {
			all = newAimIndex(renderedObjects(ch.Head))
		}
		fenced := func(t *object.Object) bool { return isFor(o, t) }
		if all.aimed(o, everything) == nil && !slices.ContainsFunc(all.objects, fenced) {
			names = append(names, o.ID.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []finding.Note{finding.Say(finding.AimsAtNothing).With(slices.Compact(names)...)}
}

// picks reports whether an object names the pods that it acts on, or whose they are.
func picks(o *object.Object) bool {
	switch t := o.Typed.(type) {
	case *corev1.Service:
		return len(t.Spec.Selector) > 0
	case *networkingv1.NetworkPolicy:
		return len(t.Spec.PodSelector.MatchLabels)+len(t.Spec.PodSelector.MatchExpressions) > 0
	}
	return Targeting(o)
}

// isFor reports whether a NetworkPolicy is for the pods of a workload.
func isFor(o, target *object.Object) bool {
	n, ok := o.Typed.(*networkingv1.NetworkPolicy)
	if !ok || o.ID.Namespace != target.ID.Namespace {
		return false
	}
	sel, err := metav1.LabelSelectorAsSelector(&n.Spec.PodSelector)
	return err == nil && selects(sel, target)
}

// Targeting reports whether an object is of a kind that acts on workloads.
func Targeting(o *object.Object) bool {
	switch o.Typed.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler, *policyv1.PodDisruptionBudget, *corev1.Service:
		return true
	}
	return slice.Scales(o)
}

// Aims reports whether an object acts on a workload: an autoscaler by its reference, a
// budget or a Service by the labels of its pods.
func Aims(o, target *object.Object) bool {
	if o.Hook || target.Hook || o.ID.Namespace != target.ID.Namespace {
		return false
	}
	switch t := o.Typed.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		ref := t.Spec.ScaleTargetRef
		return ref.Kind == target.ID.Kind && ref.Name == target.ID.Name
	case *policyv1.PodDisruptionBudget:
		sel, err := metav1.LabelSelectorAsSelector(t.Spec.Selector)
		return err == nil && selects(sel, target) // an empty one matches all pods, and none matches nothing
	case *corev1.Service:
		return len(t.Spec.Selector) > 0 && selects(labels.SelectorFromSet(t.Spec.Selector), target)
	}
	return slice.Scales(o) && target.ID.String() == slice.Scaled(o).String()
}

func selects(sel labels.Selector, o *object.Object) bool {
	set, ok := selectable(o)
	return ok && sel.Matches(set)
}
