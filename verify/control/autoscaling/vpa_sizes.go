package autoscaling

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Flags of the recommender (vertical-pod-autoscaler/pkg/recommender).
const (
	safetyMargin    = 0.15      // --recommendation-margin-fraction
	podMinMilliCPU  = 25        // --pod-recommendation-min-cpu-millicores
	podMinMemory    = 250 << 20 // --pod-recommendation-min-memory-mb, in bytes
	mostSizes       = 8         // that are distinguished
	mostSizesAlong  = 64        // along a run
	minimumReplicas = 2         // --min-replicas of the updater
	minimumChange   = 0.1       // --pod-update-threshold of the updater
)

// usage is what one pod uses, in thousandths of the unit of [objects.VPAResources].
type usage [len(objects.VPAResources)]int64

// Sized gives a slice in which workloads with a VerticalPodAutoscaler know the sizes that
// it may set their pods to; those that know them keep them.
func Sized(spec *state.Spec) *state.Spec { return sized(spec, mostSizes) }

// SizedAlong is [Sized] for a search along the steps of a run, to which more sizes cost nothing.
func SizedAlong(spec *state.Spec) *state.Spec { return sized(spec, mostSizesAlong) }

func sized(spec *state.Spec, most int) *state.Spec {
	out := spec
	for w := range spec.Workloads {
		if len(spec.Workloads[w].Sizes) > 0 {
			continue
		}
		sizes := sizesOf(spec, w)
		if len(sizes) == 0 {
			continue
		}
		if out == spec {
			c := *spec
			c.Workloads = slices.Clone(spec.Workloads)
			out = &c
		}
		out.Workloads[w].Sizes = thin(sizes, most)
	}
	return out
}

// sizesOf lists the sizes that a VerticalPodAutoscaler may set the pods of workload w to, in either version.
func sizesOf(spec *state.Spec, w int) (sizes []state.Size) {
	for v := range spec.Workloads[w].Manifests {
		eachUse(spec, w, v, func(_ state.Load, _ int, u usage) {
			m := &spec.Workloads[w].Manifests[v]
			if z := recommend(m, u); !declares(m, z) &&
				!slices.ContainsFunc(sizes, func(o state.Size) bool { return sameSize(o, z) }) {
				sizes = append(sizes, z)
			}
		})
	}
	return sizes
}

// Thinned reports whether a workload may get more sizes than are distinguished. Where two numbers of pods share a size,
// a recommendation comes to rest that upstream's would not: a search of such a slice shows nothing by its end.
func Thinned(spec *state.Spec) bool {
	for w := range spec.Workloads {
		if len(sizesOf(spec, w)) > mostSizes {
			return true
		}
	}
	return false
}

// thin keeps at most so many sizes, the first and the last among them.
func thin(sizes []state.Size, most int) []state.Size {
	if len(sizes) <= most {
		return sizes
	}
	var out []state.Size
	for i := range most {
		out = append(out, sizes[i*(len(sizes)-1)/(most-1)])
	}
	return out
}

// eachUse visits what a pod of workload w uses in a version that has a VPA which acts, by
// load and number of ready pods.
func eachUse(spec *state.Spec, w, v int, visit func(load state.Load, pods int, u usage)) {
	wl := &spec.Workloads[w]
	m := &wl.Manifests[v]
	if m.VPA == nil || m.VPA.Err != nil || m.VPA.Mode == state.VPAOff || m.Kind() != state.Deployment {
		return
	}
	low, high := m.Replicas(), m.Replicas()
	if m.HPA != nil {
		low, high = int(hpaMin(m.HPA)), int(m.HPA.Spec.MaxReplicas)
	}
	for load := state.Nominal; load < state.Loads; load++ {
		if load != state.Nominal && spec.Events.LoadChange == 0 {
			return
		}
		for n := max(low, 1); n <= high; n++ {
			visit(load, n, usageOf(spec, w, m, load, n))
		}
	}
}

// usageOf is the use of each of n pods: its share of the load if a horizontal autoscaler looks at the resource, else
// the use that its requests were made for, or the use to which it may grow.
func usageOf(spec *state.Spec, w int, m *state.Manifest, load state.Load, n int) usage {
	wl := &spec.Workloads[w]
	var u usage
	for i, name := range objects.VPAResources {
		g := signal{resource: name}
		request, _ := objects.PodRequest(m.Pod(), name, "")
		if d := g.demandOf(wl, spec.Events.IdleMemory); d[state.Saturating] > 0 {
			u[i] = g.idleOf(wl, spec.Events.IdleMemory) + (d[load]+int64(n)-1)/int64(n)
			continue
		}
		u[i] = int64(math.Ceil(float64(request) / (1 + safetyMargin)))
		if load == state.Saturating && !wl.Autoscaled() {
			u[i] = max(u[i], mostUse(spec, m, name))
		}
	}
	return u
}

// mostUse is the most of a resource that one pod can use, in thousandths: its limits where
// the VPA leaves them, and the largest node.
func mostUse(spec *state.Spec, m *state.Manifest, name corev1.ResourceName) int64 {
	most := int64(0)
	for i := range spec.Classes {
		if c := &spec.Classes[i]; !c.Elastic && c.Node != nil {
			q := c.Node.Status.Allocatable[name]
			most = max(most, q.MilliValue())
		}
	}
	if request, _ := objects.PodRequest(m.Pod(), name, ""); most == 0 {
		most = 2 * request // no capacity is declared
	}
	keeps := true
	for i := range m.Pod().Containers {
		keeps = keeps && m.VPA.Policy(m.Pod().Containers[i].Name).RequestsOnly
	}
	if keeps {
		most = min(most, objects.PodLimit(m.Pod(), name, ""))
	}
	return most
}

