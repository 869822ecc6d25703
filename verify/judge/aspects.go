package judge

import (
	"reflect"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// aspect is a group of fields that can be undone on its own: head's value is put back to
// base's, and the search run again. A violation that then vanishes is to blame on it.
type aspect struct {
	kind, path string // workloadObject or a kind, "spec.template.spec.affinity"
	// undo writes base's value into head's manifest (already a copy) and reports whether
	// the two differed.
	undo func(head, base *state.Manifest) bool
}

// aspects lists what can be undone in a manifest, in the order in which its fields stand:
// the number of replicas, what its kind declares of the object, the template, and what
// targets the workload.
func aspects(head *state.Manifest) []aspect {
	template := func(path string, field func(*corev1.PodTemplateSpec) any) aspect {
		return aspect{workloadObject, "spec.template." + path, func(h, b *state.Manifest) bool {
			return put(field(h.Template()), field(b.Template()))
		}}
	}
	hpa := func(path string, field func(*autoscalingv2.HorizontalPodAutoscaler) any) aspect {
		return aspect{"HorizontalPodAutoscaler", path, func(h, b *state.Manifest) bool {
			return h.HPA != nil && b.HPA != nil && put(field(h.HPA), field(b.HPA))
		}}
	}
	out := []aspect{
		{workloadObject, "spec.replicas", func(h, b *state.Manifest) bool {
			same := h.DeclaresReplicas == b.DeclaresReplicas
			h.DeclaresReplicas = b.DeclaresReplicas
			f := h.ReplicasField()
			return f != nil && put(f, b.ReplicasField()) || !same
		}},
	}
	for _, path := range objectPaths(head) {
		out = append(out, aspect{workloadObject, path, func(h, b *state.Manifest) bool {
			to, from := fieldOf(h, path), fieldOf(b, path)
			return to != nil && from != nil && put(to, from)
		}})
	}
	out = append(out,
		template("metadata.labels", func(t *corev1.PodTemplateSpec) any { return &t.Labels }),
		template("metadata.annotations", func(t *corev1.PodTemplateSpec) any { return &t.Annotations }))
	for _, f := range kube.Placing() {
		if f.Path != "containers" {
			out = append(out, template("spec."+f.Path, func(t *corev1.PodTemplateSpec) any { return f.In(&t.Spec) }))
			continue
		}
		out = append(out,
			aspect{workloadObject, containerResources, func(h, b *state.Manifest) bool { return mixContainers(h, b, true) }},
			aspect{workloadObject, containers, func(h, b *state.Manifest) bool { return mixContainers(h, b, false) }})
	}
	return append(out, []aspect{
		hpa("spec.minReplicas", func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Spec.MinReplicas }),
		hpa("spec.maxReplicas", func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Spec.MaxReplicas }),
		hpa("spec.metrics", func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Spec.Metrics }),
		hpa("spec.behavior", func(h *autoscalingv2.HorizontalPodAutoscaler) any { return &h.Spec.Behavior }),
		{"HorizontalPodAutoscaler", "", func(h, b *state.Manifest) bool {
			if (h.HPA == nil) == (b.HPA == nil) {
				return false
			}
			h.HPA = b.HPA
			return true
		}},
		{autoscalers, "", func(h, b *state.Manifest) bool {
			differ := put(&h.Rivals, &b.Rivals) || (h.KEDA == nil) != (b.KEDA == nil)
			if differ { // which of several comes first says nothing
				h.HPA, h.KEDA = b.HPA, b.KEDA
			}
			return differ
		}},
		{"PodDisruptionBudget", "", func(h, b *state.Manifest) bool { return put(&h.PDBs, &b.PDBs) }},
	}...)
}

// objectPaths are the fields that a workload's kind declares beside replicas and template.
func objectPaths(m *state.Manifest) []string {
	var out []string
	for _, a := range m.Aspects() {
		out = append(out, a.Path)
	}
	return out
}

// fieldOf is the place of such a field in a manifest; nil where there is none.
func fieldOf(m *state.Manifest, path string) any {
	for _, a := range m.Aspects() {
		if a.Path == path {
			return a.Field
		}
	}
	return nil
}

// mixContainers puts the resources of head's containers back to base's, or all but their
// resources, and reports whether they differed. A container is known by its name.
func mixContainers(head, base *state.Manifest, resources bool) bool {
	keep, take := head.Pod().Containers, base.Pod().Containers
	if !resources {
		keep, take = take, keep
	}
	mixed := make([]corev1.Container, len(keep))
	for i := range keep {
		keep[i].DeepCopyInto(&mixed[i])
		if j := slices.IndexFunc(take, func(c corev1.Container) bool { return c.Name == mixed[i].Name }); j >= 0 {
			take[j].Resources.DeepCopyInto(&mixed[i].Resources)
		}
	}
	return put(&head.Pod().Containers, &mixed)
}

// of reports whether a kind of object is the aspect's; there are two kinds of WebhookConfiguration.
func (a aspect) of(kind string) bool {
	if a.kind == autoscalers {
		return kind == "HorizontalPodAutoscaler" || kind == "ScaledObject"
	}
	if a.kind == mutators {
		return strings.HasPrefix(kind, "MutatingAdmissionPolicy") || kind == "ConfigMap" || // its parameters
			kind == "ClusterPolicy" || kind == "Policy"
	}
	if a.kind == refusers {
		return kind == "Namespace" || kind == "RuntimeClass" ||

			strings.HasSuffix(strings.TrimSuffix(kind, "Binding"), "AdmissionPolicy") ||
			kind == "ClusterPolicy" || kind == "Policy"
	}
	return kind == a.kind || a.kind == "WebhookConfiguration" && strings.HasSuffix(kind, a.kind)
}

// covers reports whether a changed field is one of the aspect's.
func (a aspect) covers(path string) bool {
	if list, field, each := strings.Cut(a.path, "[]."); each {
		rest, in := strings.CutPrefix(path, list+"[")
		_, rest, of := strings.Cut(rest, "].")
		return in && of && within(rest, field)
	}
	if a.path == containers && (aspect{path: containerResources}).covers(path) {
		return false
	}
	return a.path == "" || within(path, a.path)
}

// put copies *src to *dst (pointers of one type) and reports whether they differed.
func put(dst, src any) bool {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	if reflect.DeepEqual(d.Interface(), s.Interface()) {
		return false
	}
	d.Set(s)
	return true
}
