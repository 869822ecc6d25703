package control

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	resourcehelpers "k8s.io/component-helpers/resource"
)

// podCPU is what the pods of one class ask for and may use, in millicores.
type podCPU struct {
	request    int64
	hasRequest bool  // false where upstream fails with "missing request"
	limit      int64 // math.MaxInt64 where nothing limits the pod
}

func compilePodCPU(spec *corev1.PodSpec) podCPU {
	request, ok := cpuRequest(spec)
	return podCPU{request: request, hasRequest: ok, limit: cpuLimit(spec)}
}

// cpuRequest is calculateRequests for one pod, in millicores.
func cpuRequest(spec *corev1.PodSpec) (int64, bool) {
	pod := corev1.Pod{Spec: *spec}
	if resourcehelpers.IsPodLevelRequestsSet(&pod) { // calculatePodLevelRequests
		all := resourcehelpers.PodRequests(&pod, resourcehelpers.PodResourcesOptions{})
		q, ok := all[corev1.ResourceCPU]
		return q.MilliValue(), ok
	}
	total, ok := int64(0), true
	eachRunning(spec, func(c *corev1.Container) { // calculatePodRequestsFromContainers
		q, has := c.Resources.Requests[corev1.ResourceCPU]
		ok = ok && has
		total += q.MilliValue()
	})
	return total, ok
}

// cpuLimit is the most CPU one pod can use, in millicores.
func cpuLimit(spec *corev1.PodSpec) int64 {
	most := int64(math.MaxInt64)
	if spec.Resources != nil {
		if q, ok := spec.Resources.Limits[corev1.ResourceCPU]; ok {
			most = q.MilliValue()
		}
	}
	total, all := int64(0), true
	eachRunning(spec, func(c *corev1.Container) {
		q, ok := c.Resources.Limits[corev1.ResourceCPU]
		all = all && ok
		total += q.MilliValue()
	})
	if all {
		most = min(most, total)
	}
	return most
}

// eachRunning visits the containers that run while a pod is ready: the regular ones and
// sidecars.
func eachRunning(spec *corev1.PodSpec, visit func(*corev1.Container)) {
	for i := range spec.Containers {
		visit(&spec.Containers[i])
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			visit(c)
		}
	}
}
