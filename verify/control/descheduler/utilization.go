package descheduler

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// utilization is LowNodeUtilization or HighNodeUtilization on the requests of pods.
type utilization struct {
	high      bool // HighNodeUtilization
	deviation bool
	named     []bool    // by resource: it has a threshold
	lower     []float64 // by resource: percent, or distance from the average
	upper     []float64
	numberOf  int    // numberOfNodes
	perNode   *int   // evictionLimits.node
	leaves    []bool // by class: its namespace is not excluded
	counts    []bool // by class: requests a resource with a threshold, where that is asked for
}

// lowUtilization compiles LowNodeUtilization.
// Errors: [actor.ErrUnmodeled].
func (k *deschedCompiled) lowUtilization(plugin *deschedPlugin, a *state.LowNodeUtilizationArgs) error {
	if a.Metrics {
		return deschedUnmodeled(plugin.field+".metricsUtilization", "metrics; leave it out to go by requests")
	}
	u := &utilization{deviation: a.Deviation, numberOf: a.NumberOfNodes, perNode: a.MaxPerNode}
	k.thresholds(u, a.Thresholds, a.TargetThresholds)
	k.exclude(u, a.ExcludeNamespaces)
	plugin.use, plugin.run, plugin.because = u, removeByUtilization, requestsRef
	return nil
}

// highUtilization compiles HighNodeUtilization.
func (k *deschedCompiled) highUtilization(plugin *deschedPlugin, a *state.HighNodeUtilizationArgs) {
	u := &utilization{high: true, numberOf: a.NumberOfNodes}
	full := state.ResourceThresholds{}
	for name := range a.Thresholds {
		full[name] = 100
	}
	k.thresholds(u, a.Thresholds, full)
	k.exclude(u, a.ExcludeNamespaces)
	for p := range k.classes {
		u.counts[p] = !a.OnlyThresholding || requestsAny(k.classes[p].pod, a.Thresholds)
	}
	plugin.use, plugin.run, plugin.because = u, removeByUtilization, requestsRef
}

func requestsRef(k *deschedCompiled, s state.State, p int) []actor.Ref {
	return []actor.Ref{templateRef(k, s, p, scheduler.RequestField(&k.classes[p].pod.Spec, corev1.ResourceCPU))}
}

// requestsAny is upstream's withResourceRequestForAny.
func requestsAny(pod *corev1.Pod, names state.ResourceThresholds) bool {
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			for name := range names {
				if _, ok := list[i].Resources.Requests[name]; ok {
					return true
				}
			}
		}
	}
	return false
}

func (k *deschedCompiled) thresholds(u *utilization, lower, upper state.ResourceThresholds) {
	for _, name := range k.resources {
		low, ok := lower[name]
		u.named, u.lower, u.upper = append(u.named, ok), append(u.lower, low), append(u.upper, upper[name])
	}
}

func (k *deschedCompiled) exclude(u *utilization, namespaces []string) {
	for p := range k.classes {
		u.leaves = append(u.leaves, !slices.Contains(namespaces, k.classes[p].pod.Namespace))
		u.counts = append(u.counts, true)
	}
}

// utilizationMemory is the working of one run of a utilization plugin.
type utilizationMemory struct {
	percent   []float64 // by node and resource; NaN where the node does not name it
	lowLimit  []float64 // by resource
	highLimit []float64
	usage     []int64 // by node and resource, without evicted pods
	capped    []int64 // the same: the capacity up to the upper threshold
	available []int64 // by resource, over all destinations
	ranked    []int64 // by node: the sum of its usage
	source    []bool  // by node
	dest      []bool  // by node
	taken     []int   // by class: pods taken from the present node
}

// tracks reports whether resource d is one of the plugin's: it has a threshold, or is cpu,
// memory or pods.
func (u *utilization) tracks(d int) bool { return d <= deschedPods || u.named[d] }

// removeByUtilization moves pods from sources to destinations: from nodes over the upper
// threshold to those under the lower one, or from the latter to all others.
//
// Upstream: nodeutilization: (*LowNodeUtilization).Balance,
// (*HighNodeUtilization).Balance, evictPodsFromSourceNodes.
func removeByUtilization(r *descheduling, plugin *deschedPlugin) {
	u := plugin.use
	if r.k.elastic { // no step may rest on an invented capacity
		return
	}
	r.assess(u)
	low, other := 0, 0
	for n := range r.k.nodes {
		r.source[n], r.dest[n] = false, false
		if !r.ready[n] {
			continue
		}
		schedulable := !r.k.nodes[n].object.Spec.Unschedulable && r.status[n]&scheduler.Cordoned == 0
		switch under := r.under(u, n); {
		case u.high && under:
			r.source[n], low = true, low+1
		case u.high && schedulable:
			r.dest[n], other = true, other+1
		case !u.high && under && schedulable:
			r.dest[n], low = true, low+1
		case !u.high && r.over(u, n):
			r.source[n], other = true, other+1
		}
	}
	if low == 0 || low <= u.numberOf || low == r.listed || other == 0 {
		return
	}
	r.assessAvailable(u)
	for n := r.nextSource(u); n >= 0; n = r.nextSource(u) {
		r.source[n] = false
		if r.evictFrom(plugin, n) == totalExhausted {
			return
		}
	}
}

