package static

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// selectPods has a selector at a path of an object select the pods of a workload: a label that they have with another
// value takes theirs; in the place of one that they do not have comes the one that has its value, or else come those
// that the workload itself selects them by.
func selectPods(o, t *object.Object, at string, sel map[string]string) []Remedy {
	pod, own, want := podLabels(t), podSelector(t), map[string]string{}
	var set, gone []object.Setting // written fields come first, so that no selector of nothing is in between
	for _, k := range slices.Sorted(maps.Keys(sel)) {
		have, ok := pod[k]
		switch {
		case !ok:
			gone = append(gone, object.Setting{Path: at + "[" + k + "]"})
			if twin := labelOf(sel[k], k, pod, sel); twin != "" && want[twin] == "" {
				set, want[twin] = append(set, object.Setting{Path: at + "[" + twin + "]", Value: sel[k]}), sel[k]
			}
			continue
		case have != sel[k]:
			set = append(set, object.Setting{Path: at + "[" + k + "]", Value: have})
		}
		want[k] = have
	}
	if len(set)+len(gone) == 0 {
		return nil
	}
	say := fmt.Sprintf("select the labels that the pods of %s have", shortID(t))
	var out []Remedy
	if len(want) > 0 {
		out = []Remedy{{Say: say, Object: o, Set: slices.Concat(set, gone)}}
	}
	if len(want) == len(sel) {
		return out
	}
	for _, k := range slices.Sorted(maps.Keys(own)) {
		if want[k] == "" && pod[k] == own[k] {
			set, want[k] = append(set, object.Setting{Path: at + "[" + k + "]", Value: own[k]}), own[k]
		}
	}
	if len(set) == 0 {
		return out
	}
	return append([]Remedy{{Say: say, Object: o, Set: append(set, gone...)}}, out...)
}

// labelOf is the key under which pods have a value that a selector looks for under another one: one spelt almost so, or
// with the same end, or the only one that the selector does not name; "": there is none.
func labelOf(value, key string, pod, sel map[string]string) string {
	var having []string
	for _, k := range slices.Sorted(maps.Keys(pod)) {
		if _, named := sel[k]; named || pod[k] != value {
			continue
		}
		if slip(k, key) || strings.EqualFold(path.Base(k), path.Base(key)) {
			return k
		}
		having = append(having, k)
	}
	if len(having) != 1 {
		return ""
	}
	return having[0]
}

// selectOwn has a placement rule of a workload select its own pods, by what the workload selects them by.
func selectOwn(o *object.Object, t placed) []Remedy {
	own := map[string]any{}
	for k, v := range podSelector(o) {
		own[k] = v
	}
	if len(own) == 0 {
		return nil
	}
	var set []object.Setting
	if len(t.selector.MatchExpressions) > 0 {
		set = append(set, object.Setting{Path: t.path + ".matchExpressions"})
	}
	if len(t.selector.MatchLabels) == 0 {
		set = append(set, object.Setting{Path: t.path + ".matchLabels", Value: own})
	}
	for _, k := range slices.Sorted(maps.Keys(t.selector.MatchLabels)) {
		switch want, ok := own[k]; {
		case !ok:
			set = append(set, object.Setting{Path: t.path + ".matchLabels[" + k + "]"})
		case want != t.selector.MatchLabels[k]:
			set = append(set, object.Setting{Path: t.path + ".matchLabels[" + k + "]", Value: want})
		}
	}
	left := slices.ContainsFunc(slices.Sorted(maps.Keys(own)),
		func(k string) bool { _, ok := t.selector.MatchLabels[k]; return ok })
	if len(t.selector.MatchLabels) > 0 && !left { // nothing would be left of it
		set = append(set, object.Setting{Path: t.path + ".matchLabels", Value: own})
	}
	return []Remedy{{Say: "have " + t.path + " select the labels that the workload selects its own pods by", Object: o,
		Set: set}}
}

// podSelector are the labels by which a workload selects its pods.
func podSelector(o *object.Object) map[string]string {
	if o.Typed == nil { // as a DeploymentConfig has it
		list, _ := slice.ValueAt(o.Content, "spec", "selector").(map[string]any)
		out := map[string]string{}
		for k, v := range list {
			if text, ok := v.(string); ok {
				out[k] = text
			}
		}
		return out
	}
	var sel *metav1.LabelSelector
	switch t := o.Typed.(type) {
	case *appsv1.Deployment:
		sel = t.Spec.Selector
	case *appsv1.StatefulSet:
		sel = t.Spec.Selector
	case *appsv1.DaemonSet:
		sel = t.Spec.Selector
	}
	if sel == nil {
		return nil
	}
	return sel.MatchLabels
}

// selectLater leaves a Service with what it selects while the new labels are rolled out.
func selectLater(o, before *object.Object, next []*object.Object) []Remedy {
	was, is := selectorOf(before), selectorOf(o)
	if !allFit(was, next) {
		return byHand("keep labels that the running pods have: roll the new ones out first, and select them in a separate change")
	}
	set := []object.Setting{}
	for k := range is {
		if _, ok := was[k]; !ok {
			set = append(set, object.Setting{Path: "spec.selector[" + k + "]"})
		}
	}
	for k, v := range was {
		if is[k] != v {
			set = append(set, object.Setting{Path: "spec.selector[" + k + "]", Value: v})
		}
	}
	slices.SortFunc(set, func(a, b object.Setting) int { return strings.Compare(a.Path, b.Path) })
	return []Remedy{{Say: fmt.Sprintf("select %s until the new pods are ready, and %s in a separate change", words(was),
		words(is)), Cost: "two changes in place of one", Object: o, Set: set}}
}
