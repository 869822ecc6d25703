package scheduler

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// maxNodeScore is upstream's fwk.MaxNodeScore.
const maxNodeScore int64 = 100

// maxCustomPriorityScore is upstream's config.MaxCustomPriorityScore.
const maxCustomPriorityScore int64 = 10

// scoringDefaults are what scoring counts for a container without a request
// (pkg/scheduler/util: DefaultMilliCPURequest, DefaultMemoryRequest).
func scoringDefaults() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(100, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(200*1024*1024, resource.DecimalSI),
	}
}

// scoredRequests are what NodeResourcesFit scores an incoming pod by. Pod-level
// requests do not count: NewFit sets enablePodLevelResources on the plugin but not on
// its scorer.
func scoredRequests(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{
		NonMissingContainerRequests: scoringDefaults(), SkipPodLevelResources: true,
	})
}

// compileResources reads what class p requests.
//
// Upstream: noderesources: computePodResourceRequest, calculatePodResourceRequestList,
// isBestEffortPod; framework: (*PodInfo).CalculateResource, getNonMissingContainerRequests.
func (k *Compiled) compileResources(p int) {
	class := &k.Classes[p]
	requests := objects.PodRequests(class.Pod)
	class.Request = k.vector(requests)

	occupied := scoringDefaults()
	if resourcehelper.IsPodLevelRequestsSet(class.Pod) {
		for name := range requests {
			delete(occupied, name)
		}
	}
	nonZero := requests
	if len(occupied) > 0 {
		nonZero = resourcehelper.PodRequests(class.Pod,
			resourcehelper.PodResourcesOptions{NonMissingContainerRequests: occupied})
	}
	class.nonZero = [2]int64{nonZero.Cpu().MilliValue(), nonZero.Memory().Value()}

	class.fitReq = listed(scoredRequests(class.Pod), class.profile.Resources)
	class.balReq = listed(requests, class.profile.Balanced)
	class.noBal = true
	for _, r := range class.balReq {
		class.noBal = class.noBal && r == 0
	}
}

func listed(requests corev1.ResourceList, want []state.ResourceWeight) []int64 {
	out := make([]int64, len(want))
	for i, r := range want {
		q := requests[r.Name]
		if out[i] = q.Value(); r.Name == corev1.ResourceCPU {
			out[i] = q.MilliValue()
		}
	}
	return out
}

// lacks reports whether resource d keeps class p from node n.
//
// Upstream: noderesources: fitsRequest.
func (k *Compiled) lacks(v *View, p, n, d int) bool {
	want := k.Classes[p].Request[d]
	if want == 0 || k.Nodes[n].Elastic {
		return false
	}
	if d >= fixedDims && k.Classes[p].profile.ignores(k.Resources[d]) {
		return false
	}
	return want > k.Room(v, p, n, d)
}