// assess computes usage and thresholds.
//
// Upstream: assessNodesUsagesAndStaticThresholds, assessNodesUsagesAndRelativeThresholds,
// ResourceUsageToResourceThreshold, capNodeCapacityToThreshold, sortNodesByUsage.
func (r *descheduling) assess(u *utilization) {
	nodes, dims := len(r.k.nodes), len(r.k.resources)
	r.percent, r.usage, r.capped = scheduler.Grow(r.percent, nodes*dims), scheduler.Grow(r.usage,
		nodes*dims), scheduler.Grow(r.capped, nodes*dims)
	r.lowLimit, r.highLimit = scheduler.Grow(r.lowLimit, dims), scheduler.Grow(r.highLimit, dims)
	r.available, r.taken = scheduler.Grow(r.available, dims), scheduler.Grow(r.taken, len(r.k.classes))
	r.ranked, r.source, r.dest = scheduler.Grow(r.ranked, nodes), scheduler.Grow(r.source,
		nodes), scheduler.Grow(r.dest, nodes)
	copy(r.usage, r.used)
	for n := range r.k.nodes {
		r.ranked[n] = 0
		for d := range r.k.resources {
			at := n*dims + d
			r.percent[at] = math.NaN()
			if r.k.nodes[n].has[d] {
				r.percent[at] = 0
				if capacity := r.k.nodes[n].capacity[d]; capacity > 0 {
					r.percent[at] = float64(r.usage[at]) / float64(capacity) * 100
				}
			}
			if u.tracks(d) {
				r.ranked[n] += r.usage[at]
			}
		}
	}
	for d := range r.k.resources {
		r.lowLimit[d], r.highLimit[d] = u.lower[d], u.upper[d]
		if average, ok := r.average(d); u.deviation && ok {
			r.lowLimit[d] = min(max(average-u.lower[d], 0), 100)
			r.highLimit[d] = min(max(average+u.upper[d], 0), 100)
		}
	}
	for n := range r.k.nodes {
		for d := range r.k.resources {
			capacity := r.k.nodes[n].capacity[d]
			if u.named[d] {
				capacity = int64(r.highLimit[d] * 0.01 * float64(capacity))
			}
			r.capped[n*dims+d] = capacity
		}
	}
}

// average is upstream's normalizer.Average of one resource over the listed nodes that
// name it.
func (r *descheduling) average(d int) (float64, bool) {
	sum, count := 0.0, 0
	for n := range r.k.nodes {
		if x := r.percent[n*len(r.k.resources)+d]; r.ready[n] && !math.IsNaN(x) {
			sum, count = sum+x, count+1
		}
	}
	return sum / float64(count), count > 0
}

// under is upstream's isNodeBelowThreshold.
func (r *descheduling) under(u *utilization, n int) bool {
	for d := range r.k.resources {
		if u.named[d] && r.lowLimit[d] < r.percentOf(n, d) {
			return false
		}
	}
	return true
}

// over is upstream's isNodeAboveThreshold.
func (r *descheduling) over(u *utilization, n int) bool {
	for d := range r.k.resources {
		if u.named[d] && r.highLimit[d] < r.percentOf(n, d) {
			return true
		}
	}
	return false
}

func (r *descheduling) percentOf(n, d int) float64 {
	if x := r.percent[n*len(r.k.resources)+d]; !math.IsNaN(x) {
		return x
	}
	return 0
}

// assessAvailable is upstream's assessAvailableResourceInNodes.
func (r *descheduling) assessAvailable(u *utilization) {
	dims := len(r.k.resources)
	clear(r.available)
	for n := range r.k.nodes {
		for d := range r.k.resources {
			if r.dest[n] && u.tracks(d) {
				r.available[d] += r.capped[n*dims+d] - r.usage[n*dims+d]
			}
		}
	}
}

