package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render"
)

// runsPods says whether an object is a workload that no actor drives: one of Kubernetes'
// own kinds, or of a kind that is unknown and has a pod template, such as an Argo Rollout.
func runsPods(o *render.Object) bool {
	if unmodeled[kindOf(o.ID)] {
		return true
	}
	if o.Typed != nil {
		return false
	}
	list, ok := valueAt(o.Content, "spec", "template", "spec", "containers").([]any)
	return ok && len(list) > 0
}

// scales says whether an object of an unknown kind sets the size of a workload, such as a
// VerticalPodAutoscaler or a KEDA ScaledObject; [sizesPods] and [wakes] know those that are
// modeled.
func scales(o *render.Object) bool {
	if o.Typed != nil {
		return false
	}
	for _, field := range []string{"scaleTargetRef", "targetRef"} {
		if _, ok := valueAt(o.Content, "spec", field, "name").(string); ok && strings.Contains(strings.ToLower(o.ID.Kind), "scale") {
			return true
		}
	}
	return false
}

// valueAt is the value of a field, or nil.
func valueAt(content map[string]any, path ...string) any {
	var v any = content
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// foreign words what head has of kinds that are not modeled, once a kind.
func foreign(head *render.Revision) []string {
	pods, scalers := map[string]bool{}, map[string]bool{}
	for _, rel := range head.Releases {
		for _, o := range rel.Objects {
			switch {
			case runsPods(o):
				pods[o.ID.Kind] = true
			case scales(o) && !sizesPods(o) && !wakes(o):
				scalers[kindOf(o.ID)] = true
			}
		}
	}
	var out []string
	if names := slices.Sorted(maps.Keys(pods)); len(names) > 0 {
		out = append(out, "not modeled, and treated as not there: "+strings.Join(names, ", "))
	}
	if names := slices.Sorted(maps.Keys(scalers)); len(names) > 0 {
		out = append(out, fmt.Sprintf("not modeled, and treated as not scaling: %s", strings.Join(names, ", ")))
	}
	return out
}
