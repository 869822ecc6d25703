package slice

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kyverno"
)

// RunsPods reports whether an object is a workload that no actor drives: of a kind that is unknown and has a pod
// template, or holds the spec of a workload, or a manifest of what deploys one, for a controller to apply.
func RunsPods(o *object.Object) bool {
	if o.Typed != nil || o.ID.Group == "apiextensions.k8s.io" || IsTest(o) {
		return false
	}
	list, ok := ValueAt(o.Content, "spec", "template", "spec", "containers").([]any)
	return ok && len(list) > 0 || !deploys(o.ID.Group) && holdsWorkload(asks(o))
}

// asks is the part of an object of an unknown kind that says what its controller makes: its spec. A policy of Kyverno
// makes what its rules generate; what they match, patch or check is another's.
func asks(o *object.Object) any {
	spec := o.Content["spec"]
	if o.ID.Group != kyverno.Group {
		return spec
	}
	rules, _ := ValueAt(o.Content, "spec", "rules").([]any)
	var out []any
	for _, r := range rules {
		if r, ok := r.(map[string]any); ok {
			out = append(out, r["generate"])
		}
	}
	return out
}

// IsTest reports whether an object is read by a test runner only, and is never in a cluster: the test applies its
// content, and takes it away again.
func IsTest(o *object.Object) bool {
	return slices.Contains([]string{"chainsaw.kyverno.io", "cli.kyverno.io", "kuttl.dev"}, o.ID.Group)
}

// deploys reports whether rendering follows what kinds of a group deploy.
func deploys(group string) bool {
	return strings.HasSuffix(group, "toolkit.fluxcd.io") || group == "argoproj.io" || group == "helm.cattle.io"
}

// holdsWorkload reports whether a manifest of a workload, or of what deploys one, is in a value.
func holdsWorkload(v any) bool {
	switch x := v.(type) {
	case []any:
		return slices.ContainsFunc(x, holdsWorkload)
	case map[string]any:
		version, _ := x["apiVersion"].(string)
		kind, _ := x["kind"].(string)
		if spec, ok := x["spec"].(map[string]any); ok {
			group, _, named := strings.Cut(version, "/")
			pods := ValueAt(spec, "template", "spec", "containers") != nil ||
				ValueAt(spec, "jobTemplate", "spec", "template", "spec", "containers") != nil
			if pods || version != "" && kind != "" && (spec["containers"] != nil || named && deploys(group)) {
				return true
			}
		}
		for _, v := range x {
			if holdsWorkload(v) {
				return true
			}
		}
	}
	return false
}

// AsksOfPods reports whether an object of an unknown kind says where pods may stand that an operator makes of it: four
// fields deep in its spec, at most, is one by which a pod does.
func AsksOfPods(o *object.Object) bool {
	if o.Typed != nil || o.Hook || RunsPods(o) || deploys(o.ID.Group) || strings.HasPrefix(o.ID.Group, "karpenter.") {
		return false
	}
	return placesPods(asks(o), 4)
}

// ConfiguresPods reports whether a ConfigMap holds a document that says where pods may stand, or how large they are, as
// that of an operator does for the pods that it makes.
func ConfiguresPods(o *object.Object) bool {
	if o.ID.Group != "" || o.ID.Kind != "ConfigMap" {
		return false
	}
	data, _ := o.Content["data"].(map[string]any)
	for _, v := range data {
		text, _ := v.(string)
		var doc map[string]any
		if yaml.Unmarshal([]byte(text), &doc) == nil && (placesPods(doc, 4) || sizesPods(doc, 4)) {
			return true
		}
	}
	return false
}

// sizesPods reports whether a value has what a container requests, or its limits.
func sizesPods(v any, depth int) bool {
	m, ok := v.(map[string]any)
	if !ok || depth < 0 {
		return false
	}
	for key, v := range m {
		if sizes, ok := v.(map[string]any); ok && key == "resources" {
			_, requests := sizes["requests"].(map[string]any)
			_, limits := sizes["limits"].(map[string]any)
			if requests || limits {
				return true
			}
		}
		if sizesPods(v, depth-1) {
			return true
		}
	}
	return false
}

