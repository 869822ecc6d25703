package static

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Remedies are ways out of a shortage: more room where a manifest says how much there is, else fewer pods, or pods that
// say what they take.
func (s Shortage) Remedies(sl *slice.Slice) []Remedy {
	w := &sl.Spec.Workloads[s.Workload]
	o := headOf(sl, w.ID)
	if o == nil || o.Maker != nil {
		return nil
	}
	out := s.raised(sl, w)
	if s.quota != nil && s.none != "" && !s.Queued {
		out = append(out, sayWhatIsCounted(o, &w.Manifests[state.Head], s.quota)...)
	}
	if s.Fit < 1 || len(s.fields) == 0 {
		return out
	}
	at, path := headOf(sl, s.fields[0].Object), s.fields[0].Field
	if at == nil || at.Maker != nil || path == "spec" {
		return out
	}
	replicas, cost := english.Plural(int(s.Fit), "replica", ""), "fewer replicas"
	say := fmt.Sprintf("run %s, for which there is room", replicas)
	switch path {
	case "spec.parallelism":
		say, cost = fmt.Sprintf("run %s at a time", english.Plural(int(s.Fit), "pod", "")), "the Job takes longer"
	case "spec.maxReplicas":
		say, cost = fmt.Sprintf("scale to %s at most, for which there is room", replicas), "less is done under load"
	case "spec.minReplicas":
		say = fmt.Sprintf("keep %s at least, for which there is room", replicas)
	}
	return append(out, Remedy{Say: fmt.Sprintf("%s: %s: %d", say, path[len("spec."):], s.Fit), Cost: cost, Object: at,
		Set: []object.Setting{{Path: path, Value: int(s.Fit)}}})
}

// headOf is an object of a slice on head; nil: it is not there.
func headOf(sl *slice.Slice, id string) *object.Object {
	if pair := sl.Objects[id]; pair != nil {
		return pair[state.Head]
	}
	return nil
}

// raised has a quota give what all pods ask for, and one more that a rollout makes.
func (s Shortage) raised(sl *slice.Slice, w *state.Workload) []Remedy {
	if s.each <= 0 || s.name == "" {
		return nil
	}
	if s.quota != nil {
		o := headOf(sl, "ResourceQuota "+w.Namespace+"/"+s.quota.Name)
		if o == nil {
			return nil
		}
		want, path := amount(s.name, (s.Asked+1)*s.each+s.taken), "spec.hard["+string(s.name)+"]"
		return []Remedy{{
			Say:    fmt.Sprintf("raise %s of the quota to %s: what %s for, and one more during a rollout", s.name, want, asking(s.Asked)),
			Cost:   "the namespace may use more",
			Object: o, Set: []object.Setting{{Path: path, Value: asWritten(o, path, want)}},
		}}
	}
	if s.queue == nil {
		return nil
	}
	o := headOf(sl, s.queue.Object)
	if o == nil {
		return nil
	}
	path, have := nominalQuota(o, s.name)
	if path == "" {
		return nil
	}
	if m := &w.Manifests[state.Head]; m.Kind() == state.Deployment {
		s.Asked++
	}
	want := amount(s.name, have+s.Asked*s.each-s.most)
	return []Remedy{{
		Say:    fmt.Sprintf("raise nominalQuota of %s in %s to %s", s.name, o.ID.Name, want),
		Cost:   "the queue may use more",
		Object: o, Set: []object.Setting{{Path: path, Value: asWritten(o, path, want)}},
	}}
}

func asking(n int64) string {
	if n == 1 {
		return "1 pod asks"
	}
	return fmt.Sprintf("%d pods ask", n)
}

// amount is a number of thousandths as it is written.
func amount(name corev1.ResourceName, milli int64) string {
	switch name {
	case corev1.ResourceMemory, corev1.ResourceRequestsMemory, corev1.ResourceLimitsMemory:
		return resource.NewQuantity(milli/1000, resource.BinarySI).String()
	}
	return resource.NewMilliQuantity(milli, resource.DecimalSI).String()
}

// asWritten is an amount as a number where the field has one, or as text.
func asWritten(o *object.Object, path, amount string) any {
	if was, _ := o.At(path); was != nil {
		if _, text := was.(string); !text {
			if n, err := strconv.Atoi(amount); err == nil {
				return n
			}
		}
	}
	return amount
}

// nominalQuota is the one place where a ClusterQueue says how much it has of a resource, and how much that is, in
// thousandths; "": there are several, or none.
func nominalQuota(o *object.Object, name corev1.ResourceName) (path string, milli int64) {
	groups, _ := slice.ValueAt(o.Content, "spec", "resourceGroups").([]any)
	for i, g := range groups {
		group, _ := g.(map[string]any)
		flavors, _ := group["flavors"].([]any)
		for j, f := range flavors {
			flavor, _ := f.(map[string]any)
			list, _ := flavor["resources"].([]any)
			for k, r := range list {
				one, _ := r.(map[string]any)
				if one["name"] != string(name) {
					continue
				}
				q, err := resource.ParseQuantity(fmt.Sprint(one["nominalQuota"]))
				if path != "" || err != nil {
					return "", 0
				}
				path = fmt.Sprintf("spec.resourceGroups[%d].flavors[%d].resources[%d].nominalQuota", i, j, k)
				milli = q.MilliValue()
			}
		}
	}
	return path, milli
}

// sayWhatIsCounted gives each container what a quota counts and it does not say.
func sayWhatIsCounted(o *object.Object, m *state.Manifest, quota *corev1.ResourceQuota) []Remedy {
	const cpu, memory = "100m", "128Mi"
	kinds := []struct {
		name  corev1.ResourceName
		field string
		of    corev1.ResourceName
		value string
	}{
		{corev1.ResourceCPU, "requests", corev1.ResourceCPU, cpu},
		{corev1.ResourceRequestsCPU, "requests", corev1.ResourceCPU, cpu},
		{corev1.ResourceMemory, "requests", corev1.ResourceMemory, memory},
		{corev1.ResourceRequestsMemory, "requests", corev1.ResourceMemory, memory},
		{corev1.ResourceLimitsCPU, "limits", corev1.ResourceCPU, cpu},
		{corev1.ResourceLimitsMemory, "limits", corev1.ResourceMemory, memory},
	}
	var set []object.Setting
	lists := []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", m.Pod().InitContainers}, {"containers", m.Pod().Containers}}
	for _, list := range lists {
		for i, c := range list.of {
			want := map[string]any{}
			for _, k := range kinds {
				if _, counted := quota.Spec.Hard[k.name]; !counted {
					continue
				}
				_, limited := c.Resources.Limits[k.of]
				_, asked := c.Resources.Requests[k.of]
				if limited || asked && k.field == "requests" {
					continue // a limit is a request where there is none
				}
				value := k.value
				if q := c.Resources.Requests[k.of]; asked {
					value = q.String()
				}
				of, _ := want[k.field].(map[string]any)
				if of == nil {
					of = map[string]any{}
				}
				of[string(k.of)] = value
				want[k.field] = of
			}
			if len(want) > 0 {
				path := fmt.Sprintf("%s.%s[%d].resources", m.Kind().Own("spec.template.spec"), list.field, i)
				set = append(set, object.Setting{Path: path, Value: want})
			}
		}
	}
	if len(set) == 0 || slices.ContainsFunc(set, func(s object.Setting) bool { return s.Path == "" }) {
		return nil
	}
	return []Remedy{{Say: fmt.Sprintf("have each container say what quota %s counts (here %s and %s: use its real demand)", quota.Name, cpu, memory),
		Cost: "as much is kept free for each pod", Object: o, Set: set}}
}