// recommend returns the requests that the admission controller gives a pod of this use: the target of each container,
// capped.
//
// Upstream: kubernetes/autoscaler, vertical-pod-autoscaler/pkg: recommender/logic
// (CreatePodResourceRecommender, GetRecommendedPodResources), utils/vpa
// (getCappedRecommendationForContainer, applyVPAPolicy, capRecommendationToContainerLimit,
// GetProportionalLimit).
func recommend(m *state.Manifest, u usage) state.Size {
	out := state.Size{}
	containers := m.Pod().Containers
	for i := range containers {
		c := &containers[i]
		policy := m.VPA.Policy(c.Name)
		if policy.Off {
			continue
		}
		set := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		for k, name := range objects.VPAResources {
			if !slices.Contains(policy.Controlled, name) {
				continue
			}
			least := [...]int64{podMinMilliCPU, podMinMemory * 1000}[k] / int64(len(containers))
			target := max(int64(float64(shareOf(m, c, name, u[k]))*(1+safetyMargin)), least)
			target = capTarget(&policy, c, name, target)
			set.Requests[name] = quantityOf(name, target)
			request, _ := objects.RequestOf(c, name)
			if limit, ok := c.Resources.Limits[name]; ok && !policy.RequestsOnly && request.MilliValue() > 0 {
				set.Limits[name] = quantityOf(name,
					int64(float64(limit.MilliValue())*float64(target)/float64(request.MilliValue())))
			}
		}
		if len(set.Requests) > 0 {
			out[c.Name] = set
		}
	}
	return out
}

// capTarget is applyVPAPolicy and capRecommendationToContainerLimit, in thousandths.
func capTarget(policy *state.VPAPolicy, c *corev1.Container, name corev1.ResourceName, target int64) int64 {
	if q, ok := policy.MinAllowed[name]; ok && !q.IsZero() {
		target = max(target, q.MilliValue())
	}
	if q, ok := policy.MaxAllowed[name]; ok && !q.IsZero() {
		target = min(target, q.MilliValue())
	}
	if q, ok := c.Resources.Limits[name]; ok && policy.RequestsOnly {
		target = min(target, q.MilliValue())
	}
	return target
}

// shareOf is a container's part in what its pod uses, by its part in the requests.
func shareOf(m *state.Manifest, c *corev1.Container, name corev1.ResourceName, of int64) int64 {
	total := int64(0)
	for i := range m.Pod().Containers {
		q, _ := objects.RequestOf(&m.Pod().Containers[i], name)
		total += q.MilliValue()
	}
	if total == 0 {
		return of / int64(len(m.Pod().Containers))
	}
	q, _ := objects.RequestOf(c, name)
	return int64(float64(of) * float64(q.MilliValue()) / float64(total))
}

// quantityOf gives thousandths of a resource's unit as a quantity; bytes are whole.
func quantityOf(name corev1.ResourceName, milli int64) resource.Quantity {
	if name == corev1.ResourceMemory {
		return *resource.NewQuantity(milli/1000, resource.BinarySI)
	}
	return *resource.NewMilliQuantity(milli, resource.DecimalSI)
}

// sameSize reports whether two sizes set the same.
func sameSize(a, b state.Size) bool { return equality.Semantic.DeepEqual(a, b) }

// declares reports whether a size is so near to the template's requests that the updater would leave its pods alone.
func declares(m *state.Manifest, z state.Size) bool {
	return resourceDiff(m.Pod(), z.Requests(m.Pod())) < minimumChange
}

// resourceDiff is GetUpdatePriority's: the sum over resources of the distance between a pod's requests and the
// recommendation, as a fraction of the requests.
func resourceDiff(pod *corev1.PodSpec, recommended map[string]corev1.ResourceList) float64 {
	diff := 0.0
	for _, name := range objects.VPAResources {
		request, target, any := int64(0), int64(0), false
		for i := range pod.Containers {
			c := &pod.Containers[i]
			if q, ok := recommended[c.Name][name]; ok {
				any = true
				target += q.MilliValue()
				has, _ := objects.RequestOf(c, name)
				request += has.MilliValue()
			}
		}
		if any {
			total := max(float64(request), 1)
			diff += max(total-float64(target), float64(target)-total) / total
		}
	}
	return diff
}

// demandsSized is what a workload that only a vertical autoscaler sizes is asked for, of
// all its pods together.
func demandsSized(spec *state.Spec, w int) []demand {
	if len(spec.Workloads[w].Sizes) == 0 {
		return nil
	}
	out := []demand{{signal: signal{resource: corev1.ResourceCPU}}, {signal: signal{resource: corev1.ResourceMemory}}}
	for v := range spec.Workloads[w].Manifests {
		eachUse(spec, w, v, func(load state.Load, n int, u usage) {
			for i := range out {
				out[i].Demand[load] = max(out[i].Demand[load], u[i]*int64(n))
			}
		})
	}
	return slices.DeleteFunc(out, func(d demand) bool { return d.Demand[state.Saturating] == 0 })
}

// containersOf lists the containers of a size, sorted.
func containersOf(z state.Size) []string { return slices.Sorted(maps.Keys(z)) }
