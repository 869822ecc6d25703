package autoscaling

import "math"

// presumed is what a pod without a sample is taken to use on a scale-down: all of its
// request, or a higher target.
func (m *metric) presumed(pod *podUse) int64 {
	if m.average > 0 {
		return m.average
	}
	return pod.request * int64(max(100, m.utilization)) / 100
}

// replicasFor proposes replicas for one metric; usage is the measured value it is
// compared with. It is false where upstream returns an error.
func (o *observation) replicasFor(m *metric, current int32, tol tolerances) (replicas int32, usage int64, ok bool) {
	if o.counted == 0 {
		return 0, 0, false // no pods, or "did not receive metrics for targeted pods"
	}
	if m.average == 0 && (o.noRequest || o.countedRequest == 0) {
		return 0, 0, false
	}
	usage, ratio := o.ratio(m)
	return o.replicas(m, ratio, current, tol), usage, true
}

// ratio is GetResourceUtilizationRatio, or GetMetricUsageRatio, of the counted pods.
func (o *observation) ratio(m *metric) (usage int64, ratio float64) {
	if m.average > 0 {
		usage = o.total / int64(o.counted)
		return usage, float64(usage) / float64(m.average)
	}
	percent := int32((o.total * 100) / o.countedRequest)
	return int64(percent), float64(percent) / float64(m.utilization)
}

// replicas is the rest of GetResourceReplicas and of calcPlainMetricReplicas, which agree
// from here on.
func (o *observation) replicas(m *metric, ratio float64, current int32, tol tolerances) int32 {
	scaleUpWithUnready := o.unready > 0 && ratio > 1.0
	if !scaleUpWithUnready && o.missing == 0 {
		if tol.within(ratio) {
			return current
		}
		return int32(math.Ceil(ratio * float64(o.counted)))
	}
	again := *o
	if o.missing > 0 && ratio != 1.0 {
		if ratio < 1.0 {
			again.total += o.missingUse
		}
		again.counted += o.missing
		again.countedRequest += o.missingRequest
	}
	if scaleUpWithUnready {
		again.counted += o.unready
		again.countedRequest += o.unreadyRequest
	}
	_, ratio2 := again.ratio(m)
	if tol.within(ratio2) || (ratio < 1.0 && ratio2 > 1.0) || (ratio > 1.0 && ratio2 < 1.0) {
		return current
	}
	replicas := int32(math.Ceil(ratio2 * float64(again.counted)))
	if (ratio2 < 1.0 && replicas > current) || (ratio2 > 1.0 && replicas < current) {
		return current
	}
	return replicas
}

// perPod is GetObjectPerPodMetricReplicas and GetExternalPerPodMetricReplicas: a total,
// compared with the target of so many pods.
func (m *metric) perPod(total int64, pods int, tol tolerances) (replicas int32, usage int64) {
	replicas = int32(pods)
	ratio := float64(total) / (float64(m.average) * float64(replicas))
	if !tol.within(ratio) {
		replicas = int32(min(math.Ceil(float64(total)/float64(m.average)), math.MaxInt32))
	}
	if pods > 0 {
		usage = int64(math.Ceil(float64(total) / float64(pods)))
	}
	return replicas, usage
}

// tolerances are the ratios around 1 that change nothing, as fractions.
type tolerances struct{ down, up float64 }

// within is Tolerances.isWithin.
func (t tolerances) within(ratio float64) bool { return (1.0-t.down) <= ratio && ratio <= (1.0+t.up) }