func (p *profile) ignores(name corev1.ResourceName) bool {
	if len(p.IgnoredResources) == 0 && len(p.IgnoredResourceGroups) == 0 || !isExtended(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return p.IgnoredResources[string(name)] || p.IgnoredResourceGroups[group]
}

// fits is NodeResourcesFit's Filter.
func (k *Compiled) fits(v *View, p, n int) bool {
	if k.Slots(v, p, n) < 1 {
		return false
	}
	for d := range k.Resources {
		if k.lacks(v, p, n, d) {
			return false
		}
	}
	return true
}

// scoreResources is the Score of NodeResourcesFit.
//
// Upstream: noderesources: (*resourceAllocationScorer).score,
// calculateNodeAllocatableRequest, leastResourceScorer, mostResourceScorer,
// buildRequestedToCapacityRatioScorerFunction.
func (k *Compiled) scoreResources(v *View, p, n int) int64 {
	var nodeScore, weightSum int64
	profile := k.Classes[p].profile
	for i, r := range profile.Resources {
		allocatable, requested := k.allocation(v, n, profile.fitDims[i], true)
		if allocatable == 0 || (profile.fitDims[i] >= fixedDims && k.Classes[p].fitReq[i] == 0) {
			continue
		}
		score := profile.resourceScore(requested+k.Classes[p].fitReq[i], allocatable)
		if profile.Strategy == state.RequestedToCapacityRatio && score <= 0 {
			continue
		}
		nodeScore += score * r.Weight
		weightSum += r.Weight
	}
	if weightSum == 0 {
		return 0
	}
	if profile.Strategy == state.RequestedToCapacityRatio {
		return int64(math.Round(float64(nodeScore) / float64(weightSum)))
	}
	return nodeScore / weightSum
}

// allocation gives a node's amount of a resource and its pods' use of it.
//
// Upstream: noderesources: calculateResourceAllocatableRequest.
func (k *Compiled) allocation(v *View, n, d int, nonZero bool) (allocatable, requested int64) {
	if d < 0 {
		return 0, 0
	}
	if nonZero && d < 2 {
		return k.Nodes[n].Allocatable[d], v.nonZero[n*2+d]
	}
	return k.Nodes[n].Allocatable[d], v.Used[n*len(k.Resources)+d]
}

func (p *profile) resourceScore(requested, capacity int64) int64 {
	switch p.Strategy {
	case state.MostAllocated: // mostRequestedScore
		if requested > capacity {
			requested = capacity
		}
		return requested * maxNodeScore / capacity
	case state.RequestedToCapacityRatio:
		if requested > capacity {
			return p.brokenLine(100)
		}
		return p.brokenLine(requested * 100 / capacity)
	}
	if requested > capacity { // leastRequestedScore
		return 0
	}
	return (capacity - requested) * maxNodeScore / capacity
}

// scaledShape scales a shape's scores to node scores (requestedToCapacityRatioScorer).
func scaledShape(shape []state.ShapePoint) []state.ShapePoint {
	out := make([]state.ShapePoint, len(shape))
	for i, s := range shape {
		out[i] = state.ShapePoint{Utilization: s.Utilization, Score: s.Score * (maxNodeScore / maxCustomPriorityScore)}
	}
	return out
}

// brokenLine is upstream's helper.BuildBrokenLinearFunction.
func (p *profile) brokenLine(at int64) int64 {
	s := p.shape
	for i := range s {
		if at <= s[i].Utilization {
			if i == 0 {
				return s[0].Score
			}
			return s[i-1].Score + (s[i].Score-s[i-1].Score)*(at-s[i-1].Utilization)/(s[i].Utilization-s[i-1].Utilization)
		}
	}
	return s[len(s)-1].Score
}

// scoreBalance is the Score of NodeResourcesBalancedAllocation.
//
// Upstream: noderesources: balancedResourceScorer.
func (k *Compiled) scoreBalance(v *View, p, n int) int64 {
	with := k.balance(v, p, n, true)
	without := k.balance(v, p, n, false)
	return maxNodeScore/2 + (maxNodeScore/2+with-without)/2
}

// balance is upstream's balancedResourceScore, with or without the pod.
func (k *Compiled) balance(v *View, p, n int, with bool) int64 {
	v.fractions = v.fractions[:0]
	var total float64
	for i, d := range k.Classes[p].profile.balDims {
		allocatable, requested := k.allocation(v, n, d, false)
		if allocatable == 0 || (d >= fixedDims && k.Classes[p].balReq[i] == 0) {
			continue
		}
		if with {
			requested += k.Classes[p].balReq[i]
		}
		fraction := float64(requested) / float64(allocatable)
		if fraction > 1 {
			fraction = 1
		}
		total += fraction
		v.fractions = append(v.fractions, fraction)
	}
	std := 0.0
	if f := v.fractions; len(f) == 2 {
		std = math.Abs((f[0] - f[1]) / 2)
	} else if len(f) > 2 {
		mean := total / float64(len(f))
		var sum float64
		for _, fraction := range f {
			sum = sum + (fraction-mean)*(fraction-mean)
		}
		std = math.Sqrt(sum / float64(len(f)))
	}
	return int64((1 - std) * float64(maxNodeScore))
}
