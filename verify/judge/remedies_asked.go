package judge

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// scaled reports whether an autoscaler owns the number of the workload's replicas.
func (p patient) scaled() bool {
	return len(p.hpas()) > 0 || slices.ContainsFunc(p.beside, slice.IsScaledObject)
}

// dropReplicas leaves the number to who owns it.
func dropReplicas(p patient) []remedy {
	if !p.scaled() || !declares(p.workload, "spec", "replicas") {
		return nil
	}
	out := p.of("remove spec.replicas: the autoscaler owns it", "", object.Setting{Path: "spec.replicas"})
	if p.remembers() {
		later := out[0]
		later.say += "; before that is applied, " + p.forgetting()
		later.cost, later.before = "one step by hand", []object.Setting{{Path: "spec.replicas"}}
		out = append(out, later)
	}
	return out
}

// leastCPU is the request given to a container that requests no CPU.
const leastCPU = "100m"

// leastAsked is the request of a resource given to a container that has none.
var leastAsked = map[corev1.ResourceName]string{corev1.ResourceCPU: leastCPU, corev1.ResourceMemory: "128Mi"}

// Asks are requests of what autoscalers measure in percent of a request, for the containers of a workload without one,
// and in words how much that is of each resource.
func Asks(m *state.Manifest, hpas ...*autoscalingv2.HorizontalPodAutoscaler) (set []object.Setting, what string) {
	var words []string
	for i, c := range m.Pod().Containers {
		asks := map[string]any{}
		for _, h := range hpas {
			for _, metric := range h.Spec.Metrics {
				name, ok := measured(metric, c.Name)
				_, asked := c.Resources.Requests[name]
				_, limited := c.Resources.Limits[name] // which is its request then
				if !ok || asked || limited || leastAsked[name] == "" {
					continue
				}
				asks[string(name)] = leastAsked[name]
				if one := fmt.Sprintf("%s: %s", name, leastAsked[name]); !slices.Contains(words, one) {
					words = append(words, one)
				}
			}
		}
		if len(asks) > 0 {
			set = append(set, object.Setting{
				Path:  fmt.Sprintf("%s.containers[%d].resources", m.Kind().Own("spec.template.spec"), i),
				Value: map[string]any{"requests": asks},
			})
		}
	}
	return set, strings.Join(words, ", ")
}

// measured is the resource of a container that a metric measures in percent of its request; false: it measures none.
func measured(m autoscalingv2.MetricSpec, container string) (corev1.ResourceName, bool) {
	switch {
	case m.Resource != nil:
		return m.Resource.Name, m.Resource.Target.Type == autoscalingv2.UtilizationMetricType
	case m.ContainerResource != nil && m.ContainerResource.Container == container:
		return m.ContainerResource.Name, m.ContainerResource.Target.Type == autoscalingv2.UtilizationMetricType
	}
	return "", false
}

// asksOf is the cost of requests where there were none.
const asksOf = "the nodes keep that much free for each pod"

// requestWhatIsMeasured gives each container a request of what an autoscaler measures in
// percent of it.
func requestWhatIsMeasured(p patient) []remedy {
	var hpas []*autoscalingv2.HorizontalPodAutoscaler
	for _, o := range p.hpas() {
		hpas = append(hpas, o.Typed.(*autoscalingv2.HorizontalPodAutoscaler))
	}
	set, what := Asks(&p.manifest, hpas...)
	if len(set) == 0 {
		return nil
	}
	return p.of("give each container a request (here "+what+": use its real demand), because the autoscaler measures in percent of it", asksOf, set...)
}

// requestAndDrop makes of a workload that an autoscaler could not scale one that is the autoscaler's.
func requestAndDrop(p patient) []remedy {
	var out []remedy
	for _, r := range requestWhatIsMeasured(p) {
		for _, drop := range dropReplicas(p) {
			drop.set = slices.Concat(r.set, drop.set)
			drop.say, drop.cost = r.say+", and "+drop.say, strings.TrimSuffix(r.cost+", and "+drop.cost, ", and ")
			out = append(out, drop)
		}
	}
	return out
}

// OnceOne is what it costs that Helm takes the number of replicas out of what an autoscaler scales.
const OnceOne = "one replica, once, until the autoscaler sets its minimum"

// counsel is the advice for a person if the remedy causes another finding: Helm, which keeps its own last manifest,
// resets replicas that a chart no longer declares to one.
func counsel(v scenario.Variant, found scenario.Violation, helm bool) []*finding.Fix {
	p, ok := patientOf(v.Slice, found.Key().Workload)
	if !ok || !helm || !found.Bound.Rule.Facets.Any(rules.TakenBack|rules.Restless) || p.before == nil {
		return nil
	}
	for _, cure := range []func(patient) []remedy{requestAndDrop, dropReplicas} {
		for _, r := range cure(p) {
			if r.before == nil {
				return []*finding.Fix{{Text: r.say, Cost: strings.TrimPrefix(r.cost+", and "+OnceOne, ", and ")}}
			}
		}
	}
	return nil
}
