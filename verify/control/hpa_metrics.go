package control

import (
	"math"

	"github.com/kubesettle/kubesettle/verify/state"
)

// cpuUsage is what an HPA sees of its pods: groupPods, summed up. No pod is missing its
// metrics; ignored pods, those that terminate, count for the requests only.
type cpuUsage struct {
	ready, unready               int   // pods; unready are those without a node and starting ones
	total                        int64 // use of the ready pods, in millicores
	readyRequest, unreadyRequest int64
	noRequest                    bool // some pod, terminating ones included, has no CPU request
}

// measure looks at the pods of the workload; ready ones share the demand evenly, each up
// to its limit.
func (h *hpa) measure(s state.State) cpuUsage {
	var u cpuUsage
	for _, p := range s.C.ClassesOf[h.workload] {
		pod := &h.pods[p]
		ready, unready := s.ReadyPods(p), s.Pending(p)+s.Count(p, state.Starting)
		u.ready += ready
		u.unready += unready
		u.readyRequest += int64(ready) * pod.request
		u.unreadyRequest += int64(unready) * pod.request
		if !pod.hasRequest && ready+unready+s.Count(p, state.Terminating) > 0 {
			u.noRequest = true
		}
	}
	if u.ready == 0 {
		return u
	}
	demand := h.demand[s.Load(h.workload)]
	share := demand / int64(u.ready)
	if demand%int64(u.ready) > 0 {
		share++ // whoever gets the rest
	}
	capped := false
	for _, p := range s.C.ClassesOf[h.workload] {
		ready := int64(s.ReadyPods(p))
		capped = capped || ready > 0 && share > h.pods[p].limit
		u.total += ready * min(share, h.pods[p].limit)
	}
	if !capped {
		u.total = demand
	}
	return u
}

// replicasFor proposes replicas for one target; usage is the measured value it is
// compared with. It is false where upstream returns an error.
func (u *cpuUsage) replicasFor(t cpuTarget, current int32, tol tolerances) (replicas int32, usage int64, ok bool) {
	if u.ready == 0 {
		return 0, 0, false // no pods, or "did not receive metrics for targeted pods"
	}
	if t.average > 0 {
		return u.plain(t.average, current, tol)
	}
	return u.utilization(t.utilization, current, tol)
}

// utilization is GetResourceReplicas.
func (u *cpuUsage) utilization(target, current int32, tol tolerances) (int32, int64, bool) {
	if u.noRequest || u.readyRequest == 0 {
		return 0, 0, false
	}
	percent := int32(u.total * 100 / u.readyRequest) // GetResourceUtilizationRatio
	ratio := float64(percent) / float64(target)
	if u.unready == 0 || ratio <= 1.0 {
		if tol.within(ratio) {
			return current, int64(percent), true
		}
		return int32(math.Ceil(ratio * float64(u.ready))), int64(percent), true
	}
	ratio2 := float64(int32(u.total*100/(u.readyRequest+u.unreadyRequest))) / float64(target)
	return u.scaledUp(ratio2, current, tol), int64(percent), true
}

// plain is calcPlainMetricReplicas.
func (u *cpuUsage) plain(target int64, current int32, tol tolerances) (int32, int64, bool) {
	average := u.total / int64(u.ready) // GetMetricUsageRatio
	ratio := float64(average) / float64(target)
	if u.unready == 0 || ratio <= 1.0 {
		if tol.within(ratio) {
			return current, average, true
		}
		return int32(math.Ceil(ratio * float64(u.ready))), average, true
	}
	ratio2 := float64(u.total/int64(u.ready+u.unready)) / float64(target)
	return u.scaledUp(ratio2, current, tol), average, true
}

// scaledUp is the end of both functions, after a first ratio above 1 and with unready
// pods added that use nothing.
func (u *cpuUsage) scaledUp(ratio float64, current int32, tol tolerances) int32 {
	if tol.within(ratio) || ratio < 1.0 {
		return current
	}
	replicas := int32(math.Ceil(ratio * float64(u.ready+u.unready)))
	if ratio > 1.0 && replicas < current {
		return current
	}
	return replicas
}

// tolerances are the ratios around 1 that change nothing, as fractions.
type tolerances struct{ down, up float64 }

// within is Tolerances.isWithin.
func (t tolerances) within(ratio float64) bool { return (1.0-t.down) <= ratio && ratio <= (1.0+t.up) }