func placesPods(v any, depth int) bool {
	if depth < 0 {
		return false
	}
	switch x := v.(type) {
	case []any:
		return slices.ContainsFunc(x, func(v any) bool { return placesPods(v, depth) })
	case map[string]any:
		for key, v := range x {
			switch key {
			case "affinity", "tolerations", "nodeSelector", "topologySpreadConstraints", "podTemplate":
				return true
			}
			if placesPods(v, depth-1) {
				return true
			}
		}
	}
	return false
}

// Scales reports whether an object of an unknown kind sets the size of a workload, such as a
// VerticalPodAutoscaler or a KEDA ScaledObject; [scalers] has those that are modeled.
func Scales(o *object.Object) bool {
	if o.Typed != nil {
		return false
	}
	_, named := ValueAt(o.Content, "spec", ScaledBy(o), "name").(string)
	return named && strings.Contains(strings.ToLower(o.ID.Kind), "scale")
}

// ScaledBy is the field of an autoscaler's spec that names what it scales.
func ScaledBy(o *object.Object) string {
	const usual, vertical = "scaleTargetRef", "targetRef"
	if _, named := ValueAt(o.Content, "spec", usual, "name").(string); named || o.Typed != nil {
		return usual
	}
	return vertical
}

// scaler is a kind of object beside Kubernetes' own that sets the size of a workload, or of its pods, and that an
// actor drives.
type scaler struct {
	is    func(*object.Object) bool
	found func(*finder) map[string][]*object.Object // where they are kept, by the target's ID
}

// scalers lists the kinds that scale a workload, which are looked up and known to be modeled by this list alone.
var scalers = []scaler{
	{isVPA, func(f *finder) map[string][]*object.Object { return f.vpas }},
	{IsScaledObject, func(f *finder) map[string][]*object.Object { return f.keda }},
}

// isDriven reports whether an actor drives what an object of an unknown kind sets.
func isDriven(o *object.Object) bool {
	return slices.ContainsFunc(scalers, func(s scaler) bool { return s.is(o) })
}

// ValueAt is the value of a field, or nil.
func ValueAt(content map[string]any, path ...string) any {
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

// Foreign says what head has of kinds that are not modeled, once a kind: of the objects that a change is about. What
// scales such workloads may lie in another release.
func Foreign(head *object.Revision, about func(*object.Rendered, object.ID) bool) []finding.Note {
	pods, scalers, theirs := map[string]bool{}, map[string]bool{}, map[object.ID]bool{}
	for _, rel := range head.Releases {
		for _, o := range rel.Objects {
			theirs[o.ID] = theirs[o.ID] || about(rel, o.ID)
		}
	}
	for _, rel := range head.Releases {
		for _, o := range rel.Objects {
			switch {
			case RunsPods(o) && about(rel, o.ID):
				pods[o.ID.Kind] = true
			case Scales(o) && !isDriven(o) && (about(rel, o.ID) || theirs[Scaled(o)]):
				scalers[kindOf(o.ID)] = true
			}
		}
	}
	var out []finding.Note
	if names := slices.Sorted(maps.Keys(pods)); len(names) > 0 {
		out = append(out, finding.Say(finding.KindsAbsent).With(names...))
	}
	if names := slices.Sorted(maps.Keys(scalers)); len(names) > 0 {
		out = append(out, finding.Say(finding.ScalersAbsent).With(names...))
	}
	return out
}

// Scaled is the workload that an object of an unknown kind sets the size of.
func Scaled(o *object.Object) object.ID {
	id := object.ID{Group: "apps", Kind: "Deployment", Namespace: o.ID.Namespace}
	field := ScaledBy(o)
	name, ok := ValueAt(o.Content, "spec", field, "name").(string)
	if !ok {
		return id
	}
	id.Name = name
	if kind, ok := ValueAt(o.Content, "spec", field, "kind").(string); ok {
		id.Kind = kind
	}
	if v, ok := ValueAt(o.Content, "spec", field, "apiVersion").(string); ok {
		id.Group, _, _ = strings.Cut(v, "/")
	}
	return id
}
