package static

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// selectorKept are ways to have other labels on pods under a selector, which cannot change: the labels stand on the
// pods alone; or, where one of those that were selected has another value now, it is selected no more, and the object
// is created again over the pods that there are.
func (x *Applied) selectorKept() []Remedy {
	was, okWas := selected(x.Base)
	is, okIs := selected(x.Head)
	pods := podLabels(x.Head)
	if !okWas || !okIs || len(was) == 0 {
		return nil
	}
	if allFitLabels(was, pods) {
		var alone []string
		for _, k := range slices.Sorted(maps.Keys(is)) {
			if _, ok := was[k]; !ok {
				alone = append(alone, k)
			}
		}
		say := "leave spec.selector as it is, which cannot change: the pods have those labels all the same"
		if len(alone) > 0 {
			say = fmt.Sprintf("have %s on the pods alone: spec.selector cannot change", strings.Join(alone, ", "))
		}
		return []Remedy{{Say: say, Object: x.Head, Set: selecting(is, was)}}
	}
	both := map[string]string{}
	for k, v := range was {
		if is[k] == v && pods[k] == v {
			both[k] = v
		}
	}
	if len(both) == 0 {
		return nil
	}
	var moving []string
	for _, k := range slices.Sorted(maps.Keys(is)) {
		if _, ok := both[k]; !ok {
			moving = append(moving, k)
		}
	}
	return []Remedy{{
		Say: fmt.Sprintf("leave %s out of spec.selector, and on the pods alone; then, once, delete the %s without its pods before the apply (%s)",
			strings.Join(moving, ", "), x.Head.ID.Kind, orphaned(x.Head)),
		Cost: "one step by hand", Object: x.Head, Set: selecting(is, both), Before: selecting(was, both),
	}}
}

// selected are the labels by which a workload selects its pods; false where it selects by expressions as well.
func selected(o *object.Object) (map[string]string, bool) {
	if o == nil || slice.ValueAt(o.Content, "spec", "selector", "matchExpressions") != nil {
		return nil, false
	}
	return podSelector(o), true
}

func allFitLabels(sel, pods map[string]string) bool {
	for k, v := range sel {
		if have, ok := pods[k]; !ok || have != v {
			return false
		}
	}
	return true
}

// selecting makes one selector of another.
func selecting(from, to map[string]string) []object.Setting {
	var set []object.Setting
	at := func(k string) string { return "spec.selector.matchLabels[" + k + "]" }
	for _, k := range slices.Sorted(maps.Keys(from)) {
		if _, ok := to[k]; !ok {
			set = append(set, object.Setting{Path: at(k)})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(to)) {
		if from[k] != to[k] {
			set = append(set, object.Setting{Path: at(k), Value: to[k]})
		}
	}
	return set
}

// orphaned is the command that deletes an object and leaves its pods, which its successor takes over.
func orphaned(o *object.Object) string {
	out := "kubectl delete " + strings.ToLower(o.ID.Kind) + " " + o.ID.Name
	if o.ID.Namespace != "" {
		out += " -n " + o.ID.Namespace
	}
	return out + " --cascade=orphan"
}

// anewOverPods creates a StatefulSet again over the pods that there are, with what cannot change in place.
func (x *Applied) anewOverPods(now *appsv1.StatefulSet) []Remedy {
	var before []object.Setting
	was, _ := slice.ValueAt(x.Base.Content, "spec").(map[string]any)
	is, _ := slice.ValueAt(x.Head.Content, "spec").(map[string]any)
	names := map[string]bool{}
	for k := range was {
		names[k] = true
	}
	for k := range is {
		names[k] = true
	}
	mutable := validation.Mutable(now, "spec")
	var moved []string
	for _, k := range slices.Sorted(maps.Keys(names)) {
		if slices.Contains(mutable, "spec."+k) || reflect.DeepEqual(was[k], is[k]) {
			continue
		}
		before, moved = append(before, object.Setting{Path: "spec." + k, Value: is[k]}), append(moved, k)
	}
	sel, ok := selected(x.Head)
	if len(before) == 0 || !ok || !allFitLabels(sel, podLabels(x.Base)) {
		return nil // its successor would not take its pods over
	}
	say := fmt.Sprintf("as %s cannot change in place, delete the StatefulSet without its pods before the apply (%s), which creates it again over them",
		strings.Join(moved, ", "), orphaned(x.Head))
	if resizes(x.Base, now) {
		say = "resize the claims themselves (kubectl edit pvc); " + say
	}
	return []Remedy{{Say: say, Cost: "one step by hand", Object: x.Head, Before: before}}
}