// nextSource gives the next of the source nodes, sorted by usage; equal ones come in any
// order.
func (r *descheduling) nextSource(u *utilization) int {
	best := int64(0)
	found := false
	for n, is := range r.source {
		if is && (!found || u.high == (r.ranked[n] < best)) {
			best, found = r.ranked[n], true
		}
	}
	for n, is := range r.source {
		r.left[n] = is && r.ranked[n] == best
	}
	ordered := r.careful
	r.careful = true
	n := r.nextNode()
	r.careful = ordered
	return n
}

// more reports whether eviction from node n goes on.
//
// Upstream: continueEvictionCond, isNodeAboveTargetUtilization.
func (r *descheduling) more(u *utilization, n int) bool {
	dims := len(r.k.resources)
	above := u.high
	for d := range r.k.resources {
		if !u.tracks(d) {
			continue
		}
		if r.available[d] < 1 {
			return false
		}
		above = above || r.capped[n*dims+d] < r.usage[n*dims+d]
	}
	return above
}

// tolerated reports whether a pod of class p tolerates all taints of some destination.
//
// Upstream: utils: PodToleratesTaints.
func (r *descheduling) tolerated(p int) bool {
	pod := r.k.classes[p].pod
	for n, is := range r.dest {
		if node := r.k.nodes[n].object; is && len(pod.Spec.Tolerations) >= len(node.Spec.Taints)+r.status[n].Taints() &&
			toleratesAll(pod, node, anyTaint) && r.tolerates(p, n) {
			return true
		}
	}
	return false
}

func anyTaint(*corev1.Taint) bool { return true }

// evictFrom evicts pods from node n, lowest priority and quality of service first, until
// it is relieved or there is no more room elsewhere.
//
// Upstream: nodeutilization: evictPods, classifyPods.
func (r *descheduling) evictFrom(plugin *deschedPlugin, n int) deschedVerdict {
	clear(r.cand)
	clear(r.taken)
	for p := range r.k.classes {
		if plugin.use.counts[p] && plugin.use.leaves[p] && r.live(n, p) > 0 && r.evictable(plugin.evictor, p) &&
			r.tolerated(p) && r.mayLeave(plugin.evictor, p, n) {
			r.nominate(n, p)
		}
	}
	verdict := evictedPod
	for evicted := 0; r.more(plugin.use, n) && !reached(plugin.use.perNode, evicted); {
		p, i := r.nextByRank(n)
		if p < 0 {
			break
		}
		if r.careful {
			verdict = r.request(plugin, n, p, state.LivePhases[i])
			if verdict == nodeExhausted || verdict == totalExhausted {
				break
			}
			if verdict == refusedPod {
				continue
			}
		} else {
			r.taken[p]++
		}
		evicted++
		r.relieve(plugin.use, n, p)
	}
	clear(r.cand)
	if r.careful {
		return verdict
	}
	for p, count := range r.taken {
		if count > 0 {
			r.nominateSome(n, p, count)
		}
	}
	verdict = r.evictPods(plugin, n, n+1)
	clear(r.cand)
	return verdict
}

// relieve is upstream's subtractPodUsageFromNodeAvailability.
func (r *descheduling) relieve(u *utilization, n, p int) {
	for d, want := range r.k.classes[p].request {
		if u.tracks(d) {
			r.usage[n*len(r.k.resources)+d] -= want
			r.available[d] -= want
		}
	}
}

// nextByRank takes one of the nominated pods of the lowest rank. If the API server refuses no eviction, the phases of a
// class are distinguished at the end only.
func (r *descheduling) nextByRank(n int) (p, phase int) {
	best, options := int64(math.MaxInt64), 0
	for p := range r.k.classes {
		for i := range state.LivePhases {
			if !r.isRankOption(n, p, i) || r.k.classes[p].rank > best {
				continue
			}
			if r.k.classes[p].rank < best {
				best, options = r.k.classes[p].rank, 0
			}
			options++
		}
	}
	if options == 0 {
		return -1, 0
	}
	chosen := r.choose(options)
	for p := range r.k.classes {
		for i := range state.LivePhases {
			if !r.isRankOption(n, p, i) || r.k.classes[p].rank != best {
				continue
			}
			if chosen == 0 {
				r.cand[r.at(n, p, i)]--
				return p, i
			}
			chosen--
		}
	}
	panic("control: fewer pods than were counted")
}

func (r *descheduling) isRankOption(n, p, phase int) bool {
	if r.cand[r.at(n, p, phase)] == 0 {
		return false
	}
	for i := range phase {
		if !r.careful && r.cand[r.at(n, p, i)] > 0 {
			return false
		}
	}
	return true
}
