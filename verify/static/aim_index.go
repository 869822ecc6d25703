package static

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// aimIndex finds among objects those that one of them acts on.
type aimIndex struct {
	objects []*object.Object
	byID    map[string]int // the first with an ID, and the first hook with it
	named   map[[3]string][]int
	pods    *slice.PodIndex
	running map[string][]int  // objects with a pod template, by namespace
	ties    *slice.Neighbours // of the releases that the objects are of; nil: they are of one
}

func newAimIndex(objects []*object.Object) *aimIndex {
	x := &aimIndex{objects: objects, byID: map[string]int{}, named: map[[3]string][]int{}, pods: slice.NewPodIndex(),
		running: map[string][]int{}}
	for i, o := range objects {
		if _, known := x.byID[identity(o)]; !known {
			x.byID[identity(o)] = i
		}
		name := [3]string{o.ID.Namespace, o.ID.Kind, o.ID.Name}
		x.named[name] = append(x.named[name], i)
		if set, ok := selectable(o); ok {
			x.pods.Add(i, o.ID.Namespace, set)
			x.running[o.ID.Namespace] = append(x.running[o.ID.Namespace], i)
		}
	}
	return x
}

// apart reports whether nothing of the release of one object is there for another, see [slice.Neighbours.Separate].
func (x *aimIndex) apart(a, b *object.Object) bool {
	return x.ties != nil && x.ties.Separate(a.Release, b.Release)
}

// joins reports whether one object is there for another: in its release, or in its cluster.
func (x *aimIndex) joins(a, b *object.Object) bool {
	return x.ties == nil || x.ties.Joins(a, b)
}

// identity is an object's ID, which a hook shares only with other hooks.
func identity(o *object.Object) string { return fmt.Sprint(o.Hook, " ", o.ID) }

// selectable are the labels that selectors of pods see of an object; false: it has none.
func selectable(o *object.Object) (labels.Set, bool) {
	template, ok := slice.ValueAt(o.Content, "spec", "template", "metadata", "labels").(map[string]any)
	if o.ID.Kind == "Pod" && o.ID.Group == "" {
		template, ok = slice.ValueAt(o.Content, "metadata", "labels").(map[string]any)
	}
	return labelSet(template), ok
}

// counterpart is the object with the same ID, or nil.
func (x *aimIndex) counterpart(o *object.Object) *object.Object {
	if i, ok := x.byID[identity(o)]; ok {
		return x.objects[i]
	}
	return nil
}

// again is the object with the same ID in the same release, or else in one that runs in its cluster, or may do so; nil:
// there is none.
func (x *aimIndex) again(o *object.Object) *object.Object {
	var out *object.Object
	for _, i := range x.named[[3]string{o.ID.Namespace, o.ID.Kind, o.ID.Name}] {
		switch t := x.objects[i]; {
		case identity(t) != identity(o):
		case t.Release == o.Release:
			return t
		case out == nil && (x.ties == nil || x.ties.Tie(t.Release, o.Release) != slice.Apart):
			out = t
		}
	}
	return out
}

// nearest sorts objects by what is known of where they run: those of an object's own release come first, and last those
// of which nobody says that they run in its cluster.
func (x *aimIndex) nearest(of *object.Object, list []*object.Object) []*object.Object {
	distance := func(o *object.Object) int {
		switch {
		case x.ties == nil || o.Release == of.Release:
			return 0
		case x.ties.Tie(o.Release, of.Release) == slice.Sure:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *object.Object) int { return distance(a) - distance(b) })
	return list
}

// aimed is the first object that one acts on, of those that count; nil: there is none.
func (x *aimIndex) aimed(o *object.Object, counts func(*object.Object) bool) *object.Object {
	for _, i := range x.candidates(o) {
		if t := x.objects[i]; counts(t) && Aims(o, t) {
			return t
		}
	}
	return nil
}

// all are the objects that one acts on.
func (x *aimIndex) all(o *object.Object) []*object.Object {
	var out []*object.Object
	for _, i := range x.candidates(o) {
		if Aims(o, x.objects[i]) {
			out = append(out, x.objects[i])
		}
	}
	return out
}

// joined are the objects of its cluster that one acts on, the nearest first.
func (x *aimIndex) joined(o *object.Object) []*object.Object {
	return x.nearest(o, slices.DeleteFunc(x.all(o), func(t *object.Object) bool { return !x.joins(t, o) }))
}

func everything(*object.Object) bool { return true }

// candidates are the places of the objects that one may act on, see [Aims].
func (x *aimIndex) candidates(o *object.Object) []int {
	switch t := o.Typed.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		ref := t.Spec.ScaleTargetRef
		return x.named[[3]string{o.ID.Namespace, ref.Kind, ref.Name}]
	case *policyv1.PodDisruptionBudget:
		if sel, err := metav1.LabelSelectorAsSelector(t.Spec.Selector); err == nil {
			return x.pods.Candidates(o.ID.Namespace, sel)
		}
	case *corev1.Service:
		return x.pods.Candidates(o.ID.Namespace, labels.SelectorFromSet(t.Spec.Selector))
	default:
		if slice.Scales(o) {
			id := slice.Scaled(o)
			return x.named[[3]string{id.Namespace, id.Kind, id.Name}]
		}
	}
	return nil
}

// selected reports whether a selector matches pods of a namespace.
func (x *aimIndex) selected(namespace string, sel labels.Selector) bool {
	return slices.ContainsFunc(x.pods.Candidates(namespace, sel), func(i int) bool { return selects(sel, x.objects[i]) })
}

// nearly is a workload that an object misses by the value of a label; nil: there is none,
// and the object is written for pods from elsewhere.
func (x *aimIndex) nearly(o *object.Object) *object.Object {
	sel := selectorOf(o)
	var places []int
	for _, k := range identifying {
		if sel[k] != "" {
			places = append(places, x.pods.Having(o.ID.Namespace, k, sel[k])...)
		}
	}
	slices.Sort(places)
	for _, i := range places {
		if t := x.objects[i]; !t.Hook && alike(sel, podLabels(t)) {
			return t
		}
	}
	return x.misspelt(o)
}
